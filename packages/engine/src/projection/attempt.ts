import type { ExecutionEvent } from '../execution/event.ts';
import type { Payload } from '../execution/payloads.ts';
import { instantOf } from '../instant.ts';
import { emptyIntMap, getInt, type IntMap, intEntries, removeInt, setInt } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import type { WorkStatus } from './work-change.ts';

/** One try of a task. */
export interface Attempt {
  readonly label: string;
  readonly visit: number;
  readonly attempt: number;
  readonly kind: string | undefined;
  /** `skipped`: a rule kept its body from running, or treated it as if it had not. */
  readonly status: WorkStatus | 'skipped';
  readonly started_at: string | undefined;
  readonly ended_at: string | undefined;
  /** What its tool took, without the time it waited. */
  readonly duration_ms: number | undefined;
  readonly directive: Payload<'task.done'>['directive'] | undefined;
  readonly error: OutcomeError | undefined;
  /** At most two: for its turn after a retry, and for what its task waits for. */
  readonly waits: readonly AttemptWait[];
}

export interface AttemptWait {
  readonly for: Payload<'task.waiting'>['for'];
  readonly since: string;
  /** When it is over at the latest. */
  readonly until: string | undefined;
  /** Of a signal or an approval. */
  readonly name: string | undefined;
  /** The id of the child execution. */
  readonly child: string | undefined;
  readonly ended_at: string | undefined;
  readonly ended_by: Payload<'task.resumed'>['by'] | undefined;
}

/** The newest attempts of a pipeline, by their count from 1. */
export interface Attempts {
  readonly count: number;
  readonly kept: IntMap<Attempt>;
}

export const noAttempts: Attempts = { count: 0, kept: emptyIntMap };

export const attemptsIn = ({ kept }: Attempts): readonly Attempt[] => [...intEntries(kept)].map(([, kept]) => kept);

/** Takes in what an event says about an attempt, and forgets the oldest beyond the limit. */
export function withAttempt(attempts: Attempts, event: ExecutionEvent, limit: number): Attempts {
  const { task_label: label, visit = 1, attempt = 1 } = event;
  if (label === undefined) return attempts;
  const newest = getInt(attempts.kept, attempts.count);
  const known = newest?.label === label && newest.visit === visit && newest.attempt === attempt;
  const changed = after(known ? newest : newAttempt(label, visit, attempt), event);
  if (changed === undefined) return attempts;
  const count = known ? attempts.count : attempts.count + 1;
  const kept = setInt(attempts.kept, count, changed);
  return { count, kept: known || count <= limit ? kept : removeInt(kept, count - limit) };
}

const newAttempt = (label: string, visit: number, attempt: number): Attempt => ({
  label,
  visit,
  attempt,
  kind: undefined,
  status: 'ready',
  started_at: undefined,
  ended_at: undefined,
  duration_ms: undefined,
  directive: undefined,
  error: undefined,
  waits: [],
});

function after(before: Attempt, event: ExecutionEvent): Attempt | undefined {
  const { timestamp } = event;
  switch (event.name) {
    case 'task.started':
      return { ...before, kind: event.payload.kind, status: 'running', started_at: timestamp };
    case 'task.waiting': {
      const { for: reason, until, name, child } = event.payload;
      const wait = { for: reason, since: timestamp, until, name, child: child?.execution_id };
      const waits = [...before.waits, { ...wait, ended_at: undefined, ended_by: undefined }];
      return { ...before, status: 'waiting', waits };
    }
    case 'task.resumed': {
      const status = event.payload.held === true ? 'held' : 'ready';
      return { ...before, status, waits: waitsEnded(before, timestamp, event.payload.by) };
    }
    case 'task.done':
      return done(before, event.payload, timestamp);
    default:
      return undefined;
  }
}

function done(before: Attempt, { kind, outcome, directive }: Payload<'task.done'>, timestamp: string): Attempt {
  const skipped = outcome === undefined || directive.do === 'skip';
  const { started_at = timestamp } = before;
  return {
    ...before,
    kind,
    status: skipped ? 'skipped' : outcome.status === 'ok' ? 'done' : 'failed',
    started_at,
    ended_at: timestamp,
    duration_ms: outcome?.meta.duration_ms ?? instantOf(timestamp) - instantOf(started_at),
    directive,
    error: outcome?.error,
  };
}

const waitsEnded = ({ waits }: Attempt, at: string, by: AttemptWait['ended_by']): readonly AttemptWait[] =>
  waits.map((wait) => (wait.ended_at === undefined ? { ...wait, ended_at: at, ended_by: by } : wait));

/** The pipeline ended before the newest attempt did. */
export function withoutOpenAttempt(attempts: Attempts, at: string): Attempts {
  const newest = getInt(attempts.kept, attempts.count);
  if (newest === undefined || newest.ended_at !== undefined) return attempts;
  const waits = waitsEnded(newest, at, undefined);
  return {
    ...attempts,
    kept: setInt(attempts.kept, attempts.count, { ...newest, status: 'dropped', ended_at: at, waits }),
  };
}
