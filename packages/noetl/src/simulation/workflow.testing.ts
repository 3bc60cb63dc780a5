/**
 * A workflow as a row of segments, each of which leads to the next. Whatever the order in which work happens to end, such
 * a workflow has one result: what tasks give follows from where they stand, writes of branches have keys of their own,
 * and the last step gathers everything.
 */
export interface Workflow {
  readonly segments: readonly Segment[];
}

export type Segment =
  /** A step with a pipeline. */
  | { readonly kind: 'work'; readonly tasks: readonly Task[]; readonly rescued: boolean }
  | LoopSegment
  /** Several steps beside each other, which a join brings together. */
  | { readonly kind: 'fork'; readonly branches: readonly (readonly Task[])[]; readonly join: 'all' | 'count' }
  /** One of two steps. */
  | { readonly kind: 'choice'; readonly second: boolean; readonly tasks: readonly Task[] }
  /** A step that sends tokens to itself. */
  | { readonly kind: 'cycle'; readonly times: number; readonly tasks: readonly Task[] }
  | { readonly kind: 'call'; readonly waits: boolean; readonly rescued: boolean }
  | { readonly kind: 'wait'; readonly for: 'signal' | 'approval' | 'delay'; readonly signal: string }
  /** A step without a tool. */
  | { readonly kind: 'pass' }
  /** A step that takes longer than its step_timeout. */
  | { readonly kind: 'overdue' };

export interface LoopSegment {
  readonly kind: 'loop';
  readonly mode: 'sequential' | 'parallel';
  readonly window: number;
  readonly items: number;
  /** The items of an inner loop; 0 if there is none. */
  readonly inner: number;
  readonly failure: 'fail_fast' | 'best_effort';
  readonly body: 'tasks' | 'child' | 'signal' | 'delay';
  /** The name of the signal that iterations wait for, if they do. */
  readonly signal: string;
  readonly tasks: readonly Task[];
  /** The index of the iteration that fails; -1 for none. */
  readonly failing: number;
  /** What iterations write: contributions, the same value, or values that are in conflict. */
  readonly writes: 'nothing' | 'shares' | 'the same' | 'conflicts';
  readonly rescued: boolean;
}

export interface Task {
  /** Virtual milliseconds that the tool takes. */
  readonly takes: number;
  /** How many attempts of a visit fail. */
  readonly fails: number;
  /** How many attempts there are, and how long is waited between them: long enough to give the lease back, or not. */
  readonly tries: number;
  readonly pause: 'short' | 'long';
  /** How often the task jumps back to itself, plus one. */
  readonly pages: number;
  /** Bytes of its result; 0 for a short one. */
  readonly bytes: number;
  /** Whether it is lent a secret, which its tool then tells. */
  readonly secret: boolean;
  readonly writes: boolean;
  /** What its rule makes of the last ok outcome. */
  readonly ends: 'continue' | 'break' | 'skip';
}

/** Signals that must come for the workflow to end, by name, as often as they are waited for. */
export function signalsOf({ segments }: Workflow): readonly string[] {
  return segments.flatMap((segment) => {
    if (segment.kind === 'wait' && segment.for !== 'delay') return [segment.signal];
    if (segment.kind !== 'loop' || segment.body !== 'signal') return [];
    return Array.from({ length: segment.items * Math.max(1, segment.inner) }, () => segment.signal);
  });
}

export const hasCalls = ({ segments }: Workflow): boolean =>
  segments.some(({ kind, ...segment }) => kind === 'call' || ('body' in segment && segment.body === 'child'));

const tasksOf = (segment: Segment): readonly Task[] => {
  if (segment.kind === 'fork') return segment.branches.flat();
  return 'tasks' in segment ? segment.tasks : [];
};

export const readsSecrets = ({ segments }: Workflow): boolean =>
  segments.some((segment) => tasksOf(segment).some(({ secret }) => secret));
