import type { Run } from '../evaluation/run.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { codePoints } from './code-points.ts';
import { integerOf, isInteger } from './integer.ts';
import { listOf, Tuple } from './list.ts';
import { isMapping, type Mapping, mappingGet } from './mapping.ts';
import { isText, likeText, textOf } from './markup.ts';
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
    : new Undefined(run.undefinedMode, path, name, object);
}

/**
 * `x.items` without a key 'items'. Jinja would give the method, which has no use but to be called; here it is
 * undefined, and never quietly empty: `x.items | length` is an error as it is in Jinja.
 */
function methodWithoutCall(run: Run, object: unknown, name: string, path: string): Undefined {
  const mode = run.undefinedMode === 'strict' ? 'strict' : 'checked';
  return new Undefined(mode, path, name, object, undefined, `To call the method write '${path}()'.`);
}

/** `object[key]`: an item of a list, text or range by position, of a mapping by key, else an attribute by name. */
export function getItem(run: Run, object: unknown, key: unknown, path: string): unknown {
  if (object instanceof Undefined) return partOfUndefined(object);
  const value = isMapping(object) ? keyed(object, key) : positional(object, key);
  if (value !== undefined) return value;
  if (isText(key)) return getAttribute(run, object, textOf(key), path);
  return new Undefined(run.undefinedMode, path, isInteger(key) ? String(key) : typeName(key), object);
}

/** A key that cannot be one, such as a list, is simply not there. */
function keyed(object: Mapping, key: unknown): unknown {
  if (Array.isArray(key) || isMapping(key)) return undefined;
  return mappingGet(object, isText(key) ? textOf(key) : key);
}

function partOfUndefined(object: Undefined): Undefined {
  if (object.mode === 'chainable' || object.mode === 'checked') return object;
  throw object.fault();
}

function positional(object: unknown, key: unknown): unknown {
  if (!isInteger(key)) return undefined;
  const index = Number(integerOf(key));
  const items = itemsOf(object) ?? (isText(object) ? codePoints(textOf(object)) : undefined);
  const item = items?.[index < 0 ? index + items.length : index];
  if (items !== undefined) return typeof item === 'string' && isText(object) ? likeText(object, item) : item;
  if (!(object instanceof Range)) return undefined;
  const at = index < 0 ? index + object.length : index;
  return at >= 0 && at < object.length ? object.at(at) : undefined;
}

/** `object[start:stop:step]` with Python's rules for missing and negative bounds. */
export function getSlice(run: Run, object: unknown, start: unknown, stop: unknown, step: unknown): unknown {
  if (object instanceof Undefined) return partOfUndefined(object);
  const items = itemsOf(object) ?? (isText(object) ? codePoints(textOf(object)) : undefined);
  if (items === undefined && !(object instanceof Range)) throw typeFault(`${typeName(object)} cannot be sliced.`);
  if (object instanceof Range) return sliceRange(object, bound(start), bound(stop), bound(step));
  const source = items ?? [];
  const indices = sliceIndices(source.length, bound(start), bound(stop), bound(step));
  run.budget.items(indices.length);
  const picked = indices.map((index) => source[index]);
  if (isText(object)) return likeText(object, picked.join(''));
  return object instanceof Tuple ? new Tuple(picked) : listOf(picked);
}

function bound(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (isInteger(value)) return Number(integerOf(value));
  if (value instanceof Undefined) throw value.fault();
  throw typeFault(`a bound of a slice is an integer, not ${typeName(value)}.`);
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
