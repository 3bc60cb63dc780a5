import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Json } from '../model/json.ts';
import { parsed, readerErrors, schemaErrors, unknownCalls } from './agreement.testing.ts';

const folder = new URL('../../../../examples/', import.meta.url);
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parsed(readFileSync(new URL(file, folder), 'utf8')));

/** The keys and indexes that lead to a place of a document. */
type Way = readonly string[];

function* waysOf(value: Json, way: Way): Generator<Way> {
  yield way;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* waysOf(child, [...way, key]);
}

const isMap = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value after a change; undefined if the change removed it. */
type Change = (value: Json) => Json | undefined;

function changed(value: Json, [first, ...rest]: Way, change: Change): Json | undefined {
  if (first === undefined) return change(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    const after = key === first ? changed(child, rest, change) : child;
    return after === undefined ? [] : [[key, after]];
  });
  return isMap(value) ? Object.fromEntries(entries) : entries.map(([, child]) => child);
}

const ways = examples.map((example) => [...waysOf(example, [])]);
const keys = fc.constantFrom(...new Set(ways.flat(2).filter((key) => !/^\d+$/.test(key))));
const values = fc.constantFrom<Json>(
  ...[null, true, false, 0, 1, -1, 1.5, '', 'text', 'all', '{{ 1 }}', '{{ 1 }} {{ 2 }}', '{% if 1 %}1{% endif %}'],
  ...[[], {}, [1], ['a'], { a: 1 }, { kind: 'noop' }, { then: { do: 'fail' } }, { rules: [] }],
);

const removal = fc.constant<Change>(() => undefined);
const replacement = values.map(
  (value): Change =>
    () =>
      value,
);
const addition = fc.tuple(keys, values).map(
  ([key, added]): Change =>
    (value) => {
      if (isMap(value)) return { ...value, [key]: added };
      return Array.isArray(value) ? [...value, added] : { [key]: value };
    },
);
const renaming = fc.tuple(keys, fc.nat()).map(
  ([key, at]): Change =>
    (value) => {
      if (!isMap(value)) return key;
      const names = Object.keys(value);
      const old = names[at % Math.max(1, names.length)];
      return Object.fromEntries(Object.entries(value).map(([name, child]) => [name === old ? key : name, child]));
    },
);

/** An example with one or two changes. */
const mutant = fc.nat({ max: examples.length - 1 }).chain((i) =>
  fc
    .array(fc.tuple(fc.constantFrom(...(ways[i] ?? [])), fc.oneof(removal, replacement, addition, renaming)), {
      minLength: 1,
      maxLength: 2,
    })
    .map((changes) =>
      changes.reduce<Json>((document, [way, change]) => changed(document, way, change) ?? null, examples[i] ?? null),
    ),
);

/** What needs two places of a document. */
const ONLY_THE_READER: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'NOETL_ENTRY_MISSING',
  'NOETL_ARC_TARGET_UNKNOWN',
  'NOETL_STEP_DUPLICATE',
  'NOETL_LABEL_DUPLICATE',
  'NOETL_JUMP_TARGET_UNKNOWN',
  'NOETL_SET_ITER_MISPLACED',
  'NOETL_SET_SHARED_MISPLACED',
  'NOETL_NAME_KEYCHAIN',
  'NOETL_NAME_MISPLACED',
]);

describe('the schema and the reader', () => {
  it('agree on examples that were changed in any place (DOC-12)', () => {
    fc.assert(
      fc.property(mutant, (document) => {
        const text = JSON.stringify(document);
        const errors = readerErrors(text);
        const rejected = schemaErrors(document).length > 0;
        if (rejected) expect(errors).not.toEqual([]);
        else if (unknownCalls(text) === 0) expect(errors.filter((code) => !ONLY_THE_READER.has(code))).toEqual([]);
      }),
      // The same mutants every time: a disagreement belongs to the change that brought it.
      { numRuns: 3_000, seed: 7 },
    );
  });
});
