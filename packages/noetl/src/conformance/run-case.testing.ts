import {
  type Cause,
  DEFAULT_ENGINE_LIMITS,
  decodeState,
  type Effect,
  type ExecutionEvent,
  type ExecutionState,
  effectsOf,
  encodeState,
  evolve,
  failure,
  initialState,
  jsonSize,
  leasable,
  type Outcome,
  type Plan,
  pendingEffects,
  planOf,
  readEvent,
  type Timer,
  timestampOf,
  type WorkerEvent,
  workKey,
  workOfKey,
} from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { expect } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { catchUp } from '../server/informed-decision.ts';
import { type Answer, type LiveExecution, liveExecution } from '../server/live-execution.ts';
import { loadValues } from '../server/load-values.ts';
import { createMemoryEventLog } from '../stores/memory/event-log.ts';
import { runWork } from '../worker/run-work.ts';
import type { Case, ChildScript, ControlScript } from './case.testing.ts';
import { matches } from './match-event.testing.ts';
import { scriptedError, scriptedTools } from './scripted-tools.testing.ts';

/** How long a lease lasts without a sign of life, in milliseconds. */
const LEASE = 30_000;
/** The virtual moment at which every case begins. */
const BEGIN = Date.UTC(2026, 0, 1);

export interface CaseRun {
  readonly events: readonly ExecutionEvent[];
  readonly fork: readonly ExecutionEvent[] | undefined;
}

/**
 * Drives a case through the real decide, pipeline and shells, with the memory ports and a virtual clock: time passes only
 * when nothing can be done without it. Whatever happens, the log must give the live state.
 */
