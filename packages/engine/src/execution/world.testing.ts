import { type JsonMap, readPlaybook } from '@noetl/playbook';
import { expect } from 'vitest';
import { timestampOf } from '../instant.ts';
import { DEFAULT_ENGINE_LIMITS, type EngineLimits } from '../limits.ts';
import { failure, type Outcome } from '../outcome.ts';
import { advance, advanceWithoutBody } from '../pipeline/advance.ts';
import { assignedFrame } from '../pipeline/assigned-frame.ts';
import { currentTask } from '../pipeline/frame.ts';
import { visitsOf } from '../pipeline/pipeline-state.ts';
import { prepareTask } from '../pipeline/prepare-task.ts';
import type { KnownValues } from '../scope/known-values.ts';
import { type Assignment, assignmentOf } from './assignment.ts';
import { type Decision, decide } from './decide.ts';
import { type Effect, effectsOf } from './effects.ts';
import type { ExecutionEvent } from './event.ts';
import { fold } from './evolve.ts';
import { type Work, workKey, workOfKey } from './ids.ts';
import type { Cause, Input, RequestInput, Timer, WorkerEvent } from './input.ts';
import { type Plan, planOf } from './plan.ts';
import { readEvent } from './read-event.ts';
import { decodeState, encodeState } from './snapshot.ts';
import { type ExecutionState, initialState } from './state.ts';

