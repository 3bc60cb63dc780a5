import {
  type ControlInput,
  failure,
  type Instant,
  type Outcome,
  type Payload,
  type Plan,
  timestampOf,
} from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** Finds the playbook that a task calls; undefined if there is none. */
export type ChildPlans = (path: string, version: Json | undefined, caller: Plan) => Promise<ChildPlan | undefined>;

export interface ChildPlan {
  readonly plan: Plan;
  readonly path: string;
  readonly version: string | number | null;
  readonly contentHash: string;
}

/** What a task gets from a child execution that is over. */
export function childOutcome({ status, result, error }: Payload<'playbook.processed'>, at: Instant): Outcome {
  const meta = { attempt: 1, duration_ms: 0, ts: timestampOf(at) };
  if (status === 'success') return { status: 'ok', result, meta };
  return { status: 'error', result, error: error ?? failure('child.failed', 'the child execution failed.'), meta };
}

/** What a task gets that does not wait for its child: it is started, durably. */
export const startedOutcome = (execution_id: string, at: Instant): Outcome => ({
  status: 'ok',
  result: { execution_id },
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(at) },
});

/** The args of the call cannot be read. */
export const uncallableChild = (problem: string, at: Instant): Outcome => ({
  status: 'error',
  result: null,
  error: failure('template', problem),
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(at) },
});

export const unknownChild = (path: string, at: Instant): Outcome => ({
  status: 'error',
  result: null,
  error: failure('child.unknown', `there is no playbook '${path}' to call.`),
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(at) },
});

/** ENG-14: what a child is told that nobody waits for any more. */
export const ORPHANED: ControlInput = { kind: 'cancel', reason: 'the execution that called it is over', by: null };
