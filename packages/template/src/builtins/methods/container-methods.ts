import type { Run } from '../../evaluation/run.ts';
import { typeFault, valueFault } from '../../template-error.ts';
import { Dict, hashOf } from '../../values/dict.ts';
import { isEqual } from '../../values/equality.ts';
import { isList, type List, listOf, Tuple } from '../../values/list.ts';
import { isMapping, type Mapping, mappingEntries, mappingGet, mappingHas, mappingKeys } from '../../values/mapping.ts';
import { isText, textOf } from '../../values/markup.ts';
import { compare } from '../../values/ordering.ts';
import { itemsOf, iterate } from '../../values/sequence.ts';
import { isTrue } from '../../values/truth.ts';
import { define, defineVariadic, integerArgument, type MethodDefinition } from '../definition.ts';

/** Only what the template made itself may change: data of the scope is everybody's. */
function changeableList(value: unknown, method: string): List {
  if (isList(value)) return value;
  throw typeFault(
    `'${method}' would change a list of the scope, which is read-only.`,
    'Change a copy: {% set copy = x | list %}.',
  );
}

function changeableDict(value: unknown, method: string): Dict {
  if (value instanceof Dict) return value;
  throw typeFault(
    `'${method}' would change a mapping of the scope, which is read-only.`,
    'Change a copy: {% set copy = dict(x) %}.',
  );
}

const count = define(['value'], (run: Run, list, [wanted]) => {
  const items = iterate(list, run.budget);
  run.budget.step(items.length);
  return items.filter((item) => isEqual(item, wanted, run.budget)).length;
});

const index = define(['value', ['start', 0], ['end', null]], (run: Run, list, [wanted, start, end]) => {
  const items = iterate(list, run.budget);
  run.budget.step(items.length);
  const place = (value: unknown) => {
    const n = integerArgument(value, 'a position');
    return n < 0 ? Math.max(0, n + items.length) : n;
  };
  const last = end === null ? items.length : place(end);
  const at = items.findIndex((item, i) => i >= place(start) && i < last && isEqual(item, wanted, run.budget));
  if (at < 0) throw valueFault('the list does not contain this value.');
  return at;
});

export const TUPLE_METHODS: Readonly<Record<string, MethodDefinition>> = { count, index };

export const LIST_METHODS: Readonly<Record<string, MethodDefinition>> = {
  count,
  index,
  copy: define([], (run, value) => {
    const items = itemsOf(value) ?? [];
    run.budget.items(items.length);
    return listOf(items);
  }),
  append: define(['item'], (run, value, [item]) => {
    run.budget.items(1);
    changeableList(value, 'append').push(item);
    return null;
  }),
  extend: define(['items'], (run, value, [items]) => {
    const list = changeableList(value, 'extend');
    const more = [...iterate(items, run.budget)];
    run.budget.items(more.length);
    for (const item of more) list.push(item);
    return null;
  }),
  insert: define(['index', 'item'], (run, value, [at, item]) => {
    const list = changeableList(value, 'insert');
    run.budget.items(1);
    run.budget.step(list.length >> 6);
    list.splice(integerArgument(at, 'the position'), 0, item);
    return null;
  }),
  pop: define([['index', -1]], (run, value, [at]) => {
    const list = changeableList(value, 'pop');
    const position = integerArgument(at, 'the position');
    const from = position < 0 ? position + list.length : position;
    if (from < 0 || from >= list.length)
      throw valueFault(list.length === 0 ? 'the list is empty.' : 'the list has no such position.');
    run.budget.step((list.length - from) >> 6);
    return list.splice(from, 1)[0];
  }),
  remove: define(['item'], (run, value, [item]) => {
    const list = changeableList(value, 'remove');
    run.budget.step(list.length);
    const at = list.findIndex((other) => isEqual(other, item, run.budget));
    if (at < 0) throw valueFault('the list does not contain this value.');
    list.splice(at, 1);
    return null;
  }),
  clear: define([], (_run, value) => {
    changeableList(value, 'clear').length = 0;
    return null;
  }),
  reverse: define([], (run, value) => {
    const list = changeableList(value, 'reverse');
    run.budget.step(list.length);
    list.reverse();
    return null;
  }),
  sort: defineVariadic((run, value, args, named) => {
    const list = changeableList(value, 'sort');
    if (args.length > 0 || Array.from(named.keys()).some((name) => name !== 'reverse')) {
      throw typeFault("'sort' takes only reverse=true.", "Sort by an attribute with | sort(attribute='…').");
    }
    run.budget.items(list.length);
    const direction = isTrue(named.get('reverse') ?? false) ? -1 : 1;
    list.sort((a, b) => direction * (compare(a, b, run.budget) || 0));
    return null;
  }),
};

