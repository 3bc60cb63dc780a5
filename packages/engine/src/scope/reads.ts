import type { Condition, Json, JsonMap, Templated } from '@noetl/playbook';
import { templatesOf } from '@noetl/playbook';
import type { Reference } from '@noetl/template';
import { type ScopeParts, templateScope } from './template-scope.ts';

/** The names a condition or data reads, by the syntax of its templates (TPL-7). */
export function readsOf(data: Condition | Templated | undefined): readonly Reference[] {
  if (data === undefined || data.kind === 'constant' || data.kind === 'literal') return NOTHING;
  if (data.kind === 'template') return data.template.references();
  return [...templatesOf(data)].flatMap(({ template }) => template.references());
}

/** A condition as it is written. */
export const conditionText = (condition: Condition): string =>
  condition.kind === 'constant' ? String(condition.value) : condition.template.source;

const NOTHING: readonly Reference[] = [];

/** How much of a value is recorded: enough to understand a verdict, not to repeat the data. */
const MAX_TEXT = 120;
const MAX_ITEMS = 8;

/** What a condition read, by path, for `explain`. What was undefined is left out. */
export function recordReads(condition: Condition | undefined, parts: ScopeParts): JsonMap | undefined {
  const reads = readsOf(condition);
  if (reads.length === 0) return undefined;
  const scope = templateScope(parts);
  const recorded: Record<string, Json> = {};
  for (const { name, path } of reads) {
    const value = path.reduce<Json | undefined>(inside, scope.get(name) as Json | undefined);
    if (value !== undefined) recorded[pathText(name, path)] = abridged(value);
  }
  return recorded;
}

function inside(value: Json | undefined, key: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === 'number' ? value.at(key) : undefined;
  return Object.hasOwn(value, key) ? (value as JsonMap)[key] : undefined;
}

const pathText = (name: string, path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${key}`), name);

function abridged(value: Json, depth = 0): Json {
  if (typeof value === 'string') return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}…`;
  if (typeof value !== 'object' || value === null) return value;
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (size > MAX_ITEMS || depth > 1) return Array.isArray(value) ? `a list of ${size}` : `a mapping of ${size}`;
  if (Array.isArray(value)) return value.map((item) => abridged(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, abridged(item, depth + 1)]));
}
