import type { ExecutionEvent, Instant, Plan } from '@noetl/engine';
import { isOfRun, leaseEndOf } from '../ports/lease-end.ts';
import type { LeaseTicket, WorkerCard } from '../ports/work-exchange.ts';
import { isOfPool } from '../server/worker-pool.ts';
import type { StoreWitness } from './faulty-store.testing.ts';
import type { NetworkWitness } from './network.testing.ts';
import type { Sometimes } from './sometimes.testing.ts';
import { Violation } from './violation.testing.ts';
import type { WatchedExecution } from './watched-execution.testing.ts';

/** Follows every lease from its claim to its end, and what is given and reported under it. */
export interface LeaseWatch
  extends Pick<StoreWitness, 'claimed' | 'renewed' | 'released'>,
    Pick<NetworkWitness, 'heard' | 'given' | 'reported' | 'fooled'> {
  /** What was appended to an execution. */
  appended(execution: WatchedExecution, events: readonly ExecutionEvent[]): void;
  /** Whether somebody has a valid lease on the work. */
  isLeased(execution: string, work: string): boolean;
}

interface LeaseWatchOptions {
  readonly sometimes: Sometimes;
  now(): Instant;
  /** When the server that is there was started. */
  began(): Instant;
  executionOf(id: string): WatchedExecution | undefined;
  planOf(execution: WatchedExecution): Plan | undefined;
  cardOf(worker: string): WorkerCard | undefined;
}

interface Watched {
  readonly execution: string;
  readonly work: string;
  readonly worker: string;
  readonly epoch: number;
  readonly ttl: number;
  until: Instant;
  /** Whether its worker was sent it. */
  given: boolean;
  /** Whether its worker was silent for so long meanwhile that it counted as lost. */
  lapsed: boolean;
}

/** The name under which takeovers are counted: it is no worker. */
const COUNTING = 'takeovers';

