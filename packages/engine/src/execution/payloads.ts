import type { Json, JsonMap } from '@noetl/playbook';
import * as z from 'zod';

/**
 * What each event carries (EVT-2). docs/events.md explains every field to users; a test keeps the two equal. Where
 * values of users stand, `value-slots.ts` says: they may be replaced by a result reference when they are large.
 */

const json = z.custom<Json>((value) => value !== undefined);
const jsonMap = z.custom<JsonMap>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const count = z.number().int().min(0);
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const names = z.array(z.string()).readonly();
/** Numbers, and ranges of them: `3..17`. */
const tokens = z.array(z.union([count, z.string()])).readonly();
/** Work without its execution: `12`, `12:3`, `12:3.0`; what follows each other is a range, `12:0..99`. */
const works = z.array(z.string()).readonly();

const error = z.object({ kind: z.string(), retryable: z.boolean(), message: z.string(), details: json });
const outcome = z.object({
  status: z.enum(['ok', 'error']),
  result: json,
  error: error.exactOptional(),
  meta: z.object({
    attempt: count,
    duration_ms: z.number(),
    ts: z.string(),
    trace_id: z.string().exactOptional(),
  }),
  http: json.exactOptional(),
  pg: json.exactOptional(),
  py: json.exactOptional(),
});
const shared = z.object({
  key: z.string(),
  reduce: z.enum(['sum', 'min', 'max', 'count', 'append', 'union', 'merge']),
  value: json,
});

/** The iterations that an event schedules: `count` from the index `from`. */
const schedules = z.object({ from: count, count });
/** What a failure that ends more than itself takes along: work that had not begun or waits, and its children. */
const ends = { dropped: works.exactOptional(), cancels: names.exactOptional() };

const arc = z.object({
  step: z.string(),
  when: z.string().exactOptional(),
  verdict: z.enum(['matched', 'not_matched', 'not_evaluated', 'not_considered', 'error']),
  /** The names the condition read and what they were, for `explain`; long values are abridged. */
  reads: jsonMap.exactOptional(),
  error: error.exactOptional(),
  args: jsonMap.exactOptional(),
  /** The token it sent; absent where the branch ends. */
  token: count.exactOptional(),
});

