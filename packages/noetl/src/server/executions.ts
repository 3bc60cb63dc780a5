import {
  type Cause,
  type Effect,
  type ExecutionEvent,
  type ExecutionState,
  effectsOf,
  initialState,
  type OutcomeError,
  type Plan,
  pendingEffects,
  type RequestInput,
  type Work,
  workKey,
} from '@noetl/engine';
import { persistently } from '../persistently.ts';
import type { Clock } from '../ports/clock.ts';
import type { Append } from '../ports/event-log.ts';
import { createCalledExecutions } from './called-executions.ts';
import { type ChildPlans, ORPHANED } from './children.ts';
import type { Credentials } from './credentials.ts';
import { createEnds, type ExecutionEnd, endInLog } from './ends.ts';
import { createExecutionTimers } from './execution-timers.ts';
import { appendFork, decideFork, type ForkRequest } from './forks.ts';
import { createHeldLeases } from './held-leases.ts';
import { type Answer, type LiveExecution, liveExecution } from './live-execution.ts';
import { plainValue } from './load-values.ts';
import { createLoopPlaces } from './loop-places.ts';
import { createOwnWork, type OwnWork } from './own-work.ts';
import { createRemoteLeases, type RemoteLeases, type RemoteOptions } from './remote-leases.ts';
import { requestedWorkload } from './requested-workload.ts';
import { createSettling } from './settling.ts';
import { createSnapshotKeeper } from './snapshot-keeper.ts';
import { type StatePorts, storedState } from './stored-state.ts';
import { createTakeovers, type WornWork } from './takeovers.ts';
import { createWorkQueue, type QueueWatch, type WorkQueue } from './work-queue.ts';
import { DEFAULT_POOL } from './worker-pool.ts';

export interface Executions extends OwnWork {
  /** The leases of workers in other processes; undefined where there can be none. */
  readonly remote: RemoteLeases | undefined;
  /** The answer comes when the request is durable. */
  start(plan: Plan, request: Omit<RequestInput, 'kind'>): Promise<Answer>;
  /** ENG-15: begins an execution with the state of another. The answer comes when it is durable. */
  fork(plan: Plan, request: ForkRequest): Promise<Answer>;
  /** Goes on with an execution of the log, from its last event; `takenOver` if the process that drove it has died. */
  resume(id: string, plan: Plan, takenOver?: boolean): Promise<void>;
  submit(id: string, cause: Cause): Promise<Answer>;
  /** How the execution ended, once it has; fails if it is given up here after this was asked. */
  over(id: string): Promise<ExecutionEnd>;
  /** Whether the execution is under way in this process, and its request durable. */
  drives(id: string): boolean;
  /** The state of one that is, as the log has it. */
  stateOf(id: string): ExecutionState | undefined;
  /** How many are, without those that are named. */
  underWay(besides?: ReadonlySet<string>): number;
  /** How much work waits for a worker, by pool. */
  readonly waiting: WorkQueue['waiting'];
  /** Once none is any more, also none that nobody waits for; fails if one was given up here. */
  settled(): Promise<void>;
  /** No execution may go on in this process any more, not even to write down why; only from its log. */
  abandonAll(reason: Error): void;
  /** Stops what is under way, sets no timer any more and gives out no work. The log knows where to go on. */
  close(): void;
}

export interface ExecutionsOptions {
  readonly ports: StatePorts;
  readonly clock: Clock;
  readonly childPlans: ChildPlans;
  readonly credentials: Credentials;
  /** How workers in other processes get work; without it there are none, and the one of this process does everything. */
  readonly remote?: RemoteOptions | undefined;
  /** Told how long work has waited when it is taken, in milliseconds. */
  readonly claimed?: QueueWatch['claimed'] | undefined;
  /** After every commit, in the order of the log. */
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
}