export function createLeaseWatch(options: LeaseWatchOptions): LeaseWatch {
  const { sometimes, now, executionOf, planOf } = options;
  const leases = new Map<string, Watched>();
  const epochs = new Map<string, number>();
  /** Work that is over, whose epochs a store may forget: a claim that was on its way begins with the first again. */
  const forgotten = (execution: string, work: string): boolean =>
    written.has(`${execution} finished`) || isOver(execution, work);
  /** When a server has last heard of each worker. */
  const heard = new Map<string, Instant>();
  /** Reports that were taken, by lease and number. */
  const taken = new Set<string>();
  /** What logs say of work, so that it is found. */
  const written = new Set<string>();

  const nameOf = (execution: string, work: string): string => `${execution} ${work}`;
  const isValid = (lease: Watched | undefined): boolean => lease !== undefined && lease.until > now();
  const givenIn = (execution: string): readonly Watched[] =>
    [...leases.values()].filter((lease) => lease.execution === execution && lease.given && isValid(lease));

  function checkPool(plan: Plan, step: string, worker: string): void {
    const card = options.cardOf(worker);
    const pool = plan.steps.get(step)?.pool ?? '';
    if (card === undefined || isOfPool(card, pool)) return;
    throw new Violation('work is done in its pool', `${step} is for '${pool}', and ${worker} of ${card.pool} has it`);
  }

  /** DESIGN §4: all iterations inside the outermost loop that stays in one place are with one worker, unless it is lost. */
  function checkPlace(plan: Plan, step: string, lease: Watched): void {
    const parts = partsOf(lease.work);
    let loop = plan.steps.get(step)?.loop;
    for (let level = 1; loop !== undefined && level < parts.length; level++, loop = loop.inner) {
      if (loop.exec !== 'local') continue;
      const inside = parts.slice(0, level);
      const beside = givenIn(lease.execution).find(
        ({ work, worker, ttl, lapsed }) =>
          worker !== lease.worker &&
          !lapsed &&
          isInside(partsOf(work), inside) &&
          now() < (heard.get(worker) ?? 0) + ttl,
      );
      if (beside === undefined) return;
      const text = `${lease.work} of ${lease.execution} is with ${lease.worker}, and ${beside.work} with ${beside.worker}`;
      throw new Violation('a local loop is with one worker at a time', text);
    }
  }

  /** ENG-8, across crashes of servers and workers. */
  function checkWindows(execution: WatchedExecution, { work }: Watched): void {
    const parts = partsOf(work);
    for (let level = 1; level < parts.length; level++) {
      const loop = parts.slice(0, level);
      const id = `${execution.id}:${joined(loop)}`;
      const window = execution.loops.get(id)?.window;
      const inside = givenIn(execution.id).filter((lease) => isInside(partsOf(lease.work), loop));
      const iterations = new Set(inside.map((lease) => partsOf(lease.work)[level]));
      if (window === undefined || iterations.size <= window) continue;
      throw new Violation('max_in_flight is never exceeded', `${iterations.size} iterations of ${id} are leased`);
    }
  }

  function isInLog({ execution, work }: LeaseTicket, event: ReportedEvent): boolean {
    const known = executionOf(execution);
    if (known === undefined) return false;
    // What is over, or on its way to its end, takes nothing any more.
    const isEnding = known.stateAt(known.events.length).failure !== undefined;
    if (isEnding || written.has(`${execution} over`) || isOver(execution, work)) return true;
    if (event.task === undefined) return event.name !== 'finished';
    const { label, visit, attempt } = event.task;
    return written.has(`${event.name} ${execution}:${work}:${label}:${visit} ${attempt}`);
  }

  const isOver = (execution: string, work: string): boolean => {
    const parts = partsOf(work);
    return parts.some((_, at) => written.has(`${execution}:${joined(parts.slice(0, at + 1))} over`));
  };

  function end(execution: string, isEnded: (work: string) => boolean): void {
    for (const [name, lease] of leases) if (lease.execution === execution && isEnded(lease.work)) leases.delete(name);
  }

  return {
    isLeased: (execution, work) => isValid(leases.get(nameOf(execution, work))),
    claimed(claims, granted) {
      claims.forEach(({ execution, work, worker, ttl }, nth) => {
        const lease = granted[nth];
        if (lease === undefined) return;
        const name = nameOf(execution, work);
        const before = leases.get(name);
        if (isValid(before)) {
          const text = `${worker} is given ${work} of ${execution}, which ${before?.worker} has`;
          throw new Violation('work has one lease at a time', text);
        }
        if (lease.epoch <= (epochs.get(name) ?? 0) && !forgotten(execution, work)) {
          throw new Violation('work has one lease at a time', `the epoch of ${name} goes back to ${lease.epoch}`);
        }
        // Whose lease expired while no server was there has not been asked whether it goes on.
        if (before?.given && now() < options.began() + before.ttl) {
          const text = `${work} of ${execution} is taken from ${before.worker} too soon after the start`;
          throw new Violation('a server that starts gives every lease a fresh ttl', text);
        }
        if (before !== undefined && worker !== COUNTING) sometimes.met('work is leased again after its lease expired');
        epochs.set(name, Math.max(lease.epoch, epochs.get(name) ?? 0));
        leases.set(name, {
          execution,
          work,
          worker,
          epoch: lease.epoch,
          ttl,
          until: now() + ttl,
          given: false,
          lapsed: false,
        });
      });
    },
    renewed(renewals, answers) {
      renewals.forEach(({ execution, work, epoch, ttl }, nth) => {
        const lease = leases.get(nameOf(execution, work));
        if (answers[nth] === true && lease?.epoch === epoch) lease.until = now() + ttl;
      });
    },
    released(ended) {
      for (const { execution, work, epoch } of ended) {
        const name = nameOf(execution, work);
        if (leases.get(name)?.epoch === epoch) leases.delete(name);
      }
    },
    appended(execution, events) {
      for (const event of events) {
        const ended = leaseEndOf(event);
        const { name, task_run_id, attempt } = event;
        if (task_run_id !== undefined) written.add(`${name} ${task_run_id} ${attempt}`);
        if (name === 'playbook.cancel.requested' || name === 'workflow.finished') written.add(`${execution.id} over`);
        if (ended === undefined) continue;
        if (ended.of === 'execution') {
          written.add(`${execution.id} finished`);
          end(execution.id, () => true);
        } else if (ended.of === 'run') {
          written.add(`${execution.id}:${ended.run} over`);
          end(execution.id, (work) => isOfRun(work, ended.run));
        } else {
          if (ended.of === 'work') written.add(`${execution.id}:${ended.work} over`);
          end(execution.id, (work) => work === ended.work);
        }
      }
    },
    given(works) {
      for (const { lease: ticket, assignment } of works) {
        const lease = leases.get(nameOf(ticket.execution, ticket.work));
        const execution = executionOf(ticket.execution);
        const plan = execution && planOf(execution);
        if (lease?.epoch !== ticket.epoch || !isValid(lease) || execution === undefined || plan === undefined) continue;
        lease.given = true;
        checkPool(plan, assignment.step, ticket.worker);
        checkPlace(plan, assignment.step, lease);
        checkWindows(execution, lease);
      }
    },
    reported({ lease, nth, events }) {
      const name = nameOf(lease.execution, lease.work);
      const report = `${name} ${lease.epoch} ${nth}`;
      const stale = (epochs.get(name) ?? 0) > lease.epoch;
      if (stale) sometimes.met('a report comes under an old lease');
      if (taken.has(report)) sometimes.met('a report that was taken comes again');
      return (answer) => {
        if (answer !== 'taken') return;
        if (stale && !taken.has(report)) {
          const text = `${lease.worker} reports on ${name} under epoch ${lease.epoch} of ${epochs.get(name)}`;
          throw new Violation('an old lease never reports', text);
        }
        taken.add(report);
        const missing = events.find((event) => !isInLog(lease, event as ReportedEvent));
        if (missing === undefined) return;
        throw new Violation('a report that was taken is in the log', `${missing.name} of ${name} is not`);
      };
    },
    heard(worker) {
      const silence = now() - (heard.get(worker) ?? now());
      for (const lease of leases.values()) if (lease.worker === worker) lease.lapsed ||= silence >= lease.ttl;
      heard.set(worker, now());
    },
    fooled(lease) {
      throw new Violation('a lease needs its capability', `${lease.work} of ${lease.execution} is taken without`);
    },
  };
}

interface ReportedEvent {
  readonly name: string;
  readonly task?: { readonly label: string; readonly visit: number; readonly attempt: number };
}

/** Of `2:1.0` the run and the place in each loop. */
const partsOf = (work: string): readonly string[] => work.split(/[:.]/);
const joined = ([run = '', ...path]: readonly string[]): string =>
  path.length === 0 ? run : `${run}:${path.join('.')}`;
const isInside = (work: readonly string[], loop: readonly string[]): boolean =>
  work.length > loop.length && loop.every((part, at) => work[at] === part);