export const DICT_METHODS: Readonly<Record<string, MethodDefinition>> = {
  get: define(['key', ['default', null]], (_run, value, [key, fallback]) => {
    const mapping = value as Mapping;
    // What cannot be a key is an error, not missing.
    hashOf(key);
    return mappingHas(mapping, plainKey(key)) ? mappingGet(mapping, plainKey(key)) : fallback;
  }),
  keys: define([], (run, value) => made(run, mappingKeys(value as Mapping))),
  values: define([], (run, value) =>
    made(
      run,
      mappingEntries(value as Mapping).map((entry) => entry.value),
    ),
  ),
  items: define([], (run, value) =>
    made(
      run,
      mappingEntries(value as Mapping).map((entry) => new Tuple([entry.key, entry.value])),
    ),
  ),
  copy: define([], (run, value) => update(run, new Dict(), value)),
  update: defineVariadic((run, value, args, named) => {
    const dict = changeableDict(value, 'update');
    if (args.length > 1) throw typeFault("'update' takes one mapping and names.");
    if (args.length === 1) update(run, dict, args[0]);
    for (const [name, item] of named) dict.set(name, item);
    run.budget.items(named.size);
    return null;
  }),
  setdefault: define(['key', ['default', null]], (run, value, [key, fallback]) => {
    const dict = changeableDict(value, 'setdefault');
    run.budget.items(1);
    if (!dict.has(key)) dict.set(key, fallback);
    return dict.get(key);
  }),
  pop: defineVariadic((_run, value, args) => {
    const dict = changeableDict(value, 'pop');
    if (args.length < 1 || args.length > 2) throw typeFault("'pop' takes a key and a default.");
    const [key, fallback] = args;
    if (!dict.has(key)) {
      if (args.length === 2) return fallback;
      throw valueFault('the mapping has no such key.');
    }
    const item = dict.get(key);
    dict.delete(key);
    return item;
  }),
  popitem: define([], (_run, value) => {
    const dict = changeableDict(value, 'popitem');
    const last = mappingEntries(dict).at(-1);
    if (last === undefined) throw valueFault('the mapping is empty.');
    dict.delete(last.key);
    return new Tuple([last.key, last.value]);
  }),
  clear: define([], (_run, value) => {
    changeableDict(value, 'clear').clear();
    return null;
  }),
};

const plainKey = (key: unknown): unknown => (isText(key) ? textOf(key) : key);

function made(run: Run, items: readonly unknown[]): List {
  run.budget.items(items.length);
  return listOf(items);
}

function update(run: Run, dict: Dict, source: unknown): Dict {
  const pairs = isMapping(source)
    ? mappingEntries(source).map((entry) => [entry.key, entry.value])
    : iterate(source, run.budget).map((pair) => iterate(pair, run.budget));
  run.budget.items(pairs.length);
  for (const pair of pairs) {
    if (pair.length !== 2) throw valueFault('pairs of a key and a value are needed.');
    dict.set(pair[0], pair[1]);
  }
  return dict;
}
