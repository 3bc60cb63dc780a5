import type { SourcedPlan } from '../cli/sourced-plan.ts';
import type { GivenWork, WorkerCard } from '../ports/work-exchange.ts';
import { ServerAway } from '../worker/server-calls.ts';
import { chanceOf } from './dice.testing.ts';
import type { Faults } from './faults.testing.ts';
import { createLeaseWatch, type LeaseWatch } from './lease-watch.testing.ts';
import type { Life, LifeOptions } from './life.testing.ts';
import { type ListeningServer, type NetworkWitness, simulatedCalls } from './network.testing.ts';
import type { CrashMoment, ProcessOptions, SimulatedProcess } from './process.testing.ts';
import { startProcess } from './process.testing.ts';
import type { Schedule } from './schedule.testing.ts';
import { scriptedTools, type ToolWitness } from './scripted-tool.testing.ts';
import type { Sometimes } from './sometimes.testing.ts';
import type { RemoteStory, WorkerHome } from './story.testing.ts';
import { createUnclaimedWork } from './unclaimed-work.testing.ts';
import { Violation } from './violation.testing.ts';
import type { WatchedExecution } from './watched-execution.testing.ts';
import { liveAsWorker } from './worker-life.testing.ts';

/** The workers of a story, and the server that answers them. */
export interface Workforce {
  readonly leases: LeaseWatch;
  /** The part of the life of a server that has to do with workers. */
  served(process: SimulatedProcess): Pick<LifeOptions, 'remote' | 'ready'>;
  /** A server is dead: whoever asked it is told. */
  lost(process: SimulatedProcess): void;
  /** A worker of every kind comes to work. */
  employ(): void;
}

interface WorkforceOptions {
  readonly seed: number;
  readonly remote: RemoteStory;
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly sometimes: Sometimes;
  readonly tools: ToolWitness;
  readonly plans: ReadonlyMap<string, SourcedPlan>;
  readonly executions: ReadonlyMap<string, WatchedExecution>;
  /** What processes have in common. */
  readonly common: Pick<
    ProcessOptions,
    'seed' | 'ordered' | 'late' | 'schedule' | 'faults' | 'nextCall' | 'note' | 'belated'
  >;
  /** A witness that objects stops the world. */
  guarded<Args extends readonly unknown[]>(witness: (...args: Args) => void): (...args: Args) => void;
  /** A worker is dead. */
  died(process: SimulatedProcess, how: CrashMoment): void;
  exited(process: SimulatedProcess, reason: unknown): void;
}

/** The numbers of workers among processes. */
const FIRST_START = 1_000;
/** The same in every story: capabilities must be the same when a server starts again. */
const KEY = Buffer.from('a key that outlives servers');

/** How often it is looked for work that nobody claims, and how long what went wrong is felt, in milliseconds. */
const LOOK = 1_000;
const AFTERMATH = 30_000;

interface Employed {
  readonly card: WorkerCard;
  readonly process: SimulatedProcess;
  readonly life: Life;
}

export function createWorkforce(options: WorkforceOptions): Workforce {
  const { seed, remote, schedule, faults, sometimes, guarded } = options;
  const cards = new Map<string, WorkerCard>();
  const employed = new Map<SimulatedProcess, Employed>();
  const planOf = (execution: WatchedExecution) => {
    const [first] = execution.events;
    return first?.name === 'playbook.execution.requested' ? options.plans.get(first.payload.path)?.plan : undefined;
  };
  const leases = createLeaseWatch({
    sometimes,
    now: schedule.now,
    began: () => began,
    executionOf: (id) => options.executions.get(id),
    planOf,
    cardOf: (worker) => cards.get(worker),
  });
  let server: ListeningServer | undefined;
  let drain: ((worker: string) => void) | undefined;
  let starts = 0;
  let began = schedule.now();
  let servers = 0;

  const unclaimed = createUnclaimedWork({ executions: options.executions, leases, planOf });
  let calm: number | undefined;
  let looking = false;

  const look = guarded(() => {
    if (faults.over) calm ??= schedule.now();
    if (calm !== undefined && schedule.now() > calm + AFTERMATH) unclaimed.look(schedule.now());
    schedule.at(schedule.now() + LOOK, look);
  });

  const witness: NetworkWitness = {
    heard: leases.heard,
    waits: unclaimed.waits,
    given: guarded((works: readonly GivenWork[]) => leases.given(works)),
    reported: (report) => {
      const told = leases.reported(report);
      return guarded(told);
    },
    fooled: guarded(leases.fooled),
    toldGone: () => sometimes.met('a heartbeat tells that a lease is gone'),
    disturbed(kind, what) {
      if (what === 'claim' && kind === 'unknown') {
        sometimes.met('a claim was answered, and its worker has not heard of it');
      }
      if (what === 'heartbeat' && (kind === 'refused' || kind === 'unknown')) sometimes.met('a heartbeat is lost');
    },
    failed: guarded((error: unknown) => {
      throw new Violation(
        'no shell fails by itself',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }),
  };

  function employ(index: number, generation: number): void {
    const home = remote.workers[index % remote.workers.length];
    if (home === undefined) return;
    const start = FIRST_START + ++starts;
    const moved = !faults.over && generation > 0 && chanceOf(seed, 41, index, generation) % 4 === 0;
    if (moved) sometimes.met('a worker comes back in another pool');
    const card = cardOf(moved ? { ...home, pool: home.pool === 'gpu' ? 'default' : 'gpu', labels: {} } : home, start);
    cards.set(card.name, card);
    const process = startProcess({
      ...options.common,
      start,
      died: (dead, how) => {
        if (how !== 'exit') sometimes.met('a worker dies');
        employed.delete(dead);
        options.died(dead, how);
        schedule.at(schedule.now() + 200 + (chanceOf(seed, 42, start) % 4_000), () => employ(index, generation + 1));
      },
      stalled: () => sometimes.met('a worker stands still for longer than its lease'),
      stop: (stopped) => employed.get(stopped)?.life.stop(),
      drain: () => {
        sometimes.met('a worker is let go by its server');
        drain?.(card.name);
      },
    });
    const life = liveAsWorker({
      process,
      card,
      calls: simulatedCalls(process, { seed, witness, server: () => server }),
      tools: scriptedTools(process, options.tools),
      exited: (reason) => options.exited(process, reason),
    });
    employed.set(process, { card, process, life });
    const fate = faults.fateOf(start);
    if (fate === undefined) return;
    schedule.at(schedule.now() + fate.after, () => (fate.kind === 'stall' ? process.stall() : process.crash('idle')));
  }

  const cardOf = ({ pool, labels, slots }: WorkerHome, start: number): WorkerCard => ({
    name: `w${start}`,
    pool,
    labels,
    slots,
    host: 'here',
    pid: start,
  });

  return {
    leases,
    served(process) {
      began = schedule.now();
      return {
        remote: { key: KEY, ttl: remote.ttl },
        ready: (exchange) => {
          if (process.state === 'dead') return;
          servers += 1;
          if (servers > 1) sometimes.met('a server starts again while workers work');
          server = { process, exchange, open: new Set() };
          drain = (worker) => exchange.workers.drain(worker);
        },
      };
    },
    lost(process) {
      if (server?.process !== process) return;
      const { open } = server;
      server = undefined;
      drain = undefined;
      for (const fail of [...open]) fail(new ServerAway('the connection is broken.'));
    },
    employ() {
      if (!looking) look();
      looking = true;
      for (const index of remote.workers.keys()) employ(index, 0);
    },
  };
}