export async function runCase(given: Case): Promise<CaseRun> {
  const clock = createVirtualClock(BEGIN);
  const log = createMemoryEventLog(clock);
  const results = createMemoryResults();
  const ports = { log, results };
  const { script } = given;
  const limits = { ...DEFAULT_ENGINE_LIMITS, ...script.limits };
  const tools = scriptedTools(script.tools ?? [], clock);
  const controls = (script.controls ?? []).map((control) => ({ ...control, done: false }));
  const executions = new Map<string, Execution>();
  let problem: unknown;

  const open = (id: string, plan: Plan): Execution => {
    const execution = new Execution(id, plan, liveIn(id, plan, initialState));
    executions.set(id, execution);
    return execution;
  };

  const liveIn = (id: string, plan: Plan, state: ExecutionState): LiveExecution =>
    liveExecution({
      id,
      plan,
      state,
      ports,
      leased: async () => new Set((await log.leases(id)).map(({ work }) => work)),
      committed: (events, after) => executions.get(id)?.committed.push({ events, after }),
      owing: () => undefined,
    });

  async function input(
    execution: Execution,
    given: Cause,
    under: { work: string; epoch: number }[] = [],
  ): Promise<Answer> {
    const turn = execution.mailbox.then(async () => {
      const answer = await execution.live.submit({ ...given, at: clock.now() }, under);
      // A long decision goes on by itself; the turn is over when it has.
      for (let told = await tell(execution); told; told = await tell(execution)) {
        await execution.live.submit({ kind: 'continue', at: clock.now() });
      }
      return answer;
    });
    execution.mailbox = turn.catch((error: unknown) => {
      problem ??= error;
    });
    return turn;
  }

  /** Checks what was committed and lets it have its effects; false if nothing was. */
  async function tell(execution: Execution): Promise<boolean> {
    const commits = execution.committed.splice(0);
    for (const { events, after } of commits) {
      execution.state = after;
      await checkLog(execution, events, ports);
      for (const event of events) for (const effect of effectsOf(after, event)) apply(execution, effect);
      for (const event of events) for (const control of controls) if (isDue(control, event)) act(execution, control);
    }
    return commits.length > 0;
  }

  const isDue = (control: ControlScript & { done: boolean }, event: ExecutionEvent): boolean =>
    !control.done && control.after !== undefined && event.execution_id === 'e' && matches(event, control.after);

  function act(execution: Execution, control: ControlScript & { done: boolean }): void {
    control.done = true;
    const { by = null, reason = null, payload = null, name = '' } = control;
    const send = (given: Cause) => void expectAnswer(control, input(execution, given));
    if (control.do === 'restart') restart(execution);
    else if (control.do === 'fork') void expectAnswer(control, forkFrom(execution, control));
    else if (control.do === 'repeat-report') for (const report of execution.reports) send(report);
    else if (control.do === 'signal') send({ kind: 'signal', name, payload, by });
    else send({ kind: control.do, reason, by });
  }

  /** A control is answered as its script says: refused with a code, or not refused. */
  async function expectAnswer({ refused }: ControlScript, answer: Promise<Answer>): Promise<void> {
    try {
      const answered = await answer;
      expect(answered.kind === 'refused' ? answered.code : undefined).toBe(refused);
    } catch (error) {
      problem ??= error;
    }
  }

  /** The server forgets everything but the log. */
  function restart(execution: Execution): void {
    execution.mailbox = execution.mailbox.then(async () => {
      execution.state = await catchUp(initialState, execution.id, ports);
      execution.live = liveIn(execution.id, execution.plan, execution.state);
      execution.ready.clear();
      for (const effect of pendingEffects(execution.state)) apply(execution, effect);
    });
  }

  async function forkFrom(origin: Execution, { edits = {}, after }: ControlScript): Promise<Answer> {
    const events = await log.read(origin.id, 0, Number.MAX_SAFE_INTEGER);
    const at = events.findIndex((event) => after !== undefined && matches(event, after)) + 1;
    let state = initialState;
    for (const event of events.slice(0, at)) state = evolve(state, event);
    const edited = given.editedPlaybook === undefined ? {} : { playbook: true as const };
    const fork = open('f', planOf(given.editedPlaybook ?? given.playbook, limits));
    const answer = await input(fork, {
      kind: 'fork',
      execution_id: 'f',
      origin: { execution_id: origin.id, state },
      path: 'case',
      version: 1,
      content_hash: 'case',
      edits: { ...edits, ...edited },
    });
    if (answer.kind === 'refused') executions.delete('f');
    return answer;
  }

  function apply(execution: Execution, effect: Effect): void {
    if (effect.kind === 'dispatch') execution.ready.add(workKey(effect.work));
    else if (effect.kind === 'timer') setTimer(execution, effect.at, effect.timer);
    else if (effect.kind === 'start-child') startChild(execution, effect);
    else if (effect.kind === 'cancel-child') execution.cancelledChildren.add(effect.execution_id);
  }

  function setTimer(execution: Execution, at: number, timer: Timer): void {
    clock.at(at, () => void input(execution, { kind: 'timer', timer }).catch(() => undefined));
  }

  function startChild(execution: Execution, { work, child }: Extract<Effect, { kind: 'start-child' }>): void {
    const called = script.children?.[child.path];
    // Who does not wait for its child is told that it was started.
    const planned: ChildScript | undefined = child.wait ? called : { ok: { execution_id: child.execution_id } };
    if (planned === undefined) return;
    const over = () => {
      if (execution.cancelledChildren.has(child.execution_id)) return;
      const meta = { attempt: 1, duration_ms: 0, ts: timestampOf(clock.now()) };
      const outcome: Outcome =
        planned.error === undefined
          ? { status: 'ok', result: planned.ok ?? null, meta }
          : { status: 'error', result: null, error: scriptedError(planned.error), meta };
      void input(execution, { kind: 'child', work, execution_id: child.execution_id, outcome }).catch(() => undefined);
    };
    clock.at(clock.now() + (planned.takes ?? 0) * 1000, over);
  }

  /** Leases what is ready, oldest first, as far as there are slots. */
  async function claim(execution: Execution): Promise<boolean> {
    const [work] = execution.ready;
    if (work === undefined || execution.running.size >= (script.slots ?? 4)) return false;
    execution.ready.delete(work);
    const assignment = leasable(execution.state, workOfKey(work));
    if (assignment === undefined) return true;
    const [lease] = await log.claim([{ execution: execution.id, work, worker: 'w', ttl: LEASE }]);
    if (lease === undefined) {
      // Somebody holds it: look again when the lease may have expired.
      clock.at(clock.now() + LEASE, () => execution.ready.add(work));
      return true;
    }
    const token = { work, epoch: lease.epoch };
    execution.running.add(token);
    const alive = () => execution.running.has(token);
    // A worker that dies holds its slot and its lease until it expires.
    clock.at(clock.now() + LEASE, function expire() {
      if (!alive()) return;
      void log.leases(execution.id).then((leases) => {
        const mine = leases.find((held) => held.work === work && held.epoch === lease.epoch);
        if (mine !== undefined && mine.remaining > 0) clock.at(clock.now() + mine.remaining, expire);
        else {
          execution.running.delete(token);
          const error = failure('limit.takeovers', `the work was taken over ${limits.takeovers} times.`);
          if (lease.epoch > limits.takeovers) void input(execution, { kind: 'give-up', work: workOfKey(work), error });
          else execution.ready.add(work);
        }
      });
    });
    const report = async (events: readonly WorkerEvent[]) => {
      const given: Cause = { kind: 'report', work: workOfKey(work), events };
      execution.reports.push(given);
      return (await input(execution, given, [token])).kind !== 'fenced';
    };
    const call = (toolCall: Parameters<typeof tools>[0]) => tools(toolCall, lease.epoch);
    const load = (tags: Parameters<typeof loadValues>[0]) => loadValues(tags, ports);
    const lent = { secrets: NO_SECRETS, lease: UNSTOPPED };
    void runWork(execution.plan, assignment, { worker: 'w', clock, results, call, report, load, ...lent })
      .catch((error: unknown) => (problem ??= error))
      .finally(() => execution.running.delete(token));
    return true;
  }

  const first = open('e', planOf(given.playbook, limits));
  for (const control of controls) {
    if (control.at !== undefined) clock.at(BEGIN + control.at * 1000, () => act(first, control));
  }
  await input(first, {
    kind: 'request',
    execution_id: 'e',
    path: 'case',
    version: 1,
    content_hash: 'case',
    payload: script.payload ?? {},
  });

  for (let turns = 0; ; turns++) {
    if (turns > 100_000) throw new Error('the case does not come to an end');
    await idle();
    if (problem !== undefined) throw problem;
    if (await claimAny()) continue;
    // Also when all is over: what comes too late must change nothing.
    const next = clock.next();
    if (next === undefined) break;
    clock.advanceTo(next);
  }

  async function claimAny(): Promise<boolean> {
    for (const execution of [...executions.values()]) if (await claim(execution)) return true;
    return false;
  }

  const fork = executions.get('f');
  const all = (id: string) => log.read(id, 0, Number.MAX_SAFE_INTEGER);
  return { events: await all('e'), fork: fork === undefined ? undefined : await all('f') };
}

