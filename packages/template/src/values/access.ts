import type { Run } from '../evaluation/run.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { characterAt, codePoints, sliceText, textLength } from './code-points.ts';
import { integerOf, isInteger } from './integer.ts';
import { listOf, Tuple } from './list.ts';
import { isMapping, type Mapping, mappingGet } from './mapping.ts';
import { isText, likeText, type Markup, textOf } from './markup.ts';
import { Range } from './range.ts';
import { itemsOf } from './sequence.ts';
import { Special, typeName } from './special.ts';
import { Undefined } from './undefined.ts';

/**
 * `object.name` where a value is wanted. TPL-3: a key of a mapping comes first; methods exist only in calls, so no
 * function is ever a value.
 */
export function getAttribute(run: Run, object: unknown, name: string, path: string): unknown {
  if (typeof object === 'object' && object !== null) {
    if (object instanceof Undefined) return partOfUndefined(object);
    const value = isMapping(object)
      ? mappingGet(object, name)
      : object instanceof Special
        ? object.attribute(name)
        : undefined;
    if (value !== undefined) return value;
  }
  return run.settings.hasMethod(object, name)
    ? methodWithoutCall(run, object, name, path)
    : new Undefined(run.undefinedMode, { path, name, owner: object, known: () => partNames(run, object) });
}

/** What could stand after the dot. */
const partNames = (run: Run, object: unknown): readonly string[] => [
  ...run.settings.methodNames(object),
  ...(object instanceof Special ? object.attributeNames() : []),
];

/**
 * `x.items` without a key 'items'. Jinja would give the method, which has no use but to be called; here it is
 * undefined, and never quietly empty: `x.items | length` is an error as it is in Jinja.
 */
function methodWithoutCall(run: Run, object: unknown, name: string, path: string): Undefined {
  const mode = run.undefinedMode === 'strict' ? 'strict' : 'checked';
  return new Undefined(mode, { path, name, owner: object, hint: `To call the method write '${path}()'.` });
}

/** `object[key]`: an item of a list, text or range by position, of a mapping by key, else an attribute by name. */
export function getItem(run: Run, object: unknown, key: unknown, path: string): unknown {
  if (object instanceof Undefined) return partOfUndefined(object);
  const value = isMapping(object) ? keyed(object, key) : positional(run, object, key);
  if (value !== undefined) return value;
  if (isText(key)) return getAttribute(run, object, textOf(key), path);
  const name = isInteger(key) ? String(key) : typeName(key);
  return new Undefined(run.undefinedMode, { path, name, owner: object });
}

/** A key that cannot be one, such as a list, is simply not there. */
function keyed(object: Mapping, key: unknown): unknown {
  if (Array.isArray(key) || isMapping(key)) return undefined;
  if (key instanceof Undefined) key.checkComparable();
  return mappingGet(object, isText(key) ? textOf(key) : key);
}

function partOfUndefined(object: Undefined): Undefined {
  if (object.mode === 'chainable' || object.mode === 'checked') return object;
  throw object.fault();
}

function positional(run: Run, object: unknown, key: unknown): unknown {
  if (!isInteger(key)) return undefined;
  const index = Number(integerOf(key));
  if (isText(object)) run.budget.read(textOf(object).length);
  if (isText(object)) {
    const character = characterAt(textOf(object), index);
    return character === undefined ? undefined : likeText(object, character);
  }
  const items = itemsOf(object);
  if (items !== undefined) return items[index < 0 ? index + items.length : index];
  if (!(object instanceof Range)) return undefined;
  const at = index < 0 ? index + object.length : index;
  return at >= 0 && at < object.length ? object.at(at) : undefined;
}

/** `object[start:stop:step]` with Python's rules for missing and negative bounds. */
export function getSlice(run: Run, object: unknown, start: unknown, stop: unknown, step: unknown): unknown {
  if (object instanceof Undefined) return partOfUndefined(object);
  if (isText(object)) return sliceOfText(run, object, bound(start), bound(stop), bound(step));
  const items = itemsOf(object);
  if (items === undefined && !(object instanceof Range)) throw typeFault(`${typeName(object)} cannot be sliced.`);
  if (object instanceof Range) return sliceRange(object, bound(start), bound(stop), bound(step));
  const source = items ?? [];
  const indices = sliceIndices(source.length, bound(start), bound(stop), bound(step));
  run.budget.items(indices.length);
  const picked = indices.map((index) => source[index]);
  return object instanceof Tuple ? new Tuple(picked) : listOf(picked);
}

function bound(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (isInteger(value)) return Number(integerOf(value));
  if (value instanceof Undefined) throw value.fault();
  throw typeFault(`a bound of a slice is an integer, not ${typeName(value)}.`);
}

function sliceOfText(
  run: Run,
  object: string | Markup,
  start: number | undefined,
  stop: number | undefined,
  step = 1,
): unknown {
  const text = textOf(object);
  run.budget.read(text.length);
  if (step === 1) {
    const { first, last } = sliceBounds(textLength(text), start, stop, step);
    return likeText(object, first < last ? sliceText(text, first, last) : '');
  }
  const characters = codePoints(text);
  const indices = sliceIndices(characters.length, start, stop, step);
  run.budget.items(indices.length);
  return likeText(object, indices.map((index) => characters[index]).join(''));
}

interface Bounds {
  readonly first: number;
  readonly last: number;
}

function sliceBounds(length: number, start: number | undefined, stop: number | undefined, step: number): Bounds {
  if (step === 0) throw valueFault('the step of a slice cannot be 0.');
  const clamp = (n: number, low: number, high: number) => Math.min(Math.max(n < 0 ? n + length : n, low), high);
  const forward = step > 0;
  const first =
    start === undefined ? (forward ? 0 : length - 1) : clamp(start, forward ? 0 : -1, forward ? length : length - 1);
  const last =
    stop === undefined ? (forward ? length : -1) : clamp(stop, forward ? 0 : -1, forward ? length : length - 1);
  return { first, last };
}

function sliceIndices(length: number, start: number | undefined, stop: number | undefined, step = 1): number[] {
  const { first, last } = sliceBounds(length, start, stop, step);
  const indices: number[] = [];
  for (let i = first; step > 0 ? i < last : i > last; i += step) indices.push(i);
  return indices;
}

function sliceRange(range: Range, start: number | undefined, stop: number | undefined, step = 1): Range {
  const { first, last } = sliceBounds(range.length, start, stop, step);
  return new Range(range.at(first), range.at(last), range.step * step);
}
