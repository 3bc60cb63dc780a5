import type { Json, JsonMap, Task, Templated } from '@noetl/playbook';
import type { RunOptions, Scope } from '@noetl/template';
import { quoted, shortName } from '../abridge.ts';
import { childId, type Work } from '../execution/ids.ts';
import type { Payload } from '../execution/payloads.ts';
import { type Instant, parseTimestamp, timestampOf } from '../instant.ts';
import { isMap } from '../is-map.ts';
import { failure, type OutcomeError } from '../outcome.ts';
import { escapeTags, unescapeTags } from '../result-reference.ts';
import { attempt, bounded } from '../scope/attempt.ts';
import { render } from '../scope/render.ts';
import { currentTask, type PipelineFrame, taskScope, unfitArgs } from './frame.ts';
import { type PipelineState, visitsOf } from './pipeline-state.ts';

/** What the worker does for one attempt of the task in front of the pipeline. */
export type Prepared =
  /** Call the tool. Fields that a tool binds itself, such as SQL, are in the task, with the scope to bind them from. */
  | {
      readonly kind: 'call';
      readonly task: Task;
      readonly input: JsonMap;
      readonly scope: Scope;
      /** What those templates may ask beside the scope: the time. */
      readonly evaluation: RunOptions;
    }
  /** Wait without a slot, for a time, a signal or a child execution. */
  | { readonly kind: 'wait'; readonly task: Task; readonly input: JsonMap; readonly wait: TaskWait }
  /** The templates of the task could not be evaluated: that is its outcome. */
  | { readonly kind: 'problem'; readonly task: Task; readonly error: OutcomeError };

export type TaskWait = Omit<Payload<'task.waiting'>, 'step'>;

export interface PrepareOptions {
  readonly execution: string;
  readonly work: Work;
  readonly at: Instant;
  /** Seconds that the wait may take, from the spec of the task. */
  readonly timeout: number | undefined;
}

export function prepareTask(frame: PipelineFrame, state: PipelineState, options: PrepareOptions): Prepared {
  const current = currentTask(frame, state);
  const { task, callArgs, problem } = current;
  if (problem !== undefined) return { kind: 'problem', task, error: problem };
  const rendered = attempt(() => {
    const scope = taskScope(frame, state, current);
    return { scope, input: bounded(renderInput(task, callArgs, scope, frame)) };
  });
  if ('error' in rendered) return { kind: 'problem', task, error: rendered.error };
  const { input, scope } = rendered.value;
  const { args = {} } = input;
  if (!isMap(args)) return { kind: 'problem', task, error: unfitArgs(task, args) };
  if (task.kind !== 'wait' && task.kind !== 'playbook')
    return { kind: 'call', task, input, scope, evaluation: frame.run };
  const wait = task.kind === 'wait' ? waitOf(task, input, options) : childWait(state, task, input, options);
  return 'error' in wait
    ? { kind: 'problem', task, error: wait.error }
    : { kind: 'wait', task, input, wait: escapeTags(wait.value as unknown as Json) as unknown as TaskWait };
}

/** Fields a tool reads as they are written: code, and SQL, whose templates become parameters (TOOL-3). */
const BOUND: ReadonlySet<string> = new Set(['command', 'query', 'commands']);
const SQL_KINDS: ReadonlySet<string> = new Set(['postgres', 'duckdb', 'snowflake']);

/** Whether the tool evaluates the templates of the field itself. */
export const isBoundField = (kind: string, field: string): boolean => SQL_KINDS.has(kind) && BOUND.has(field);

function renderInput(task: Task, callArgs: JsonMap, scope: Scope, { run }: PipelineFrame): JsonMap {
  const value = (data: Templated): Json => render(data, scope, run);
  const fields = Object.entries(task.fields).filter(([field]) => !isBoundField(task.kind, field));
  const own = task.args === undefined ? {} : value(task.args);
  const args = isMap(own) ? { ...(unescapeTags(callArgs) as JsonMap), ...own } : own;
  return {
    ...Object.fromEntries(fields.map(([field, data]) => [field, value(data)])),
    ...(isMap(args) && Object.keys(args).length === 0 ? {} : { args }),
    ...(task.auth === undefined ? {} : { auth: value(task.auth) }),
  };
}

type Waiting = { readonly value: TaskWait } | { readonly error: OutcomeError };

function waitOf({ label }: Task, input: JsonMap, { at, timeout }: PrepareOptions): Waiting {
  const { for: what, seconds, until, name, form } = input;
  if (what === 'delay') {
    if (typeof seconds !== 'number' || !(seconds >= 0)) return unfit(label, 'seconds', seconds ?? null, 'a number');
    return { value: { for: 'delay', until: timestampOf(at + seconds * 1000) } };
  }
  if (what === 'until') {
    const instant = typeof until === 'string' ? parseTimestamp(until) : undefined;
    if (instant === undefined) return unfit(label, 'until', until ?? null, 'a timestamp such as 2030-01-31T12:00:00Z');
    return { value: { for: 'until', until: timestampOf(instant) } };
  }
  if (what !== 'signal' && what !== 'approval')
    return unfit(label, 'for', what ?? null, 'signal, approval, delay or until');
  return {
    value: {
      for: what,
      name: shortName(typeof name === 'string' ? name : label),
      ...(form === undefined ? {} : { form }),
      ...deadline(at, timeout),
    },
  };
}

function childWait(state: PipelineState, task: Task, input: JsonMap, options: PrepareOptions): Waiting {
  const { path, version, wait = true, args = {} } = input;
  if (typeof path !== 'string' || path !== shortName(path)) return unfit(task.label, 'path', path ?? null, 'text');
  const { execution, work, at, timeout } = options;
  const visit = visitsOf(state, task.label);
  const child = {
    execution_id: childId(execution, work, state.position, visit, state.attempt),
    path,
    ...(version === undefined ? {} : { version }),
    payload: args,
    wait: wait !== false,
  };
  return { value: { for: 'child', child, ...deadline(at, timeout) } };
}

const deadline = (at: Instant, timeout: number | undefined) =>
  timeout === undefined ? {} : { until: timestampOf(at + timeout * 1000), times_out: true };

const unfit = (label: string, field: string, found: Json, expected: string): Waiting => ({
  error: failure('task.field', `'${field}' of the task '${label}' is ${quoted(found)}, expected ${expected}.`),
});
