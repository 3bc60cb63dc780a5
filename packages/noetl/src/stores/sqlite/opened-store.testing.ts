import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { createVirtualClock, type VirtualClock } from '../../ports/virtual-clock.testing.ts';
import { openSqliteStore, type SqliteOptions, STORE_FILE } from './store.ts';

/** A store in a folder of its own. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly folder: string;
  readonly file: string;
  pass(milliseconds: number): Promise<void>;
  /** Closes the store and removes the folder. */
  close(): Promise<void>;
}

type Open = (folder: string, clock: Clock) => Promise<Store>;

const openWith =
  (options: SqliteOptions): Open =>
  (folder, clock) =>
    openSqliteStore(folder, clock, options);

/** The ways to have a store open, by name. */
export const WAYS: Readonly<Record<string, Open>> = {
  'sqlite in its thread': openWith({}),
  'sqlite in place': openWith({ thread: false }),
  'sqlite, two on one folder': async (folder, clock) =>
    alternating([
      await openSqliteStore(folder, clock, { thread: false }),
      await openSqliteStore(folder, clock, { thread: false }),
    ]),
};

export async function openStore(open: Open = openWith({ thread: false })): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-store-'));
  const clock = createVirtualClock();
  const store = await open(folder, clock);
  return {
    store,
    clock,
    folder,
    file: join(folder, STORE_FILE),
    pass: async (milliseconds) => clock.advanceTo(clock.now() + milliseconds),
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Each call goes to another of the stores than the one before. */
function alternating(stores: readonly Store[]): Store {
  let calls = 0;
  const next = (): Store => stores[calls++ % stores.length] as Store;
  const part = <Name extends Exclude<keyof Store, 'close'>>(name: Name): Store[Name] =>
    new Proxy({} as Store[Name] & object, { get: (_, method) => Reflect.get(next()[name], method) });
  return {
    log: part('log'),
    executions: part('executions'),
    catalog: part('catalog'),
    inputs: part('inputs'),
    drivers: part('drivers'),
    snapshots: part('snapshots'),
    inspection: part('inspection'),
    toolLogs: part('toolLogs'),
    secrets: part('secrets'),
    tokens: part('tokens'),
    audit: part('audit'),
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
}
