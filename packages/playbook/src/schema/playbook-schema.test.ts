import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '../model/json.ts';
import { isSchema, parsed, schemaErrors } from './agreement.testing.ts';
import type { Schema } from './building-blocks.ts';
import { playbookSchema } from './playbook-schema.ts';

const repository = new URL('../../../../', import.meta.url);
const examples = readdirSync(new URL('examples/', repository), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

describe('the schema of playbooks (DOC-12)', () => {
  it('is a valid schema', () => {
    expect(isSchema()).toBe(true);
  });

  it('is what schema/playbook.json says; npm run generate:schema writes it', () => {
    const committed: unknown = JSON.parse(readFileSync(new URL('schema/playbook.json', repository), 'utf8'));
    expect(JSON.stringify(committed)).toBe(JSON.stringify(playbookSchema()));
  });

  it.each(examples)('accepts examples/%s', (file) => {
    expect(schemaErrors(parsed(readFileSync(new URL(`examples/${file}`, repository), 'utf8')))).toEqual([]);
  });

  it('accepts its own example', () => {
    const [example] = playbookSchema().examples as readonly Json[];
    expect(schemaErrors(example ?? null)).toEqual([]);
  });

  it('describes every key and defines everything it refers to', () => {
    const schema = playbookSchema();
    const definitions = schema.definitions as Readonly<Record<string, Schema>>;
    const target = (part: Schema): Schema | undefined =>
      typeof part.$ref === 'string' ? definitions[part.$ref.replace('#/definitions/', '')] : part;
    const undescribed: string[] = [];
    for (const [path, key, part] of keysOf(schema, '#')) {
      if (typeof target(part)?.description !== 'string') undescribed.push(`${path}.${key}`);
    }
    expect(undescribed).toEqual([]);
    const used = [...JSON.stringify(schema).matchAll(/#\/definitions\/([\w-]+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(definitions)));
  });
});

/** Every key that a mapping may have. Conditions only ask about keys that are described elsewhere. */
function* keysOf(part: Json, path: string): Generator<readonly [path: string, key: string, part: Schema]> {
  if (typeof part !== 'object' || part === null) return;
  if (isList(part)) {
    for (const [i, item] of part.entries()) yield* keysOf(item, `${path}[${i}]`);
    return;
  }
  for (const [keyword, value] of Object.entries(part)) {
    if (keyword === 'if' || keyword === 'examples' || keyword === 'default') continue;
    if (keyword === 'properties' && isMap(value)) {
      for (const [key, property] of Object.entries(value)) if (isMap(property)) yield [path, key, property];
    }
    yield* keysOf(value, `${path}/${keyword}`);
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isMap = (value: Json): value is Schema => typeof value === 'object' && value !== null && !isList(value);