/** The executions that this process drives, and the work of them that is ready. */
export function createExecutions(options: ExecutionsOptions): Executions {
  const { ports, clock, credentials, committed } = options;
  const queue = createWorkQueue(options.claimed && { now: clock.now, claimed: options.claimed });
  const snapshots = createSnapshotKeeper(ports.snapshots);
  const live = new Map<string, LiveExecution>();
  const leases = createHeldLeases();
  const ends = createEnds();
  const timers = createExecutionTimers(clock);
  const takeovers = createTakeovers(ports.log);
  const places = createLoopPlaces();
  /** Executions of the log that are being opened. */
  const opening = new Map<string, Promise<void>>();
  const settling = createSettling(underWay);
  const called = createCalledExecutions({
    ...{ ports, clock, plans: options.childPlans, ends, start, resume, isTakenOver: takeovers.has },
    tell: (id, cause) => tell(id, cause),
    giveUp: (id, reason) => giveUp(id, reason),
    started: settling.look,
  });
  let closed = false;
  let abandoned: Error | undefined;

  function open(id: string, plan: Plan, state: ExecutionState): LiveExecution {
    const execution = liveExecution({
      id,
      plan,
      state,
      ports,
      leased: () => leasedOf(id),
      committed: (events, after) => {
        committed(events, after);
        snapshots.committed(id, after);
        for (const event of events) {
          if (remote !== undefined) places.after(event);
          if (event.name === 'playbook.processed') {
            ends.reached(id, event.payload);
            if (event.payload.status === 'cancelled') cancelUnawaited(id);
          }
          for (const effect of effectsOf(after, event)) apply(execution, effect);
        }
      },
      owing: () => tell(id, { kind: 'continue' }),
    });
    live.set(id, execution);
    return execution;
  }

  const submit = (id: string, cause: Cause, under?: Append['under']): Promise<Answer> => {
    const execution = live.get(id);
    if (execution === undefined) return Promise.resolve(NOT_HERE);
    return execution.submit({ ...cause, at: clock.now() }, under);
  };

  const ready = (execution: string, work: Work, step: string): void => {
    // What is not open yet, or not any more, has its work found in its log: only with its plan is the pool known.
    const plan = live.get(execution)?.plan;
    if (closed || plan === undefined) return;
    queue.add({ execution, work, step, pool: plan.steps.get(step)?.pool ?? '' });
  };

  /** Also what the store takes for leased: an append that drops work asks it. */
  function leasedOf(id: string): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const here = leases.of(id).map(({ assignment }) => workKey(assignment.work));
    return remote === undefined ? new Set(here) : remote.leased(id).then((there) => new Set([...here, ...there]));
  }

  /** For what nobody waits for, but the execution: it is tried as long as a store may need to recover. */
  const tell = (id: string, cause: Cause): void => {
    persistently(
      () => submit(id, cause),
      () => closed,
      clock,
    ).catch((error) => giveUp(id, error));
  };

  const giveUp = (id: string, reason: unknown): void => {
    drop(id);
    credentials.forget(id);
    for (const lease of leases.of(id)) leases.end(lease);
    ends.failed(id, reason);
    settling.givenUp(reason);
  };

  /** What could not be begun, or gone on with, is not half open: the next who asks for it begins with its log. */
  function dismiss(id: string, reason: unknown): never {
    giveUp(id, reason);
    throw reason;
  }

  function drop(id: string): void {
    live.delete(id);
    timers.cancelOf(id);
    takeovers.forget(id);
    places.forget(id);
  }

  function underWay(besides: ReadonlySet<string> = new Set()): number {
    const named = [...besides].filter((id) => live.has(id) || called.has(id));
    return live.size + called.count() - named.length;
  }

  /** ENG-14: cancel reaches all children. Those that their parent waits for are named by its events, the others are here. */
  function cancelUnawaited(parent: string): void {
    for (const [id, execution] of live) {
      if (execution.decided().request.parent_execution_id === parent) tell(id, ORPHANED);
    }
  }

  function apply(execution: LiveExecution, effect: Effect): void {
    if (closed) return;
    switch (effect.kind) {
      case 'dispatch':
        ready(execution.id, effect.work, effect.step);
        return;
      case 'timer':
        timers.set(execution.id, effect.at, () => tell(execution.id, { kind: 'timer', timer: effect.timer }));
        return;
      case 'start-child':
        called.start(execution, effect).catch((error) => giveUp(execution.id, error));
        return;
      case 'cancel-child':
        called.cancel(effect.execution_id);
        tell(effect.execution_id, ORPHANED);
        return;
      case 'stop':
        for (const lease of leases.of(execution.id)) {
          if (effect.run === 'all' || lease.assignment.work.run === effect.run) leases.end(lease);
        }
        return;
      case 'over':
        drop(execution.id);
        settling.look();
        return;
    }
  }

  async function start(plan: Plan, request: Omit<RequestInput, 'kind'>): Promise<Answer> {
    const { execution_id } = request;
    const cause = { kind: 'request', ...request } as const;
    const rejected =
      request.rejected ?? (await credentials.resolve(execution_id, plan, requestedWorkload(plan, cause, clock.now())));
    if (abandoned !== undefined) dismiss(execution_id, abandoned);
    const execution = open(execution_id, plan, initialState);
    const asked = { ...cause, ...(rejected === undefined ? {} : { rejected }), at: clock.now() };
    const answer = await execution.submit(asked).catch((error) => dismiss(execution_id, error));
    // Nothing was written of it, so there is nothing to drive.
    if (answer.kind === 'refused') {
      live.delete(execution_id);
      credentials.forget(execution_id);
    }
    settling.look();
    return answer;
  }

  /** Once, however many ask for it: its parent, and who looks for what is unfinished. */
  function resume(id: string, plan: Plan, takenOver = false): Promise<void> {
    const already = opening.get(id);
    // By the time it is open it may be over, and its end told before who asks now waited for it.
    if (already !== undefined) return already.then(() => (live.has(id) ? undefined : tellEnd(id)));
    if (live.has(id)) return Promise.resolve();
    const opened = reopen(id, plan, takenOver)
      .catch((error) => dismiss(id, error))
      .finally(() => opening.delete(id));
    opening.set(id, opened);
    return opened;
  }

  async function reopen(id: string, plan: Plan, takenOver: boolean): Promise<void> {
    const state = await storedState(id, ports);
    if (state.phase === 'processed') return goOn(id, plan, state);
    await credentialsIn(id, plan, state);
    await remote?.adopt(id, plan, state);
    await goOn(id, plan, state, takenOver ? await takeovers.begin(id, state, plan.limits.takeovers) : []);
    if (await isOrphan(id, state)) tell(id, ORPHANED);
  }

  async function credentialsIn(id: string, plan: Plan, state: ExecutionState): Promise<OutcomeError | undefined> {
    const workload = await plainValue(state.workload, ports);
    return credentials.resolve(id, plan, 'value' in workload ? workload.value : {});
  }

  async function goOn(id: string, plan: Plan, state: ExecutionState, worn: readonly WornWork[] = []): Promise<void> {
    if (state.phase === 'processed') return tellEnd(id);
    if (abandoned !== undefined) throw abandoned;
    const execution = open(id, plan, state);
    for (const { work, error } of worn) await execution.submit({ kind: 'give-up', work, error, at: clock.now() });
    for (const effect of pendingEffects(execution.decided())) apply(execution, effect);
    await execution.submit({ kind: 'continue', at: clock.now() });
  }

  async function fork(plan: Plan, request: ForkRequest): Promise<Answer> {
    const id = request.execution_id;
    const made = await decideFork(plan, request, clock.now(), ports);
    if (made.kind === 'refused') return made;
    // SEC-1: as for any request. What is over needs none.
    const unmet = made.state.phase === 'processed' ? undefined : await credentialsIn(id, plan, made.state);
    const refused = unmet && ({ kind: 'refused', code: 'NOETL_FORK_REFUSED', message: unmet.message } as const);
    const answer = refused ?? (await appendFork(id, made.events, ports).catch((error) => dismiss(id, error)));
    if (answer.kind !== 'done') {
      credentials.forget(id);
      return answer;
    }
    const state = await storedState(id, ports);
    committed(await ports.log.read(id, 0, state.seq), state);
    await goOn(id, plan, state);
    return answer;
  }

  /** ENG-14: a child whose parent was cancelled, or gave it up, before this process could tell it. */
  async function isOrphan(id: string, { request }: ExecutionState): Promise<boolean> {
    const { parent_execution_id: parent } = request;
    if (parent === undefined) return false;
    if ((await endInLog(parent, ports.log))?.status === 'cancelled') return true;
    const state = live.get(parent)?.decided() ?? (await storedState(parent, ports));
    return pendingEffects(state).some((effect) => effect.kind === 'cancel-child' && effect.execution_id === id);
  }

  function over(id: string): Promise<ExecutionEnd> {
    const isKnown = live.has(id) || ends.isAwaited(id);
    const end = ends.wait(id);
    if (abandoned !== undefined) ends.failed(id, abandoned);
    else if (!isKnown) {
      endInLog(id, ports.log).then(
        (ended) => ended !== undefined && ends.reached(id, ended),
        (error) => {
          // What has been opened meanwhile tells its end itself.
          if (!live.has(id) && !opening.has(id)) ends.failed(id, error);
        },
      );
    }
    return end;
  }

  async function tellEnd(id: string): Promise<void> {
    const ended = await endInLog(id, ports.log);
    if (ended !== undefined) ends.reached(id, ended);
  }

  function close(): void {
    closed = true;
    timers.cancelAll();
    remote?.close();
    leases.endAll();
  }

  const around = { queue, held: leases, places, takeovers, find: (id: string) => live.get(id), submit, tell, ready };
  const member = options.remote === undefined ? undefined : { pool: DEFAULT_POOL, labels: {} };
  const remote =
    options.remote &&
    createRemoteLeases(options.remote, { ...around, log: ports.log, clock, live: () => live.values() });

  return {
    ...createOwnWork({ ...around, member, giveUp }),
    remote,
    start,
    fork,
    resume,
    submit,
    over,
    drives: (id) => live.get(id)?.isBegun() ?? false,
    stateOf: (id) => live.get(id)?.durable(),
    underWay,
    waiting: queue.waiting,
    settled: settling.settled,
    abandonAll(reason) {
      abandoned = reason;
      close();
      for (const id of [...live.keys()]) giveUp(id, reason);
      ends.allFailed(reason);
    },
    close,
  };
}

const NOT_HERE: Answer = {
  kind: 'refused',
  code: 'NOETL_EXECUTION_UNKNOWN',
  message: 'this process drives no such execution.',
};
