import {
  type Advance,
  type Assignment,
  advance,
  advanceWithoutBody,
  assignedFrame,
  boundedError,
  escapeTags,
  failure,
  INLINE_LIMIT,
  type Instant,
  isSurelySmall,
  isTooDeep,
  jsonSize,
  type KnownValues,
  keychainReads,
  missingValues,
  type Outcome,
  type OutcomeError,
  type PipelineFrame,
  type PipelineState,
  type Plan,
  type Prepared,
  prepareTask,
  type Tagged,
  taskRunId,
  timestampOf,
  tooDeepMessage,
  traceparentOf,
  unloadedParts,
  visitsOf,
  type WorkerEvent,
} from '@noetl/engine';
import { effectiveSpec, type Json, type JsonMap, type Layer, type Task } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import type { Keep } from '../ports/keep.ts';
import type { ResultSink, StoreProblem } from '../ports/result-store.ts';
import type { ToolAnswer, ToolCall } from '../tools/define-tool.ts';
import { chosenResults } from './chosen-results.ts';
import { jsonResult } from './json-result.ts';
import { createKeep, withKept } from './keep-values.ts';
import type { WorkSecrets } from './work-secrets.ts';

export interface WorkPorts {
  /** The name under which the worker is known. */
  readonly worker: string;
  readonly clock: Clock;
  readonly results: ResultSink;
  /** Calls the tool of the task's kind. */
  call(call: ToolCall, keep: Keep): Promise<ToolAnswer>;
  /** Appends events of the lease; false once the lease is lost and the work must stop. */
  report(events: readonly WorkerEvent[]): Promise<boolean>;
  load(tags: readonly Tagged[]): Promise<KnownValues>;
  /** The credentials of the execution. */
  readonly secrets: WorkSecrets;
  /** Aborted when the work must stop; looked at only where something would be waited for. */
  readonly lease: {
    readonly signal: AbortSignal;
    /** A process may have died of the work: before a tool is called, it must be known that it is. */
    readonly isSuspect?: boolean;
  };
}

/** ENG-10: waits over this many seconds release the lease. */
const LONGEST_HELD_WAIT = 5;
/** EVT-2: what takes longer is in the log before it ends. */
const REPORT_AFTER = 200;

/** Runs the pipeline of a lease to its end, or to a wait that releases the lease. */
export async function runWork(plan: Plan, assignment: Assignment, ports: WorkPorts): Promise<void> {
  const report = batched(ports);
  try {
    await runPipeline(plan, assignment, ports, report);
  } finally {
    report.close();
  }
}

async function runPipeline(plan: Plan, assignment: Assignment, ports: WorkPorts, report: Batch): Promise<void> {
  const run = await openRun(plan, assignment, ports);
  if (!assignment.started) {
    const name = assignment.work.path.length === 0 ? 'step.started' : 'loop.iteration.started';
    report.add({ name, timestamp: run.now(), payload: { worker: ports.worker } });
  }
  let state = assignment.pipeline;
  let resumed = assignment.resumed;
  while (state.ended === undefined) {
    const attempt = await runAttempt(run, state, resumed, report);
    if (attempt === 'stopped') return;
    if (attempt === 'waiting') {
      await report.flush();
      return;
    }
    state = attempt;
    resumed = undefined;
  }
  report.add({ name: 'finished', timestamp: run.now() });
  await report.flush();
}

interface WorkRun {
  readonly plan: Plan;
  readonly assignment: Assignment;
  readonly ports: WorkPorts;
  frame(state: PipelineState, outcome?: Outcome): Promise<PipelineFrame>;
  now(): string;
}

async function openRun(plan: Plan, assignment: Assignment, ports: WorkPorts): Promise<WorkRun> {
  const { clock } = ports;
  const now = () => timestampOf(clock.now());
  const { secrets } = ports;
  let lent = secrets.keychain;
  let keychain = escapeTags(lent) as JsonMap;
  const run = { now, clock: () => clock.now() };
  const framed = (known: KnownValues): PipelineFrame => assignedFrame(plan, assignment, known, run, keychain);
  // It is the same for all tasks, but for what they read from elsewhere, and for credentials that were renewed.
  let frame = framed(await ports.load(unloadedParts(assignment, new Map())));
  return {
    plan,
    assignment,
    ports,
    now,
    async frame(state, outcome) {
      if (secrets.keychain !== lent) {
        lent = secrets.keychain;
        keychain = escapeTags(lent) as JsonMap;
        frame = framed(frame.known);
      }
      const missing = missingValues(frame, state, outcome);
      if (missing.length > 0) frame = framed(new Map([...frame.known, ...(await ports.load(missing))]));
      return frame;
    },
  };
}

type AttemptEnd = PipelineState | 'waiting' | 'stopped';

