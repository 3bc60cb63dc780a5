import {
  assignmentOf,
  type Cause,
  type ExecutionState,
  leasable,
  type Plan,
  pendingEffects,
  type Work,
  workKey,
  workOfKey,
} from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { Append } from '../ports/event-log.ts';
import type { LeaseId, Leases } from '../ports/leases.ts';
import {
  type HeartbeatAnswer,
  LeaseGone,
  type LeaseTicket,
  type ReportAnswer,
  type WorkExchange,
  type WorkerCard,
  type WorkReport,
} from '../ports/work-exchange.ts';
import { repeatedly } from '../repeatedly.ts';
import type { AssignedWork, HeldLeases } from './held-leases.ts';
import { createKnownWorkers, type KnownWorkers } from './known-workers.ts';
import { createTickets, isSame } from './lease-capability.ts';
import type { Answer, LiveExecution } from './live-execution.ts';
import type { LoopPlaces } from './loop-places.ts';
import { type TakenOnce, takenOnce } from './taken-once.ts';
import type { Takeovers } from './takeovers.ts';
import type { QueuedWork, WorkQueue } from './work-queue.ts';
import { isOfPool } from './worker-pool.ts';

/** How leases are given to workers in other processes. */
export interface RemoteOptions {
  /** What capabilities are made with; the same after a restart. */
  readonly key: Uint8Array;
  /** How long a lease lasts without a heartbeat, in milliseconds. */
  readonly ttl: number;
  /** Told of each lease that is taken over because its worker was silent. */
  readonly expired?: (lease: ExpiredLease) => void;
}

interface ExpiredLease {
  readonly execution: string;
  readonly step: string;
  readonly work: Work;
  readonly worker: string;
}

/** The leases of workers in other processes (DESIGN §4). They are in the store too, so that they outlive this process. */
export interface RemoteLeases extends Pick<WorkExchange, 'report' | 'heartbeat' | 'release' | 'leave'> {
  readonly ttl: number;
  readonly workers: Pick<KnownWorkers, 'list' | 'drain'>;
  claim(worker: WorkerCard, max: number, signal: AbortSignal): Promise<readonly RemoteWork[]>;
  /** The work of a lease; throws `LeaseGone`. */
  under(ticket: LeaseTicket): AssignedWork;
  /** Leases on work of an execution that goes on here each get one fresh ttl, also if they have expired meanwhile. */
  adopt(execution: string, plan: Plan, state: ExecutionState): Promise<void>;
  /** Which work of an execution is leased, by key. */
  leased(execution: string): Promise<ReadonlySet<string>>;
  /** Nothing is given out, taken or taken over any more. The leases stay. */
  close(): void;
}

export interface RemoteWork {
  readonly ticket: LeaseTicket;
  readonly work: AssignedWork;
}

/** What leases have to do with the rest of the server. */
export interface RemoteSurroundings {
  readonly log: Leases;
  readonly clock: Clock;
  readonly queue: WorkQueue;
  readonly held: HeldLeases;
  readonly places: LoopPlaces;
  readonly takeovers: Takeovers;
  live(): Iterable<LiveExecution>;
  find(execution: string): LiveExecution | undefined;
  submit(execution: string, cause: Cause, under: Append['under']): Promise<Answer>;
  tell(execution: string, cause: Cause): void;
  /** Work may be leased. */
  ready(execution: string, work: QueuedWork['work'], step: string): void;
}

interface Remote {
  readonly id: LeaseId;
  readonly ticket: LeaseTicket;
  readonly work: AssignedWork;
  /** When it is taken over unless a heartbeat comes. */
  until: number;
  renewed: number;
  readonly report: TakenOnce<ReportAnswer>;
  /** It is being taken over: nothing counts any more that comes under it. */
  lost: boolean;
}

/** A worker whose heartbeat is on its way is given so long after its lease has expired, in milliseconds. */
const MARGIN = 500;
/** How often leases are looked at, and work that nobody was told of. */
const TICK = 500;
const LOOK_AGAIN = 3_000;

