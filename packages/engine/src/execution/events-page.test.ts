import { readFileSync } from 'node:fs';
import type { Json } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { EVENT_NAMES, EVENT_SCHEMAS, entityTypeOf } from './event.ts';
import { type EventName, PAYLOADS } from './payloads.ts';
import { readEvent } from './read-event.ts';

const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');

/** A field by its path: `arcs[].step`. An object stands for itself only where it is optional. */
type Fields = Readonly<Record<string, { readonly optional: boolean; readonly values: readonly string[] }>>;

/** The part of the page below a heading. */
const section = (heading: string): string =>
  page
    .split(/^##+ /m)
    .find((part) => part.startsWith(`${heading}\n`))
    ?.slice(heading.length) ?? '';

const SHAPES = ['error', 'outcome', 'schedules'] as const;

function documented(text: string): Fields {
  const rows = [...text.replaceAll('\\|', '¦').matchAll(/^\| `([^`]+)` \| (.*?) \| (.*?) ?\|$/gm)];
  return Object.fromEntries(
    rows.flatMap(([, path = '', type = '', meaning = '']) => {
      const optional = type.endsWith(', optional');
      const values = [...`${type} ${meaning}`.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value);
      const shape = SHAPES.find((name) => type.includes(`[${name}](#${name})`));
      if (shape === undefined) return [[path, { optional, values }]];
      const inner = Object.entries(documented(section(shape))).map(([key, field]) => [`${path}.${key}`, field]);
      return optional ? [[path, { optional, values }], ...inner] : inner;
    }),
  );
}

type Schema = z.ZodType & {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly element?: Schema;
    readonly valueType?: Schema;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly options?: readonly Schema[];
    readonly entries?: Readonly<Record<string, string>>;
    readonly values?: readonly string[];
  };
};

function defined(schema: Schema, path: string, optional = false): Fields {
  const { type, innerType, element, valueType, options = [] } = schema.def;
  const own = { [path]: { optional, values: valuesOf(schema) } };
  if (innerType !== undefined) return defined(innerType, path, optional || type === 'optional');
  if (element !== undefined) return { ...own, ...(hasFields(element) ? defined(element, `${path}[]`) : {}) };
  if (valueType !== undefined) return { ...own, ...defined(valueType, `${path}.*`) };
  const shapes = type === 'object' ? [schema] : options.filter(hasFields);
  if (shapes.length === 0) return own;
  const keys = new Set(shapes.flatMap(({ def }) => Object.keys(def.shape ?? {})));
  const inner = [...keys].map((key) => {
    const variants = shapes.flatMap(({ def }) => def.shape?.[key] ?? []);
    const fields = defined(
      variants[0] as Schema,
      path === '' ? key : `${path}.${key}`,
      variants.length < shapes.length,
    );
    const values = variants.flatMap(valuesOf);
    return values.length === 0 ? fields : mapFields(fields, (field) => ({ ...field, values }));
  });
  return Object.assign(optional ? own : {}, ...inner);
}

const hasFields = ({ def }: Schema): boolean => def.shape !== undefined;

const valuesOf = ({ def }: Schema): readonly string[] => [
  ...Object.values(def.entries ?? {}),
  ...(def.values ?? []),
  ...(def.options ?? []).filter((option) => !hasFields(option)).flatMap(valuesOf),
];

const mapFields = (fields: Fields, change: (field: Fields[string]) => Fields[string]): Fields =>
  Object.fromEntries(Object.entries(fields).map(([path, field]) => [path, change(field)]));

const optionality = (fields: Fields) => mapFields(fields, ({ optional }) => ({ optional, values: [] }));

function expectSame(said: Fields, meant: Fields): void {
  expect(optionality(said)).toEqual(optionality(meant));
  for (const [path, { values }] of Object.entries(meant))
    expect(said[path]?.values, path).toEqual(expect.arrayContaining([...values]));
}

describe('docs/events.md (EVT-2)', () => {
  it('has one section for each event, and none for what is no event', () => {
    const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, name]) => name);
    expect(headings.toSorted()).toEqual(EVENT_NAMES.toSorted());
  });
  it('explains every field of the envelope', () => {
    const { name: _, ...meant } = defined(withoutPayload('step.started'), '');
    const { name: __, payload: ___, ...said } = documented(section('The envelope'));
    expectSame(said, meant);
  });
  it.each(EVENT_NAMES)('explains every field of %s, and its example fits', (name) => {
    const text = section(`\`${name}\``);
    expectSame(documented(text), defined(PAYLOADS[name] as unknown as Schema, ''));
    const [, entity, statuses = ''] = /^Entity `(\w+)`, by the [^`]*status (.*?)\.$/m.exec(text) ?? [];
    expect(entity).toBe(entityTypeOf(name));
    const examples = [...text.matchAll(/^\{.*\}$/gm)].map(([line]) => JSON.parse(line) as Json);
    const readings = examples.map((line) => readEvent(line));
    expect(readings.filter(({ kind }) => kind === 'unreadable')).toEqual([]);
    const own = readings.flatMap((reading) =>
      reading.kind === 'event' && reading.event.name === name ? [reading.event] : [],
    );
    expect(own.length).toBeGreaterThan(0);
    for (const { status, source } of own) {
      expect(statuses).toContain(`\`${status}\``);
      expect(text).toContain(`the ${source}`);
    }
  });
});

/** The schema of the event as its envelope alone. */
function withoutPayload(name: EventName): Schema {
  const { def } = EVENT_SCHEMAS[name] as unknown as Schema;
  const { payload: _, ...shape } = def.shape ?? {};
  return { def: { type: 'object', shape } } as unknown as Schema;
}