export const PAYLOADS = {
  'playbook.execution.requested': z.object({
    path: z.string(),
    version: z.union([z.string(), z.number()]).nullable(),
    content_hash: z.string(),
    payload: json,
    depth: count,
    parent_execution_id: z.string().exactOptional(),
    trace_id: z.string().exactOptional(),
    /** The header that it was asked for with. */
    traceparent: z.string().exactOptional(),
    /** Whether spans of it are recorded; absent where nobody would take them. */
    traced: z.boolean().exactOptional(),
    /** The folder that the files of the playbook are relative to. */
    folder: z.string().exactOptional(),
    origin: z.object({ execution_id: z.string(), seq: count }).exactOptional(),
    edits: jsonMap.exactOptional(),
  }),
  'playbook.request.evaluated': z.object({ workload: json.exactOptional(), error: error.exactOptional() }),
  'workflow.started': z.object({ entry_step: z.string(), deadline: timestamp.exactOptional() }),
  'step.scheduled': z.object({
    step: z.string(),
    args: json,
    tokens,
    /** `pipeline`: one lease; `loop`: iterations; `none`: the step has no tool. */
    work: z.enum(['pipeline', 'loop', 'none']),
    first_task: z.string().exactOptional(),
    /** The admission rule that let it in; absent where none matched. */
    rule: count.exactOptional(),
    when: z.string().exactOptional(),
    reads: jsonMap.exactOptional(),
    deadline: timestamp.exactOptional(),
  }),
  'step.skipped': z.object({
    step: z.string(),
    tokens,
    reason: z.enum(['admission.denied', 'join.unmet']),
    rule: count.exactOptional(),
    when: z.string().exactOptional(),
    reads: jsonMap.exactOptional(),
  }),
  'step.started': z.object({ step: z.string(), worker: z.string().exactOptional() }),
  'task.started': z.object({ step: z.string(), kind: z.string(), input: json }),
  'task.done': z.object({
    step: z.string(),
    kind: z.string(),
    outcome: outcome.exactOptional(),
    directive: z.object({
      do: z.enum(['continue', 'retry', 'jump', 'break', 'fail', 'skip']),
      rule: z.union([count, z.enum(['default', 'unmatched'])]),
      /** The rule whose templates could not be evaluated. */
      asked: count.exactOptional(),
    }),
    set_iter: jsonMap.exactOptional(),
    set_ctx: jsonMap.exactOptional(),
    set_shared: z.array(shared).readonly().exactOptional(),
    next: z.union([
      z.object({ kind: z.literal('task'), label: z.string(), position: count }),
      z.object({ kind: z.literal('retry'), seconds: z.number() }),
      z.object({ kind: z.literal('done') }),
      z.object({ kind: z.literal('failed'), error }),
    ]),
  }),
  'task.waiting': z.object({
    step: z.string(),
    for: z.enum(['retry', 'delay', 'until', 'signal', 'approval', 'child']),
    until: timestamp.exactOptional(),
    /** Whether `until` is a deadline for what is waited for, and not what is waited for. */
    times_out: z.boolean().exactOptional(),
    name: z.string().exactOptional(),
    form: json.exactOptional(),
    child: z
      .object({
        execution_id: z.string(),
        path: z.string(),
        version: json.exactOptional(),
        payload: json,
        wait: z.boolean(),
      })
      .exactOptional(),
  }),
  'task.resumed': z.object({
    step: z.string(),
    by: z.enum(['timer', 'timeout', 'signal', 'child']),
    outcome: outcome.exactOptional(),
    signal: count.exactOptional(),
    /** The execution is paused: work goes on when it is resumed. */
    held: z.boolean().exactOptional(),
    cancels: names.exactOptional(),
  }),
  'step.done': z.object({ step: z.string(), result: json }),
  'step.failed': z.object({
    step: z.string(),
    error,
    /** Of a step that failed before it was scheduled. */
    tokens: tokens.exactOptional(),
    args: json.exactOptional(),
    /** The admission rule that could not be evaluated. */
    rule: count.exactOptional(),
    when: z.string().exactOptional(),
    reads: jsonMap.exactOptional(),
    /** A limit of the execution: no arc can take the failure. */
    fatal: z.boolean().exactOptional(),
    ...ends,
  }),
  'loop.started': z.object({
    step: z.string(),
    iterator: z.string(),
    in: json,
    total: count,
    mode: z.enum(['sequential', 'parallel']),
    max_in_flight: count,
    failure: z.enum(['fail_fast', 'best_effort']),
    /** The iterations run an inner loop. */
    nested: z.boolean(),
    first_task: z.string(),
    /** The first window. */
    schedules,
  }),
  'loop.iteration.started': z.object({ step: z.string(), index: count, worker: z.string().exactOptional() }),
  'loop.iteration.done': z.object({
    step: z.string(),
    index: count,
    result: json,
    schedules: schedules.exactOptional(),
  }),
  'loop.iteration.failed': z.object({
    step: z.string(),
    index: count,
    error,
    schedules: schedules.exactOptional(),
    ...ends,
  }),
  'loop.done': z.object({
    step: z.string(),
    result: json,
    stats: z.object({ total: count, ok: count, failed: count }),
  }),
  'next.evaluated': z.object({
    step: z.string(),
    boundary: z.object({ event_id: z.string(), name: z.enum(['step.done', 'step.failed', 'loop.done']) }),
    mode: z.enum(['exclusive', 'inclusive']),
    arcs: z.array(arc).readonly(),
    /** Why the execution ends: a failure that no arc took, or a condition that could not be evaluated. */
    error: error.exactOptional(),
    ...ends,
  }),
  'ctx.patched': z.object({ step: z.string(), patch: jsonMap }),
  'signal.received': z.object({
    name: z.string(),
    payload: json,
    by: z.string().nullable(),
    /** The number under which it was left for the execution. */
    input: count.exactOptional(),
  }),
  'playbook.paused': z.object({ reason: z.string().nullable(), by: z.string().nullable() }),
  'playbook.resumed': z.object({
    /** Not told by the first releases. */
    reason: z.string().nullable().exactOptional(),
    by: z.string().nullable(),
    /** Work that became ready while the execution was paused. */
    releases: works,
    /** The iterations that each loop schedules, by its work. */
    schedules: z.record(z.string(), schedules),
  }),
  'playbook.cancel.requested': z.object({ reason: z.string().nullable(), by: z.string().nullable(), cancels: names }),
  'execution.forked': z.object({ state: json }),
  'workflow.finished': z.object({
    status: z.enum(['success', 'error', 'cancelled']),
    error: error.exactOptional(),
    cancels: names.exactOptional(),
  }),
  'playbook.processed': z.object({
    status: z.enum(['success', 'error', 'cancelled']),
    result: json,
    error: error.nullable(),
    stats: z.object({
      step_runs: count,
      skipped: count,
      tasks: count,
      retries: count,
      iterations: count,
      failures: count,
      duration_ms: z.number(),
    }),
  }),
} as const;

type Payloads = typeof PAYLOADS;
export type EventName = keyof Payloads;
export type Payload<N extends EventName> = z.infer<Payloads[N]>;
export type Schedules = z.infer<typeof schedules>;
export type ArcVerdict = z.infer<typeof arc>;