async function runAttempt(
  run: WorkRun,
  state: PipelineState,
  resumed: Outcome | undefined,
  report: Batch,
): Promise<AttemptEnd> {
  await run.ports.secrets.renewal?.();
  const frame = await run.frame(state);
  const { label } = state;
  const task = { label, visit: visitsOf(state, label), attempt: state.attempt };
  if (resumed !== undefined) return passOn(run, state, task, await run.frame(state, resumed), resumed, report);
  const skipped = advanceWithoutBody(frame, state);
  if (skipped !== undefined) return record(run, task, kindOf(frame, state), skipped, report);
  const resolved = withResolved(prepareTask(frame, state, prepareOptions(run, frame, state)), run.ports.secrets);
  const chosen = chosenResults(run.ports.results, specOf(run, resolved.task));
  const prepared = withPlace(resolved, chosen);
  const results = 'problem' in chosen ? run.ports.results : chosen;
  const begun = run.ports.clock.now();
  const input = escapeTags(run.ports.secrets.redact(prepared.kind === 'problem' ? {} : prepared.input));
  report.add({
    name: 'task.started',
    timestamp: timestampOf(begun),
    task,
    payload: { kind: prepared.task.kind, input },
  });
  if (prepared.kind === 'wait') {
    report.add({ name: 'task.waiting', timestamp: run.now(), task, payload: prepared.wait });
    return 'waiting';
  }
  if (run.ports.lease.isSuspect && !(await report.flush())) return 'stopped';
  const answer =
    prepared.kind === 'problem'
      ? problem(prepared.error)
      : await report.during(() => call(run, prepared, task, results));
  if (answer === 'stopped') return 'stopped';
  const outcome = await storedOutcome(run, answer, task.attempt, begun, results);
  return passOn(run, state, task, await run.frame(state, outcome), outcome, report);
}

type AttemptId = { readonly label: string; readonly visit: number; readonly attempt: number };

function passOn(
  run: WorkRun,
  state: PipelineState,
  task: AttemptId,
  frame: PipelineFrame,
  outcome: Outcome,
  report: Batch,
): Promise<AttemptEnd> {
  return record(run, task, kindOf(frame, state), advance(frame, state, outcome), report);
}

/** The checkpoint goes into the log; then the pipeline goes on, waits here, or gives its lease back to wait. */
async function record(
  run: WorkRun,
  task: AttemptId,
  kind: string,
  { checkpoint, state }: Advance,
  report: Batch,
): Promise<AttemptEnd> {
  report.add({ name: 'task.done', timestamp: run.now(), task, payload: { kind, ...checkpoint } });
  if (checkpoint.next.kind !== 'retry') return state;
  const { clock } = run.ports;
  const due = clock.now() + checkpoint.next.seconds * 1000;
  if (checkpoint.next.seconds > LONGEST_HELD_WAIT) {
    const next = { ...task, attempt: task.attempt + 1 };
    report.add({
      name: 'task.waiting',
      timestamp: run.now(),
      task: next,
      payload: { for: 'retry', until: timestampOf(due) },
    });
    return 'waiting';
  }
  return (await report.during(() => pause(due, run.ports))) === 'due' ? state : 'stopped';
}