class Execution {
  readonly id: string;
  readonly plan: Plan;
  live: LiveExecution;
  state: ExecutionState = initialState;
  readonly committed: { readonly events: readonly ExecutionEvent[]; readonly after: ExecutionState }[] = [];
  mailbox: Promise<unknown> = Promise.resolve();
  readonly ready = new Set<string>();
  readonly running = new Set<object>();
  readonly reports: Cause[] = [];
  readonly cancelledChildren = new Set<string>();

  constructor(id: string, plan: Plan, live: LiveExecution) {
    this.id = id;
    this.plan = plan;
    this.live = live;
  }
}

/** EVT-3: the log, read again and folded from the start, is the live state, byte for byte. */
async function checkLog(
  { id, state }: Execution,
  appended: readonly ExecutionEvent[],
  ports: Parameters<typeof catchUp>[2],
): Promise<void> {
  for (const event of appended) {
    expect(readEvent(JSON.parse(JSON.stringify(event)) as Json)).toEqual({ kind: 'event', event });
    // 8 of 000 §13: events stay under the payload limit; the state of a fork is stored as soon as it is larger.
    expect(jsonSize(event.payload as unknown as Json)).toBeLessThanOrEqual(64 * 1024);
  }
  // The next decision may be appended already.
  const replayed = await catchUp(initialState, id, ports, state.seq);
  expect(JSON.stringify(encodeState(replayed))).toBe(JSON.stringify(encodeState(state)));
  expect(JSON.stringify(encodeState(decodeState(encodeState(state))))).toBe(JSON.stringify(encodeState(state)));
}

/** Whoever has lost a lease learns so from its reports. */
const UNSTOPPED = new AbortController();
const NO_SECRETS = { keychain: {}, redact: <T>(value: T): T => value };

/** Everything that needs no time has happened: memory ports answer in microtasks. */
const idle = (): Promise<void> => new Promise((wake) => setImmediate(wake));