export function createRemoteLeases({ key, ttl, expired }: RemoteOptions, around: RemoteSurroundings): RemoteLeases {
  const { log, clock, queue, held, places, takeovers } = around;
  const ticketOf = createTickets(key);
  const workers = createKnownWorkers();
  const remotes = new Map<string, Remote>();
  let ticked = clock.now();
  let lookedAgain = ticked;
  let closed = false;
  const stop = repeatedly(clock, TICK, tick);

  const nameOf = ({ execution, work }: Pick<LeaseId, 'execution' | 'work'>): string => `${execution} ${work}`;

  function found(ticket: LeaseTicket): Remote | undefined {
    if (closed) throw new ExchangeClosed();
    const remote = remotes.get(nameOf(ticket));
    if (remote === undefined || remote.lost) return undefined;
    return isSame(remote.ticket, ticket) && held.isHeld(remote.work) ? remote : undefined;
  }

  function register(id: LeaseId, worker: string, work: AssignedWork): LeaseTicket {
    const now = clock.now();
    const ticket = ticketOf(id, worker);
    remotes.set(nameOf(id), {
      id,
      ticket,
      work,
      until: now + ttl + MARGIN,
      renewed: now,
      report: takenOnce(),
      lost: false,
    });
    return ticket;
  }

  /** A lease that was given since then on the same work stays. */
  function forget(remote: Remote): void {
    if (remotes.get(nameOf(remote.id)) === remote) remotes.delete(nameOf(remote.id));
  }

  /** The lease has ended with its work, or is given back: the work may be leased if somebody wanted it meanwhile. */
  function letGo(remote: Remote): void {
    forget(remote);
    const { id, work } = remote;
    if (held.end(work)) around.ready(id.execution, work.assignment.work, work.assignment.step);
  }

  async function claim(card: WorkerCard, max: number, signal: AbortSignal): Promise<readonly RemoteWork[]> {
    if (closed) throw new ExchangeClosed();
    if (workers.see(card, clock.now()).drains) return [];
    const taken = await queue.take(max, signal, {
      serves: (pool) => isOfPool(card, pool),
      mayTake: ({ execution, work, step }) => {
        const plan = around.find(execution)?.plan;
        return plan === undefined || places.take(execution, plan, step, work, card.name);
      },
    });
    // Who may be gone by now, its connection still open, is missed like any other, and its loops with it.
    if (taken.length > 0) workers.see(card, clock.now());
    const offered = taken.flatMap(({ execution: id, work }) => {
      const execution = around.find(id);
      const assignment = execution === undefined ? undefined : leasable(execution.decided(), work);
      if (execution === undefined || assignment === undefined) return [];
      const given = held.give(id, execution.plan, assignment, takeovers.isSuspect(id, work));
      return given === undefined ? [] : [given];
    });
    return offered.length === 0 ? [] : granted(card, offered, signal);
  }

  /** Who claims looks at the state afterwards: what was decided while the lease was made has seen it, or is seen. */
  async function granted(
    card: WorkerCard,
    offered: readonly AssignedWork[],
    signal: AbortSignal,
  ): Promise<readonly RemoteWork[]> {
    const claims = offered.map(({ execution, assignment }) => ({
      execution,
      work: workKey(assignment.work),
      worker: card.name,
      ttl,
    }));
    const leases = await log.claim(claims).catch((error) => {
      // Whether they were given is unknown: what was expires, and is found then.
      for (const work of offered) held.end(work);
      throw error;
    });
    const given: RemoteWork[] = [];
    const back: LeaseId[] = [];
    for (const [nth, work] of offered.entries()) {
      const lease = leases[nth];
      const execution = around.find(work.execution);
      const isWanted =
        !signal.aborted &&
        held.isHeld(work) &&
        execution !== undefined &&
        leasable(execution.decided(), work.assignment.work) !== undefined;
      if (lease === undefined || !isWanted) {
        if (lease !== undefined) back.push(lease);
        held.end(work);
        if (lease !== undefined) around.ready(work.execution, work.assignment.work, work.assignment.step);
        continue;
      }
      given.push({ ticket: register(lease, card.name, work), work });
    }
    if (back.length > 0) await log.release(back);
    return given;
  }

  function reportOne({ lease, nth, events }: WorkReport): Promise<ReportAnswer> {
    const remote = found(lease);
    if (remote === undefined) return Promise.resolve('gone');
    const { work } = remote;
    const { execution, assignment } = work;
    return remote.report(nth, async () => {
      const cause: Cause = { kind: 'report', work: assignment.work, events };
      const answer = await around.submit(execution, cause, [remote.id]);
      const isLast = events.some(({ name }) => name === 'finished' || name === 'task.waiting');
      const taken = answer.kind === 'done' && (isLast || (held.isHeld(work) && !remote.lost));
      if (!remote.lost && (isLast || !taken)) letGo(remote);
      return taken ? 'taken' : 'gone';
    });
  }

  async function heartbeat(card: WorkerCard, tickets: readonly LeaseTicket[]): Promise<HeartbeatAnswer> {
    if (closed) throw new ExchangeClosed();
    const now = clock.now();
    const { drains } = workers.see(card, now);
    const known = tickets.map(found);
    const due = known.filter((remote) => remote !== undefined && now - remote.renewed >= ttl / 4);
    const renewals = due.flatMap((remote) => (remote === undefined ? [] : [{ ...remote.id, ttl }]));
    const renewed = renewals.length === 0 ? [] : await log.renew(renewals);
    for (const [nth, remote] of due.entries()) {
      if (remote === undefined) continue;
      if (renewed[nth] !== true) letGo(remote);
      else if (!remote.lost) {
        remote.renewed = now;
        remote.until = now + ttl + MARGIN;
      }
    }
    const gone = known.flatMap((remote, nth) => (remote === undefined || !held.isHeld(remote.work) ? [nth] : []));
    return { gone, drain: drains };
  }

  async function release(ticket: LeaseTicket, why: Parameters<WorkExchange['release']>[1]): Promise<void> {
    const remote = found(ticket);
    if (remote === undefined) return;
    if (why.lost === true) {
      await takeOver(remote);
      return;
    }
    const { execution, assignment } = remote.work;
    if (why.failed !== undefined) around.tell(execution, { kind: 'give-up', work: assignment.work, error: why.failed });
    await log.release([remote.id]);
    letGo(remote);
    if (why.failed === undefined) around.ready(execution, assignment.work, assignment.step);
  }

  /** Nothing counts any more that comes under the lease; then it is counted, and the work goes on elsewhere, or is given up. */
  async function takeOver(remote: Remote): Promise<void> {
    remote.lost = true;
    const { execution: id, assignment } = remote.work;
    const { work, step } = assignment;
    await log.release([remote.id]);
    const limit = remote.work.plan.limits.takeovers;
    const worn = held.isHeld(remote.work) ? await takeovers.of(id, work, limit) : [];
    letGo(remote);
    for (const { error } of worn) around.tell(id, { kind: 'give-up', work, error });
    if (worn.length === 0) around.ready(id, work, step);
  }

  async function tick(): Promise<void> {
    const now = clock.now();
    const late = now - ticked - TICK;
    ticked = now;
    // Who stood still, or whose clock was set, has not heard the heartbeats that came meanwhile.
    if (late > MARGIN) for (const remote of remotes.values()) remote.until += late;
    for (const name of workers.silentSince(now - ttl - MARGIN - Math.max(late, 0))) places.leave(name);
    for (const remote of [...remotes.values()]) {
      if (!held.isHeld(remote.work)) forget(remote);
      else if (remote.lost || remote.until <= now) {
        const { work, lost } = remote;
        const { worker } = remote.ticket;
        const { step, work: leased } = work.assignment;
        if (!lost) expired?.({ execution: work.execution, step, work: leased, worker });
        // Who is heard of has only missed this lease, and goes on with its loops.
        if (!workers.has(worker)) places.leave(worker);
        await takeOver(remote);
      }
    }
    if (now - lookedAgain < LOOK_AGAIN) return;
    lookedAgain = now;
    for (const execution of around.live()) lookAgain(execution);
  }

  /** Work that is ready and that nobody has is in the queue, whatever became of the ring for it. */
  function lookAgain({ id, durable }: LiveExecution): void {
    for (const effect of pendingEffects(durable())) {
      if (effect.kind === 'dispatch' && !held.isTaken(id, effect.work)) around.ready(id, effect.work, effect.step);
    }
  }

  async function adopt(id: string, plan: Plan, state: ExecutionState): Promise<void> {
    for (const lease of await log.leases(id, 'all')) {
      const work = workOfKey(lease.work);
      const assignment = assignmentOf(state, work);
      const renewal = assignment === undefined ? [] : await log.renew([{ ...idOf(lease), ttl }]);
      if (assignment === undefined) await log.release([lease]);
      if (assignment === undefined || renewal[0] !== true) continue;
      const given = held.give(id, plan, assignment, false);
      if (given !== undefined) register(idOf(lease), lease.worker, given);
      places.take(id, plan, assignment.step, work, lease.worker);
    }
  }

  return {
    ttl,
    workers,
    claim,
    report: (reports) => Promise.all(reports.map(reportOne)),
    heartbeat,
    release,
    async leave({ name }) {
      workers.leave(name);
      places.leave(name);
      for (const remote of [...remotes.values()])
        if (remote.ticket.worker === name && !remote.lost) await giveBack(remote);
    },
    under(ticket) {
      const remote = found(ticket);
      if (remote === undefined) throw new LeaseGone(ticket);
      return remote.work;
    },
    adopt,
    leased: async (id) => new Set((await log.leases(id)).map(({ work }) => work)),
    close() {
      closed = true;
      void stop();
    },
  };

  async function giveBack(remote: Remote): Promise<void> {
    const { execution, assignment } = remote.work;
    await log.release([remote.id]);
    letGo(remote);
    around.ready(execution, assignment.work, assignment.step);
  }
}

const idOf = ({ execution, work, epoch }: LeaseId): LeaseId => ({ execution, work, epoch });

/** The server ends: who asks again finds the next one. */
export class ExchangeClosed extends Error {
  override name = 'ExchangeClosed';
  constructor() {
    super('the server is stopping. Ask again when it is back.');
  }
}