/** Waits with the lease, as long as it is held. */
function pause(due: Instant, { clock, lease: { signal } }: WorkPorts): Promise<'due' | 'stopped'> {
  return new Promise((resolve) => {
    const end = (how: 'due' | 'stopped') => {
      cancel();
      signal.removeEventListener('abort', onAbort);
      resolve(how);
    };
    const onAbort = () => end('stopped');
    const cancel = clock.at(due, () => end('due'));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

const kindOf = ({ tasks }: PipelineFrame, { position }: PipelineState): string => tasks[position]?.kind ?? '';

function prepareOptions(run: WorkRun, frame: PipelineFrame, state: PipelineState) {
  const { assignment, ports } = run;
  const task = frame.tasks[state.position];
  const timeout = task === undefined ? undefined : specOf(run, task).timeout;
  return {
    execution: assignment.request.execution_id,
    work: assignment.work,
    at: ports.clock.now(),
    timeout: typeof timeout === 'number' ? timeout : undefined,
  };
}

const specOf = ({ plan, assignment }: WorkRun, task: Task): Layer => {
  const step = plan.steps.get(assignment.step);
  return step === undefined ? {} : effectiveSpec(plan.playbook, step, task);
};

/** Nothing is done whose result would have no place. */
function withPlace(prepared: Prepared, results: ResultSink | StoreProblem): Prepared {
  if (prepared.kind !== 'call' || !('problem' in results)) return prepared;
  return { kind: 'problem', task: prepared.task, error: failure('result.store', results.problem) };
}

/** SEC-1: a task that reads a credential which cannot be had fails by that, whatever its templates made of it. */
function withResolved(prepared: Prepared, { unresolved }: WorkSecrets): Prepared {
  if (unresolved === undefined) return prepared;
  const { task } = prepared;
  const auth = prepared.kind === 'problem' ? task.auth : prepared.input.auth;
  for (const name of [...keychainReads(task), ...namesIn(auth)]) {
    const error = unresolved(name);
    if (error !== undefined) return { kind: 'problem', task, error };
  }
  return prepared;
}

/** The entry that `auth` names, rendered or as it is written. */
function namesIn(auth: Json | Task['auth'] | undefined): readonly string[] {
  if (typeof auth === 'string') return [auth];
  const isLiteral = typeof auth === 'object' && auth !== null && 'kind' in auth && auth.kind === 'literal';
  return isLiteral && 'value' in auth && typeof auth.value === 'string' ? [auth.value] : [];
}

const problem = (error: OutcomeError): ToolAnswer => ({ status: 'error', result: null, error });

function call(
  run: WorkRun,
  { task, input, scope, evaluation }: Extract<Prepared, { kind: 'call' }>,
  id: AttemptId,
  results: ResultSink,
): Promise<ToolAnswer> {
  const { assignment, ports } = run;
  const traceparent = traceparentOf(assignment.request, assignment.work, id);
  const toolCall: ToolCall = {
    task,
    input,
    scope,
    evaluation,
    spec: specOf(run, task),
    step: assignment.step,
    path: assignment.work.path,
    visit: id.visit,
    attempt: id.attempt,
    key: taskRunId(assignment.request.execution_id, assignment.work, id.label, id.visit),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return ports.call(toolCall, createKeep(results, ports.secrets));
}

/** TPL-8, RES-1: what a tool gave is made JSON, escaped, and stored if it is large, before policy, `_prev` or log see it. */
async function storedOutcome(
  run: WorkRun,
  given: ToolAnswer,
  attempt: number,
  begun: Instant,
  results: ResultSink,
): Promise<Outcome> {
  const { clock, secrets } = run.ports;
  const shallow: ToolAnswer = isTooDeep(given)
    ? problem(failure('limit.depth', tooDeepMessage('what the tool gave')))
    : given;
  // What was kept has lost its secrets on its way; digits of a checksum are none.
  const { kept = [], ...open } = shallow;
  const answer = secrets.redact(open as unknown as Json) as unknown as ToolAnswer;
  const ended = clock.now();
  const { trace_id } = run.assignment.request;
  const trace = trace_id === undefined ? {} : { trace_id };
  const meta = { attempt, duration_ms: ended - begun, ts: timestampOf(ended), ...trace };
  const json = jsonResult(answer.result);
  const told = { ...answer, ...('error' in json ? problem(json.error) : { result: json.value }) };
  const { result: bare, error, ...rest } = escapeTags(told as unknown as Json) as unknown as ToolAnswer;
  const result = kept.reduce((whole, { path, reference }) => withKept(whole, path, reference), bare);
  return {
    ...rest,
    result: isInline(result) ? result : await results.put(result),
    ...(error === undefined ? {} : { error: boundedError(error) }),
    meta,
  };
}

const isInline = (result: Json): boolean => isSurelySmall(result, INLINE_LIMIT) || jsonSize(result) <= INLINE_LIMIT;

interface Batch {
  add(event: WorkerEvent): void;
  /** False once the lease is lost. */
  flush(): Promise<boolean>;
  /** Waits for the body; `stopped` once the lease is lost. */
  during<T>(body: () => Promise<T>): Promise<T | 'stopped'>;
  /** Nothing is added or flushed any more. */
  close(): void;
}

/** Reports are collected, so that a short pipeline is one append, but none is older or longer than this. */
const LONGEST_BATCH = 100;

function batched({ clock, report }: WorkPorts): Batch {
  let events: WorkerEvent[] = [];
  let under = Promise.resolve(true);
  let cancel: (() => void) | undefined;

  function flush(): Promise<boolean> {
    cancel?.();
    cancel = undefined;
    if (events.length === 0) return under;
    const batch = events;
    events = [];
    under = under.then((alive) => alive && report(batch));
    // Who flushes by the clock waits for nothing; the next who waits gets the failure.
    under.catch(() => undefined);
    return under;
  }

  return {
    add(event) {
      events.push(event);
      cancel ??= clock.at(clock.now() + REPORT_AFTER, () => void flush().catch(() => undefined));
    },
    flush,
    async during(body) {
      if (events.length >= LONGEST_BATCH && !(await flush())) return 'stopped';
      const value = await body();
      return (await under) ? value : 'stopped';
    },
    close() {
      cancel?.();
    },
  };
}
