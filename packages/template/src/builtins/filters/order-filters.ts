import type { Run } from '../../evaluation/run.ts';
import { typeFault } from '../../template-error.ts';
import { hashOf } from '../../values/dict.ts';
import { isEqual } from '../../values/equality.ts';
import { Group, type List, listOf, ownList, Tuple } from '../../values/list.ts';
import { isMapping, mappingEntries } from '../../values/mapping.ts';
import { compare } from '../../values/ordering.ts';
import { iterate } from '../../values/sequence.ts';
import { typeName } from '../../values/special.ts';
import { isTrue } from '../../values/truth.ts';
import { Undefined } from '../../values/undefined.ts';
import { attributeGetter, attributeListGetter, ignoreCase } from '../attribute-path.ts';
import { define, type FilterDefinition, flagArgument, textArgument } from '../definition.ts';

/** Filters that compare items with each other. */
export const ORDER_FILTERS: Readonly<Record<string, FilterDefinition>> = {
  sort: define(
    [
      ['reverse', false],
      ['case_sensitive', false],
      ['attribute', null],
    ],
    (run, value, [reverse, sensitive, attribute]) => {
      const get = attributeListGetter(run, attribute);
      const key = isTrue(sensitive) ? get : (item: unknown) => get(item).map(ignoreCase);
      return listOf(
        sortBy(run, iterate(value, run.budget), (item) => [...key(item)], flagArgument(reverse, "'reverse'")),
      );
    },
  ),
  dictsort: define(
    [
      ['case_sensitive', false],
      ['by', 'key'],
      ['reverse', false],
    ],
    (run, value, [sensitive, by, reverse]) => {
      const position = textArgument(by, "'by'");
      if (position !== 'key' && position !== 'value') throw typeFault("'by' is 'key' or 'value'.");
      if (value instanceof Undefined) throw value.fault();
      if (!isMapping(value)) throw typeFault(`the filter 'dictsort' needs a mapping, found ${typeName(value)}.`);
      const key = (entry: { key: unknown; value: unknown }) =>
        isTrue(sensitive) ? entry[position] : ignoreCase(entry[position]);
      const sorted = sortBy(run, mappingEntries(value), key, flagArgument(reverse, "'reverse'"));
      return listOf(sorted.map((entry) => new Tuple([entry.key, entry.value])));
    },
  ),
  min: extreme(-1),
  max: extreme(1),
  unique: define(
    [
      ['case_sensitive', false],
      ['attribute', null],
    ],
    (run, value, [sensitive, attribute]) => {
      const get = attributeGetter(run, attribute);
      const seen = new Set<unknown>();
      const list = ownList([]);
      for (const item of iterate(value, run.budget)) {
        run.budget.items(1);
        const key = hashOf(isTrue(sensitive) ? get(item) : ignoreCase(get(item)));
        if (!seen.has(key)) list.push(item);
        seen.add(key);
      }
      return list;
    },
  ),
  groupby: define(
    ['attribute', ['default', null], ['case_sensitive', false]],
    (run, value, [attribute, fallback, sensitive]) => {
      const get = attributeGetter(run, attribute, fallback);
      const key = isTrue(sensitive) ? get : (item: unknown) => ignoreCase(get(item));
      const groups = ownList([]);
      let members: List | undefined;
      let current: unknown;
      for (const item of sortBy(run, iterate(value, run.budget), key, false)) {
        const next = key(item);
        if (members === undefined || !isEqual(current, next, run.budget)) {
          members = ownList([]);
          groups.push(new Group(get(item), members));
          current = next;
        }
        members.push(item);
      }
      return groups;
    },
  ),
};

function sortBy<T>(run: Run, items: readonly T[], keyOf: (item: T) => unknown, reverse: boolean): readonly T[] {
  run.budget.items(items.length * 2);
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  // Equal items keep their order, also in reverse.
  const direction = reverse ? -1 : 1;
  if (keyed.length > 1) {
    keyed.sort((a, b) => {
      run.budget.step();
      return direction * (compare(a.key, b.key, run.budget) || 0);
    });
  }
  return keyed.map(({ item }) => item);
}

function extreme(sign: 1 | -1): FilterDefinition {
  return define(
    [
      ['case_sensitive', false],
      ['attribute', null],
    ],
    (run, value, [sensitive, attribute]) => {
      const items = iterate(value, run.budget);
      const word = sign < 0 ? 'min' : 'max';
      if (items.length === 0) return new Undefined(run.undefinedMode, { path: `${word} of an empty list`, name: word });
      const get = attributeGetter(run, attribute);
      const key = isTrue(sensitive) ? get : (item: unknown) => ignoreCase(get(item));
      run.budget.step(items.length);
      let best = items[0];
      let bestKey = key(best);
      for (const item of items.slice(1)) {
        const next = key(item);
        if (compare(next, bestKey, run.budget) * sign > 0) {
          best = item;
          bestKey = next;
        }
      }
      return best;
    },
  );
}
