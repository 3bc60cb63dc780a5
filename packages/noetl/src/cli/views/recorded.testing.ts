import {
  advance,
  advanceWithoutBody,
  assignedFrame,
  assignmentOf,
  type Cause,
  currentTask,
  decide,
  type Effect,
  type ExecutionEvent,
  type ExecutionState,
  effectsOf,
  failure,
  initialState,
  type OutcomeError,
  planOf,
  prepareTask,
  type Timer,
  timestampOf,
  type WorkerEvent,
  workKey,
  workOfKey,
} from '@noetl/engine';
import { type Json, type JsonMap, type Playbook, readPlaybook } from '@noetl/playbook';

/** What a task comes to: its result or error, and the milliseconds it takes. */
interface Answer {
  readonly result?: Json;
  readonly error?: Partial<OutcomeError>;
  readonly ms?: number;
}

export interface Recording {
  readonly playbook: Playbook;
  readonly text: string;
  readonly events: readonly ExecutionEvent[];
}

export interface Script {
  /** By `step.label`; without one a task is ok at once. */
  readonly tools?: Readonly<Record<string, (call: Call) => Answer>>;
  readonly payload?: JsonMap;
  /** What comes from outside, once nothing goes on and no timer is set. */
  readonly inputs?: readonly Cause[];
  /** Ends in the middle. */
  readonly until?: (event: ExecutionEvent) => boolean;
}

interface Call {
  readonly input: JsonMap;
  readonly path: readonly number[];
  readonly attempt: number;
}

export const START = Date.UTC(2026, 0, 1);
const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: demo, path: demo/weather }\n';

/** The log of a run with scripted tools: the real core, one worker, and a clock that only tools and timers move. */
export function record(workflow: string, { tools = {}, payload = {}, inputs = [], until }: Script = {}): Recording {
  const text = `${HEAD}${workflow}`;
  const { playbook, diagnostics } = readPlaybook(text, { file: 'demo.yaml' });
  if (playbook === undefined) throw new Error(JSON.stringify(diagnostics, undefined, 2));
  const plan = planOf(playbook);
  const events: ExecutionEvent[] = [];
  const ready = new Set<string>();
  const timers = new Map<string, { readonly at: number; readonly timer: Timer }>();
  let state: ExecutionState = initialState;
  let now = START;

  function submit(cause: Cause): void {
    const decision = decide(plan, state, { leased: new Set(), ...cause, at: now });
    if (decision.kind !== 'events') throw new Error(JSON.stringify(decision));
    state = decision.state;
    for (const event of decision.events) {
      events.push(JSON.parse(JSON.stringify(event)));
      for (const effect of effectsOf(state, event)) apply(effect);
    }
    if (decision.more) submit({ kind: 'continue' });
  }

  function apply(effect: Effect): void {
    if (effect.kind === 'dispatch') ready.add(workKey(effect.work));
    if (effect.kind === 'timer') timers.set(JSON.stringify(effect.timer), effect);
  }

  /** One attempt of the task in front of the work's pipeline. */
  function attempt(key: string): void {
    const assignment = assignmentOf(state, workOfKey(key));
    ready.delete(key);
    if (assignment === undefined) return;
    const { pipeline, work, resumed, step, started, taskStarted } = assignment;
    const report: WorkerEvent[] = [];
    const name = work.path.length === 0 ? 'step.started' : 'loop.iteration.started';
    if (!started) report.push({ name, timestamp: timestampOf(now), payload: { worker: 'w' } });
    const frame = assignedFrame(plan, assignment, new Map(), {});
    const { task: definition } = currentTask(frame, pipeline);
    const { label, kind } = definition;
    const task = { label, visit: pipeline.visits[label] ?? 1, attempt: pipeline.attempt };
    const skipped = resumed === undefined ? advanceWithoutBody(frame, pipeline) : undefined;
    const prepared = prepareTask(frame, pipeline, { execution: 'e', work, at: now, timeout: undefined });
    const input = prepared.kind === 'problem' ? {} : prepared.input;
    if (skipped === undefined && resumed === undefined && !taskStarted) {
      report.push({ name: 'task.started', timestamp: timestampOf(now), task, payload: { kind, input } });
    }
    if (skipped === undefined && resumed === undefined && prepared.kind === 'wait') {
      report.push({ name: 'task.waiting', timestamp: timestampOf(now), task, payload: prepared.wait });
      submit({ kind: 'report', work, events: report });
      return;
    }
    const answer: Answer = tools[`${step}.${label}`]?.({ input, path: work.path, attempt: task.attempt }) ?? {};
    const error = prepared.kind === 'problem' ? prepared.error : answer.error;
    const ms = answer.ms ?? 0;
    now += resumed === undefined ? ms : 0;
    const meta = { attempt: task.attempt, duration_ms: ms, ts: timestampOf(now) };
    const outcome = error
      ? { status: 'error' as const, result: null, error: { ...failure('boom', 'it broke'), ...error }, meta }
      : { status: 'ok' as const, result: answer.result ?? null, meta };
    const advanced = skipped ?? advance(frame, pipeline, resumed ?? outcome);
    const { checkpoint } = advanced;
    report.push({ name: 'task.done', timestamp: timestampOf(now), task, payload: { kind, ...checkpoint } });
    if (checkpoint.next.kind === 'retry') {
      const next = { ...task, attempt: task.attempt + 1 };
      const due = timestampOf(now + checkpoint.next.seconds * 1000);
      const waits = { for: 'retry', until: due } as const;
      if (checkpoint.next.seconds <= 5) now += checkpoint.next.seconds * 1000;
      else report.push({ name: 'task.waiting', timestamp: timestampOf(now), task: next, payload: waits });
    }
    if (advanced.state.ended !== undefined) report.push({ name: 'finished', timestamp: timestampOf(now) });
    submit({ kind: 'report', work, events: report });
    if (assignmentOf(state, work) !== undefined) ready.add(key);
  }

  function nextTimer(): boolean {
    const [first] = [...timers].sort(([, a], [, b]) => a.at - b.at);
    if (first === undefined) return false;
    timers.delete(first[0]);
    now = Math.max(now, first[1].at);
    submit({ kind: 'timer', timer: first[1].timer });
    return true;
  }

  const over = () => events.at(-1)?.name === 'playbook.processed' || (until !== undefined && events.some(until));
  const outside = [...inputs];
  submit({ kind: 'request', execution_id: 'e', path: 'demo/weather', version: null, content_hash: 'h', payload });
  while (!over()) {
    const [work] = ready;
    if (work !== undefined) attempt(work);
    else if (!nextTimer()) {
      const input = outside.shift();
      if (input === undefined) break;
      submit(input);
    }
  }
  return { playbook, text, events };
}
