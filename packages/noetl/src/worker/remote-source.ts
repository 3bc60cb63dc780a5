import type { Assignment, failure, Plan, WorkerEvent } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { GivenPlaybook, GivenWork, LeaseTicket, WorkExchange, WorkerCard } from '../ports/work-exchange.ts';
import type { HeartbeatEars, Heartbeats } from './heartbeats.ts';
import { joinedReports } from './joined-reports.ts';
import { pause } from './pause.ts';

/** Work that was leased from a server in another process. */
export interface RemoteItem {
  readonly given: GivenWork;
  readonly plan: Plan;
  readonly assignment: Assignment;
  readonly isSuspect: boolean;
  isStopped(): boolean;
  readonly signal: AbortSignal;
}

export interface RemoteSource {
  claim(max: number, signal: AbortSignal): Promise<readonly RemoteItem[]>;
  report(work: RemoteItem, events: readonly WorkerEvent[]): Promise<boolean>;
  release(work: RemoteItem, failed?: ReturnType<typeof failure>): void;
  abandon(work: RemoteItem, reason: unknown): void;
  /** Stops what runs: nothing of it is reported any more, and the server gives it to others. */
  stopAll(): void;
  /** Once everything that was let go of is told. */
  close(): Promise<void>;
}

export interface RemoteSourceOptions {
  readonly exchange: WorkExchange;
  readonly card: WorkerCard;
  readonly clock: Clock;
  heartbeats(ears: HeartbeatEars): Heartbeats;
  /** The playbook of a text; undefined if this release does not take it for valid. */
  planOf(text: string, playbook: GivenPlaybook): Plan | undefined;
  drain(): void;
  /** The server cannot be asked: told once, until it can be. */
  trouble(error: unknown | undefined): void;
}

interface Item extends RemoteItem {
  nth: number;
  /** Whether the server knows that it does not go on here. */
  told: boolean;
  stop(): void;
}

/** Playbooks that are kept: a worker has few at a time. */
const KEPT_PLANS = 100;
/** How far apart claims that fail begin, in milliseconds, doubling: one that failed late is asked again at once. */
const FIRST_PAUSE = 250;
const LAST_PAUSE = 1_000;

/** Takes work from a server, as long as it takes to reach it. */
export function createRemoteSource(options: RemoteSourceOptions): RemoteSource {
  const { exchange, card, clock } = options;
  const items = new Map<string, Item>();
  const plans = new Map<string, Promise<Plan | undefined>>();
  const told = new Set<Promise<void>>();
  const report = joinedReports(exchange);
  const heartbeats = options.heartbeats({
    gone: ({ capability }) => items.get(capability)?.stop(),
    drain: options.drain,
  });
  let failures = 0;

  async function planOf({ lease, playbook }: GivenWork): Promise<Plan | undefined> {
    const key = JSON.stringify(playbook);
    const known = plans.get(key) ?? exchange.playbook(lease).then((text) => options.planOf(text, playbook));
    plans.delete(key);
    plans.set(key, known);
    const [oldest] = plans.keys();
    if (plans.size > KEPT_PLANS && oldest !== undefined) plans.delete(oldest);
    const plan = await known.catch(() => undefined);
    // What could not be had is asked for again with the next work.
    if (plan === undefined && plans.get(key) === known) plans.delete(key);
    return known;
  }

  /** Told in the background: what is never told expires. */
  function tell(lease: LeaseTicket, why: Parameters<WorkExchange['release']>[1]): void {
    const telling = exchange
      .release(lease, why)
      .catch(() => undefined)
      .finally(() => told.delete(telling));
    told.add(telling);
  }

  /** Who is given work again has lost it meanwhile, and need not wait for a heartbeat to learn so. */
  function stopOlder({ execution, work }: LeaseTicket): void {
    for (const { given, stop } of items.values()) {
      if (given.lease.execution === execution && given.lease.work === work) stop();
    }
  }

  async function taken(given: GivenWork): Promise<readonly Item[]> {
    const { lease, assignment, isSuspect } = given;
    stopOlder(lease);
    // The store lost the lease with the power, and gave it again: reports of both would be taken for the same.
    if (items.has(lease.capability)) {
      tell(lease, { lost: true });
      return [];
    }
    heartbeats.hold(lease);
    try {
      const plan = await planOf(given);
      if (plan === undefined) throw new Error('its playbook is not valid for the release of this worker');
      const item = newItem(given, plan, assignment, isSuspect);
      items.set(lease.capability, item);
      return [item];
    } catch (error) {
      heartbeats.drop(lease);
      options.trouble(error);
      tell(lease, { lost: true });
      return [];
    }
  }

  function end(item: Item): void {
    items.delete(item.given.lease.capability);
    heartbeats.drop(item.given.lease);
  }

  async function claim(max: number, signal: AbortSignal): Promise<readonly Item[]> {
    const begun = clock.now();
    try {
      const given = await exchange.claim(card, max, signal);
      failures = 0;
      options.trouble(undefined);
      return (await Promise.all(given.map(taken))).flat();
    } catch (error) {
      if (signal.aborted) return [];
      options.trouble(error);
      const next = begun + Math.min(FIRST_PAUSE * 2 ** failures, LAST_PAUSE);
      if (next > clock.now()) await pause(clock, next, signal);
      failures += 1;
      return [];
    }
  }

  return {
    claim,
    async report(work, events) {
      const item = items.get(work.given.lease.capability);
      if (item === undefined || item.isStopped()) return false;
      item.nth += 1;
      const answer = await report({ lease: work.given.lease, nth: item.nth, events });
      if (answer === 'gone') item.stop();
      item.told ||= answer === 'gone' || events.some(({ name }) => name === 'finished' || name === 'task.waiting');
      return answer === 'taken';
    },
    release(work, failed) {
      const item = items.get(work.given.lease.capability);
      if (item === undefined) return;
      end(item);
      if (!item.told) tell(work.given.lease, failed === undefined || item.isStopped() ? {} : { failed });
    },
    abandon(work, reason) {
      const item = items.get(work.given.lease.capability);
      if (item === undefined) return;
      options.trouble(reason);
      end(item);
      tell(work.given.lease, { lost: true });
    },
    stopAll() {
      for (const item of items.values()) item.stop();
    },
    async close() {
      await heartbeats.close();
      await Promise.all(told);
    },
  };
}

function newItem(given: GivenWork, plan: Plan, assignment: Assignment, isSuspect: boolean): Item {
  const abort = new AbortController();
  return {
    given,
    plan,
    assignment,
    isSuspect,
    isStopped: () => abort.signal.aborted,
    signal: abort.signal,
    nth: 0,
    told: false,
    stop: () => abort.abort(),
  };
}
