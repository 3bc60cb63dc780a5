import type { Condition, Json, JsonMap, Templated } from '@noetl/playbook';
import { templatesOf } from '@noetl/playbook';
import type { Reference } from '@noetl/template';
import { abridged, shortened } from '../abridge.ts';
import { jsonSize } from '../json-size.ts';
import { escapeTags } from '../result-reference.ts';
import { type ScopeParts, templateScope } from './template-scope.ts';

/** The names a condition or data reads, by the syntax of its templates (TPL-7). */
export function readsOf(data: Condition | Templated | undefined): readonly Reference[] {
  if (data === undefined || data.kind === 'constant' || data.kind === 'literal') return NOTHING;
  if (data.kind === 'template') return data.template.references();
  return [...templatesOf(data)].flatMap(({ template }) => template.references());
}

/** A condition as it is written. */
export const conditionText = (condition: Condition): string =>
  shortened(condition.kind === 'constant' ? String(condition.value) : condition.template.source, MAX_CONDITION);

const MAX_CONDITION = 1_000;

const NOTHING: readonly Reference[] = [];

/** RES-1: the bytes that all explanations in one event may take. */
const MAX_EXPLAINED = 16 * 1024;

/** The verdicts, explained as far as there is room. */
export function explained<T extends { readonly when?: string; readonly reads?: JsonMap }>(
  verdicts: readonly T[],
): readonly T[] {
  let room = MAX_EXPLAINED;
  return verdicts.map((verdict) => {
    const { when, reads, ...bare } = verdict;
    if (when === undefined && reads === undefined) return verdict;
    room -= jsonSize([when ?? null, reads ?? null]);
    return room >= 0 ? verdict : (bare as T);
  });
}

/** What a condition read, by path, for `explain`. What was undefined is left out. */
export function recordReads(condition: Condition, parts: ScopeParts): JsonMap | undefined {
  const reads = readsOf(condition);
  if (reads.length === 0) return undefined;
  const scope = templateScope(parts);
  const recorded: Record<string, Json> = {};
  for (const { name, path } of reads) {
    const value = path.reduce<Json | undefined>(inside, scope.get(name) as Json | undefined);
    if (value !== undefined) recorded[pathText(name, path)] = abridged(value);
  }
  return escapeTags(recorded) as JsonMap;
}

function inside(value: Json | undefined, key: string | number): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return typeof key === 'number' ? value.at(key) : undefined;
  return Object.hasOwn(value, key) ? (value as JsonMap)[key] : undefined;
}

/** `outcome.http.status`, `iter.pages[0]` */
export const pathText = (name: string, path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${key}`), name);
