import {
  type ControlInput,
  type ExecutionState,
  failure,
  type Instant,
  isTagged,
  type Outcome,
  type OutcomeError,
  type Payload,
  type Plan,
  type RequestInput,
  timestampOf,
  traceparentForChild,
  type Work,
} from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';

/** Where the playbooks of child executions come from. */
export interface ChildPlans {
  /** The playbook that a task calls now. */
  find(path: string, version: Json | undefined, caller: Plan): Promise<CalledPlan>;
  /** The playbook that an execution of the log was started with; undefined if it is not kept. */
  of(execution: string): Promise<Plan | undefined>;
}

export type CalledPlan =
  | { readonly kind: 'found'; readonly found: ChildPlan }
  | { readonly kind: 'none'; readonly error: OutcomeError };

export interface ChildPlan {
  readonly plan: Plan;
  readonly path: string;
  readonly version: string | number | null;
  readonly contentHash: string;
  /** The folder that its files are relative to, if it has any. */
  readonly folder?: string;
}

/** What is asked of a child: it is one deeper than its parent, and belongs to the same trace, below the task that calls it. */
export function childRequest(
  parent: ExecutionState,
  work: Work,
  execution_id: string,
  { path, version, contentHash, folder }: ChildPlan,
  payload: JsonMap,
): Omit<RequestInput, 'kind'> {
  const { execution_id: parent_execution_id, depth, trace_id, traced } = parent.request;
  const traceparent = traceparentForChild(parent, work);
  return {
    execution_id,
    path,
    version,
    content_hash: contentHash,
    payload,
    depth: depth + 1,
    parent_execution_id,
    ...(trace_id === undefined ? {} : { trace_id }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(traced === undefined ? {} : { traced }),
    ...(folder === undefined ? {} : { folder }),
  };
}

/** What a task gets from a child execution that is over. The error of a failed one says which execution it is from. */
export function childOutcome(
  { execution_id, path }: { readonly execution_id: string; readonly path: string },
  { status, result, error }: Payload<'playbook.processed'>,
  at: Instant,
): Outcome {
  const meta = { attempt: 1, duration_ms: 0, ts: timestampOf(at) };
  if (status === 'success') return { status: 'ok', result, meta };
  const cause = error ?? failure('child.failed', 'the child execution failed.');
  return {
    status: 'error',
    result,
    error: { ...cause, details: inChild(cause.details, { execution_id, path }) },
    meta,
  };
}

/** An error that has come up through several executions names each of them, the outermost first. */
function inChild(details: Json, child: { readonly execution_id: string; readonly path: string }): Json {
  // What is stored elsewhere stays one reference.
  const own = isMap(details) && !isTagged(details) ? details : details === null ? {} : { details };
  const inner = own.child;
  return { ...own, child: inner === undefined ? child : { ...child, child: inner } };
}

const isMap = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a task gets that does not wait for its child: it is started, durably. */
export const startedOutcome = (execution_id: string, at: Instant): Outcome => ({
  status: 'ok',
  result: { execution_id },
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(at) },
});

/** The child could not be started. */
export const uncallableChild = (error: OutcomeError, at: Instant): Outcome => ({
  status: 'error',
  result: null,
  error,
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(at) },
});

/** ENG-14: what a child is told that nobody waits for any more. */
export const ORPHANED: ControlInput = { kind: 'cancel', reason: 'the execution that called it is over', by: null };
