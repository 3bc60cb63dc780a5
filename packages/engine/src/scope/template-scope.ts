import type { Json, JsonMap } from '@noetl/playbook';
import { Scope } from '@noetl/template';
import { isMap } from '../is-map.ts';
import type { Outcome, OutcomeError } from '../outcome.ts';

/** TOOL-1: an outcome as templates see it. One that is ok has an error too, which is null; events do without. */
type VisibleOutcome = Omit<Outcome, 'error'> & { readonly error: OutcomeError | null };

export const visibleOutcome = (outcome: Outcome): VisibleOutcome => ({ error: null, ...outcome });

/** TPL-5: what a template may read. A part that is absent here does not exist at that place. */
export interface ScopeParts {
  readonly workload: JsonMap;
  readonly ctx: JsonMap;
  readonly args: JsonMap;
  readonly execution_id: string;
  readonly job: JsonMap;
  /** The newest result of each step that completed, by name. */
  readonly results: JsonMap;
  readonly keychain?: JsonMap | undefined;
  readonly iter?: JsonMap | undefined;
  /** The names of the iterators around, innermost first: they may be read without `iter`. */
  readonly iterators?: readonly string[] | undefined;
  readonly _prev?: Json;
  readonly _task?: string;
  readonly _attempt?: number;
  readonly outcome?: VisibleOutcome | undefined;
  readonly event?: JsonMap;
}

const NAMES = [
  'workload',
  'ctx',
  'args',
  'execution_id',
  'job',
  'results',
  'keychain',
  'iter',
  '_prev',
  '_task',
  '_attempt',
  'outcome',
  'event',
] as const;

const isName = (name: string): name is (typeof NAMES)[number] => (NAMES as readonly string[]).includes(name);

/** The parts as a scope of templates: nothing is copied, a bare name is looked for only when it is read. */
export function templateScope(parts: ScopeParts): Scope {
  return new Scope(
    (name) => (isName(name) ? parts[name] : bareName(parts, name)),
    () => [...NAMES.filter((name) => parts[name] !== undefined), ...bareNames(parts)],
  );
}

/** TPL-5: a bare name is looked for as iterator, in args, in ctx, among step results, in workload. */
function bareName(parts: ScopeParts, name: string): Json | undefined {
  const holder = holderOf(parts, name);
  if (holder === undefined) return undefined;
  return holder === 'iter' ? iterated(parts.iter, name) : (parts[holder] as JsonMap)[name];
}

/** The part that a template reads when it reads the name. */
export function holderOf(parts: ScopeParts, name: string): (typeof NAMES)[number] | undefined {
  if (isName(name)) return name;
  if (parts.iterators?.includes(name)) return 'iter';
  return BARE.find((part) => Object.hasOwn(parts[part], name));
}

const BARE = ['args', 'ctx', 'results', 'workload'] as const;

/** An outer iterator is reached through `iter.parent`. */
function iterated(iter: Json | undefined, name: string): Json | undefined {
  for (let level = iter; isMap(level); level = level.parent) if (Object.hasOwn(level, name)) return level[name];
  return undefined;
}

function* bareNames({ iterators, args, ctx, results, workload }: ScopeParts): Generator<string> {
  yield* iterators ?? [];
  for (const scope of [args, ctx, results, workload]) yield* Object.keys(scope);
}
