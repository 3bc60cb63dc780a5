import type { Random } from '../../conformance/jinja/fuzzing/random.ts';
import { HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile.ts';
import type { Schema } from './operations.ts';

/** What the server has, so that requests reach further than to the first «unknown», by the name of a field. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/** How often a field that may be left out is there. */
const OPTIONAL = 0.4;
/** Deeper, schemas of anything are given something short. */
const DEEPEST = 4;

/** A value that the schema allows, nearly always: patterns are met only by what is known. */
export function valueFor(schema: Schema, name: string, known: Known, random: Random, depth = 0): unknown {
  const usual = Object.hasOwn(known, name) ? known[name] : undefined;
  if (usual !== undefined && random.chance(0.9)) return random.pick(usual);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return valueFor(random.pick(choices), name, known, random, depth);
  const type = Array.isArray(schema.type) ? random.pick(schema.type as readonly string[]) : schema.type;
  const inner = (of: Schema, field: string): unknown => valueFor(of, field, known, random, depth + 1);
  switch (type) {
    case 'integer':
    case 'number':
      return random.int(Math.max(schema.minimum ?? 0, -100), Math.min(schema.maximum ?? 100, 100));
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'string':
      return random.chance(0.7) ? random.pick(['a', 'start', 'x_1', 'text with words']) : random.pick(HOSTILE_TEXTS);
    case 'array':
      return depth > DEEPEST ? [] : random.many(0, 3, () => inner(schema.items ?? {}, name));
    case 'object':
      return objectFor(schema, inner, random);
    default:
      return random.pick(HOSTILE_VALUES);
  }
}

function objectFor(schema: Schema, inner: (of: Schema, field: string) => unknown, random: Random): unknown {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).filter(([field]) => required.includes(field) || random.chance(OPTIONAL));
  const more =
    typeof additionalProperties === 'object'
      ? random.many(0, 2, () => [random.pick(HOSTILE_TEXTS), inner(additionalProperties, '')] as const)
      : [];
  return Object.fromEntries([...fields.map(([field, of]) => [field, inner(of, field)] as const), ...more]);
}

/** The value with one place of it changed: something of another type, a field less, or one more. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return random.pick(HOSTILE_VALUES);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, random.pick(HOSTILE_VALUES)];
    const at = random.int(0, value.length - 1);
    return value.map((item, index) => (index === at ? mutated(item, random) : item));
  }
  const entries = Object.entries(value);
  const way = random.fraction();
  if (entries.length === 0 || way < 0.2)
    return Object.fromEntries([...entries, [random.pick(HOSTILE_TEXTS), random.pick(HOSTILE_VALUES)]]);
  const at = random.int(0, entries.length - 1);
  if (way < 0.35) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([field, item], index) => [field, index === at ? mutated(item, random) : item]),
  );
}
