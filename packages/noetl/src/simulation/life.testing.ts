import type { ExecutionEvent, ExecutionState } from '@noetl/engine';
import { folderSecrets } from '../cli/folder-secrets.ts';
import { type LocalDriver, openLocalDriver } from '../cli/local-driver.ts';
import type { Machine } from '../cli/machine.ts';
import { unfinishedBelow } from '../cli/root-execution.ts';
import type { SourcedPlan } from '../cli/sourced-plan.ts';
import { DriverLost } from '../ports/driver-lost.ts';
import type { ResultStore } from '../ports/result-store.ts';
import type { Store } from '../ports/store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { ExecutionEnd } from '../server/ends.ts';
import type { RemoteOptions } from '../server/remote-leases.ts';
import type { Tools } from '../tools/registry.ts';
import { ALIVE, type SimulatedProcess } from './process.testing.ts';

/** What a process of the program is given. */
export interface LifeOptions {
  readonly process: SimulatedProcess;
  readonly store: Store;
  readonly results: ResultStore;
  readonly tools: Tools;
  readonly slots: number;
  /** Whether it goes on where its store fails for a while. */
  readonly stays: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** The executions that users want, of the playbook `main`. */
  readonly wanted: readonly string[];
  readonly plans: ReadonlyMap<string, SourcedPlan>;
  /** How workers in other processes get work; without it there are none. */
  readonly remote?: RemoteOptions | undefined;
  /** Told once the executions that are there go on: from now on workers are answered. */
  ready?(exchange: NonNullable<LocalDriver['exchange']>): void;
  isAlive(start: number): boolean;
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
  ended(execution: string, end: ExecutionEnd): void;
  /** The process has ended by itself, because of this if there is a reason. */
  exited(reason: unknown): void;
}

export interface Life {
  /** Asks the process to end in good order. */
  stop(): void;
}

/** How often a process looks for executions that nobody drives, in milliseconds. */
const LOOKOUT = 1_500;
/** How long a process may take to end in good order. */
const PATIENCE = 120_000;

/**
 * The program as `run`, `run --resume` and a server live it: the driver of the command line, which begins what is new and
 * goes on with what it finds without a driver.
 */
export function live(options: LifeOptions): Life {
  const { process, store, wanted, plans } = options;
  const { clock } = process;
  const mine = new Set<string>();
  let driver: LocalDriver | undefined;
  let ending = false;

  function end(reason: unknown): void {
    if (ending) return;
    ending = true;
    clock.at(clock.now() + PATIENCE, () => options.exited(new Error(`process ${process.start} does not end`)));
    const closed = driver === undefined ? Promise.resolve() : driver.close();
    closed.then(
      () => options.exited(reason),
      (error: unknown) => options.exited(error),
    );
  }

  async function attend(opened: LocalDriver): Promise<void> {
    for (let isReady = false; ; ) {
      let failures = 0;
      for (const id of wanted) {
        if (ending || (mine.has(id) && !options.stays)) continue;
        const caring = mine.has(id) ? goOnBelow(opened, id) : care(opened, id);
        await caring.catch((error: unknown) => {
          failures += 1;
          failed(id, error);
        });
      }
      if (ending) return;
      if (!isReady && failures === 0 && opened.exchange !== undefined) options.ready?.(opened.exchange);
      isReady ||= failures === 0;
      await new Promise<void>((wake) => clock.at(clock.now() + LOOKOUT, wake));
    }
  }

  /** `run` ends where an execution cannot go on; a server tries again later. */
  function failed(id: string, error: unknown): void {
    if (options.stays && error instanceof StoreError) mine.delete(id);
    else end(error);
  }

  /** As `run` begins an execution, and `run --resume` goes on with it and with those that it called. */
  async function care(opened: LocalDriver, id: string): Promise<void> {
    if (await isOver(id)) return;
    const exists = (await store.executions.get(id)) !== undefined;
    if (exists && !(await opened.take(id))) return;
    mine.add(id);
    opened.over(id).then(
      (over) => options.ended(id, over),
      (error: unknown) => failed(id, error),
    );
    const source = plans.get('main');
    if (source === undefined) return;
    if (!exists) {
      const answer = await opened.start(source, { execution_id: id, payload: {} });
      // Where the request arrived twice, it exists already: whoever looks for it next goes on with it.
      if (answer.kind !== 'done') end(undefined);
      return;
    }
    await opened.resume(id, source);
    await goOnBelow(opened, id);
  }

  /** Also with what was given up here because the store failed, as a server does every few seconds. */
  async function goOnBelow(opened: LocalDriver, id: string): Promise<void> {
    for (const child of await unfinishedBelow(id, store.executions)) {
      const called = opened.drives(child) ? undefined : await planOf(child);
      if (called !== undefined) await opened.resume(child, called);
    }
  }

  async function isOver(id: string): Promise<boolean> {
    const known = await store.executions.get(id);
    return known?.endedAt !== undefined && (await unfinishedBelow(id, store.executions)).length === 0;
  }

  const planOf = async (execution: string): Promise<SourcedPlan | undefined> => {
    const known = await store.executions.get(execution);
    return known === undefined ? undefined : plans.get(known.path);
  };

  async function begin(): Promise<void> {
    const data = {
      folder: '',
      store,
      results: options.results,
      sourceFolder: nowhere,
      keepSourceFolder: nowhere,
      close: store.close,
    };
    const machine = machineOf(options);
    driver = await openLocalDriver({
      data,
      machine,
      clock,
      tools: options.tools,
      driverId: driverName(process.start),
      slots: options.slots,
      alive: ALIVE,
      remote: options.remote,
      secrets: folderSecrets(data, machine, clock, () => undefined),
      called: {
        find: async (path) => {
          const found = plans.get(path);
          if (found === undefined) throw new Error(`nobody registered '${path}'`);
          return { kind: 'found', found };
        },
        of: planOf,
      },
      committed: (events, state) => {
        if (process.state !== 'dead') options.committed(events, state);
      },
    });
    if (ending) await driver.close();
    else await attend(driver);
  }

  begin().catch((error: unknown) => end(error));
  return { stop: () => end(undefined) };
}

const nowhere = async (): Promise<undefined> => undefined;

const driverName = (start: number): string => `driver-${start}`;

const machineOf = ({ process, environment, isAlive }: LifeOptions): Machine => ({
  environment,
  user: 'ada',
  workingFolder: '/',
  node: '',
  pid: process.start,
  startedAt: `${process.start}`,
  isAlive: (pid) => isAlive(pid),
  kill: () => undefined,
  startDetached: async () => 0,
  onStop: () => () => undefined,
});

/** What the store could not do is an end that a process may come to; anything else is a bug. */
export const isExpectedEnd = (reason: unknown): boolean =>
  reason === undefined || reason instanceof StoreError || reason instanceof DriverLost;
