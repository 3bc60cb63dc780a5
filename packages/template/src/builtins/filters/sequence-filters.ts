import type { Run } from '../../evaluation/run.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { add } from '../../values/arithmetic.ts';
import { codePoints } from '../../values/code-points.ts';
import { isEqual } from '../../values/equality.ts';
import { listOf, ownList, Tuple } from '../../values/list.ts';
import { isMapping, mappingEntries } from '../../values/mapping.ts';
import { isText, likeText, textOf } from '../../values/markup.ts';
import { iterate, lengthOf } from '../../values/sequence.ts';
import { typeName } from '../../values/special.ts';
import { toText } from '../../values/text.ts';
import { Undefined } from '../../values/undefined.ts';
import { attributeGetter } from '../attribute-path.ts';
import { define, type FilterDefinition, integerArgument } from '../definition.ts';

const length = define([], (_run, value) => lengthOf(value));

/** Filters on lists and whatever can be gone through. */
export const SEQUENCE_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  length,
  count: length,
  first: define([], (run, value) => iterate(value, run.budget)[0] ?? emptyOf(run, value, 'first')),
  last: define([], (run, value) => {
    const last = iterate(value, run.budget).at(-1) ?? emptyOf(run, value, 'last');
    return isText(value) && isText(last) ? likeText(value, textOf(last)) : last;
  }),
  random: define([], (run, value) => {
    if (isMapping(value)) throw typeFault('the filter random needs a list or text.');
    const items = iterate(value, run.budget);
    return items.length === 0 ? emptyOf(run, value, 'random') : items[Math.floor(run.random() * items.length)];
  }),
  list: define([], (run, value) => {
    const items = iterate(value, run.budget);
    run.budget.items(items.length);
    return listOf(items);
  }),
  reverse: define([], (run, value) => {
    if (isText(value)) {
      run.budget.text(textOf(value).length);
      return likeText(value, [...codePoints(textOf(value))].reverse().join(''));
    }
    const items = iterate(value, run.budget);
    run.budget.items(items.length);
    return listOf([...items].reverse());
  }),
  items: define([], (run, value) => {
    if (value instanceof Undefined) {
      // Jinja gives nothing in every mode; a checked value may still not be read.
      if (value.mode === 'checked') throw value.fault();
      return ownList([]);
    }
    if (!isMapping(value)) throw typeFault(`the filter 'items' needs a mapping, found ${typeName(value)}.`);
    const entries = mappingEntries(value);
    run.budget.items(entries.length * 2);
    return listOf(entries.map(({ key, value: item }) => new Tuple([key, item])));
  }),
  join: define(
    [
      ['d', ''],
      ['attribute', null],
    ],
    (run, value, [separator, attribute]) => {
      const between = toText(separator, run.budget);
      const get = attribute === null ? undefined : attributeGetter(run, attribute);
      let text = '';
      iterate(value, run.budget).forEach((item, i) => {
        run.budget.step();
        text += (i === 0 ? '' : between) + toText(get === undefined ? item : get(item), run.budget);
        if (text.length > run.budget.limits.text) run.budget.text(text.length);
      });
      run.budget.text(text.length);
      return text;
    },
  ),
  sum: define(
    [
      ['attribute', null],
      ['start', 0],
    ],
    (run, value, [attribute, start]) => {
      if (isText(start)) throw typeFault('text cannot be summed up.', 'Use | join.');
      const get = attribute === null ? undefined : attributeGetter(run, attribute);
      let total = start;
      for (const item of iterate(value, run.budget)) {
        run.budget.step();
        total = add(total, get === undefined ? item : get(item), run.budget);
      }
      return total;
    },
  ),
  batch: define(['linecount', ['fill_with', null]], (run, value, [linecount, fill]) => {
    const batches = ownList([]);
    let batch = ownList([]);
    for (const item of iterate(value, run.budget)) {
      run.budget.items(1);
      if (isEqual(batch.length, linecount, run.budget)) {
        batches.push(batch);
        batch = ownList([]);
      }
      batch.push(item);
    }
    if (batch.length === 0) return batches;
    if (fill !== null) {
      const missing = integerArgument(linecount, "'linecount'") - batch.length;
      run.budget.items(Math.max(0, missing));
      for (let i = 0; i < missing; i++) batch.push(fill);
    }
    batches.push(batch);
    return batches;
  }),
  slice: define(['slices', ['fill_with', null]], (run, value, [slices, fill]) => {
    const count = integerArgument(slices, "'slices'");
    const items = iterate(value, run.budget);
    if (count === 0) throw valueFault('a list cannot be cut into 0 slices.');
    run.budget.items(items.length + Math.max(0, count));
    const size = Math.floor(items.length / count);
    const larger = ((items.length % count) + count) % count;
    const result = ownList([]);
    let offset = 0;
    for (let i = 0; i < count; i++) {
      const start = offset + i * size;
      if (i < larger) offset++;
      const part = listOf(items.slice(start, offset + (i + 1) * size));
      if (fill !== null && i >= larger) part.push(fill);
      result.push(part);
    }
    return result;
  }),
};

/** An item can be null, which is a value; only an empty list has no first. */
function emptyOf(run: Run, value: unknown, word: string): unknown {
  if (!(value instanceof Undefined) && lengthOf(value) > 0) return null;
  return new Undefined(run.undefinedMode, { path: `${word} of an empty list`, name: word });
}