/** A playbook of tests: the header is added, and it must be valid. */
export function planFrom(yaml: string, limits: Partial<EngineLimits> = {}): Plan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${yaml}`;
  const { playbook, diagnostics } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error(JSON.stringify(diagnostics, undefined, 2));
  return planOf(playbook, { ...DEFAULT_ENGINE_LIMITS, ...limits });
}

export const ok = (result: Outcome['result'] = null): Outcome => ({
  status: 'ok',
  result,
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(0) },
});

export const failed = (kind = 'boom'): Outcome => ({
  status: 'error',
  result: null,
  error: { ...failure(kind, kind), retryable: true },
  meta: { attempt: 1, duration_ms: 0, ts: timestampOf(0) },
});

/**
 * The core with a log, a clock and workers that are plain function calls. Every decision is made twice and must be the
 * same, every event must fit its schema, and the log, folded anew and through JSON, must give the live state.
 */
export class World {
  readonly plan: Plan;
  readonly log: ExecutionEvent[] = [];
  state: ExecutionState = initialState;
  now = Date.UTC(2026, 0, 1);
  /** Work that may be leased, timers that are set, children that were started. */
  readonly ready = new Set<string>();
  readonly timers = new Map<string, { readonly at: number; readonly timer: Timer }>();
  readonly children = new Map<string, Work>();
  readonly cancelled: string[] = [];
  /** Work whose lease a worker holds without having reported. */
  readonly leased = new Set<string>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  request(payload: JsonMap = {}, more: Partial<RequestInput> = {}): this {
    const named = { execution_id: 'e', path: 't', version: 1, content_hash: 'h' };
    this.decide({ kind: 'request', ...named, payload, ...more });
    return this;
  }

  /** The answer to an input; its events are appended. */
  decide(cause: Cause & { readonly known?: KnownValues }): Decision {
    const input: Input = { leased: this.leased, ...cause, at: this.now };
    const before = this.state;
    const decision = decide(this.plan, before, input);
    expect(decide(this.plan, before, input)).toEqual(decision);
    if (decision.kind !== 'events') return decision;
    for (const [index, event] of decision.events.entries()) {
      expect(event.seq).toBe(before.seq + index + 1);
      expect(readEvent(JSON.parse(JSON.stringify(event)))).toEqual({ kind: 'event', event });
    }
    this.log.push(...decision.events);
    this.state = decision.state;
    expect(encodeState(fold(decision.events, before))).toEqual(encodeState(decision.state));
    expect(encodeState(decodeState(encodeState(decision.state)))).toEqual(encodeState(decision.state));
    for (const event of decision.events) for (const effect of effectsOf(this.state, event)) this.apply(effect);
    if (decision.more) this.decide({ kind: 'continue' });
    return decision;
  }

  private apply(effect: Effect): void {
    if (effect.kind === 'dispatch') this.ready.add(workKey(effect.work));
    if (effect.kind === 'timer') this.timers.set(JSON.stringify(effect.timer), effect);
    if (effect.kind === 'start-child') this.children.set(effect.child.execution_id, effect.work);
    if (effect.kind === 'cancel-child') this.cancelled.push(effect.execution_id);
  }

  assignment(work: string): Assignment | undefined {
    return assignmentOf(this.state, workOfKey(work));
  }

  /** One attempt of the task in front of the work's pipeline, as a worker would report it. */
  attempt(work: string, outcome: Outcome = ok()): readonly WorkerEvent[] {
    const assignment = this.assignment(work);
    return assignment === undefined ? [] : attemptEvents(this.plan, assignment, outcome, this.now);
  }

  /** Runs the attempt and appends it. */
  run(work: string, ...outcomes: readonly Outcome[]): this {
    for (const outcome of outcomes.length === 0 ? [ok()] : outcomes) {
      this.report(work, this.attempt(work, outcome));
    }
    return this;
  }

  report(work: string, events: readonly WorkerEvent[]): Decision {
    this.ready.delete(work);
    return this.decide({ kind: 'report', work: workOfKey(work), events });
  }

  /** Lets time pass up to the next timer and fires it; false if there is none. */
  nextTimer(): boolean {
    const [first] = [...this.timers].sort(([, a], [, b]) => a.at - b.at);
    if (first === undefined) return false;
    const [key, { at, timer }] = first;
    this.timers.delete(key);
    this.now = Math.max(this.now, at);
    this.decide({ kind: 'timer', timer });
    return true;
  }

  /** Work that is ready, runs with ok outcomes, until nothing is ready any more. */
  drain(outcome: (work: string, label: string) => Outcome = () => ok()): this {
    for (let work = this.first(); work !== undefined; work = this.first()) {
      const { pipeline, step } = this.assignment(work) ?? {};
      const label = this.plan.steps.get(step ?? '')?.tasks[pipeline?.position ?? 0]?.label ?? '';
      this.run(work, outcome(work, label));
      if (this.assignment(work) !== undefined) this.ready.add(work);
    }
    return this;
  }

  private first(): string | undefined {
    const [work] = this.ready;
    if (work !== undefined && this.assignment(work) === undefined) {
      this.ready.delete(work);
      return this.first();
    }
    return work;
  }

  /** The log as `name` or `name(step)`, for short. */
  get story(): readonly string[] {
    return this.log.map(({ name, payload }) => ('step' in payload ? `${name}(${payload.step})` : name));
  }

  get last(): ExecutionEvent | undefined {
    return this.log.at(-1);
  }

  eventsNamed<N extends ExecutionEvent['name']>(name: N): readonly Extract<ExecutionEvent, { name: N }>[] {
    return this.log.filter((event): event is Extract<ExecutionEvent, { name: N }> => event.name === name);
  }
}

/** What a worker reports of one attempt, from the start of the task to its checkpoint or its wait. */
function attemptEvents(plan: Plan, assignment: Assignment, outcome: Outcome, at: number): readonly WorkerEvent[] {
  const timestamp = timestampOf(at);
  const { pipeline: state, work, started, taskStarted, resumed } = assignment;
  const start = work.path.length === 0 ? 'step.started' : 'loop.iteration.started';
  const events: WorkerEvent[] = started ? [] : [{ name: start, timestamp, payload: {} }];
  if (state.ended !== undefined) return [...events, { name: 'finished', timestamp }];
  const frame = assignedFrame(plan, assignment, new Map(), {});
  const { task: current } = currentTask(frame, state);
  const task = { label: current.label, visit: visitsOf(state, current.label), attempt: state.attempt };
  const skipped = resumed === undefined ? advanceWithoutBody(frame, state) : undefined;
  const prepared = prepareTask(frame, state, { execution: 'e', work, at, timeout: undefined });
  const begin = { name: 'task.started', timestamp, task, payload: { kind: current.kind, input: {} } } as const;
  if (skipped === undefined && resumed === undefined && !taskStarted) events.push(begin);
  if (skipped === undefined && resumed === undefined && prepared.kind === 'wait') {
    return [...events, { name: 'task.waiting', timestamp, task, payload: prepared.wait }];
  }
  const problem = prepared.kind === 'problem' ? { ...failed(), error: prepared.error } : undefined;
  const advanced = skipped ?? advance(frame, state, resumed ?? problem ?? outcome);
  const { checkpoint } = advanced;
  events.push({ name: 'task.done', timestamp, task, payload: { kind: current.kind, ...checkpoint } });
  if (checkpoint.next.kind === 'retry' && checkpoint.next.seconds > 5) {
    const until = timestampOf(at + checkpoint.next.seconds * 1000);
    const next = { ...task, attempt: task.attempt + 1 };
    events.push({ name: 'task.waiting', timestamp, task: next, payload: { for: 'retry', until } });
  }
  return advanced.state.ended === undefined ? events : [...events, { name: 'finished', timestamp }];
}
