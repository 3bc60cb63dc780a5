import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import type { DriverProcess } from '../../ports/drivers.ts';
import type { Store } from '../../ports/store.ts';
import { openSqliteStore } from './store.ts';

/** Long enough for a thread to get its turn on a busy machine. */
const TTL = 1_500;
const BLOCKED = 2 * TTL;
const LONG = 600_000;
const SELF: DriverProcess = { id: 'self', pid: 1, startedAt: 'then' };
const OTHER: DriverProcess = { id: 'other', pid: 2, startedAt: 'then' };

const machineClock: Clock = {
  now: () => Date.now(),
  at(instant, callback) {
    const timer = setTimeout(callback, instant - Date.now());
    return () => clearTimeout(timer);
  },
};

/** Nothing else of this thread runs meanwhile. */
const blockThread = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

describe('heartbeats on the thread of the store (DESIGN §4)', { timeout: 60_000 }, () => {
  let folder: string;
  let store: Store;
  /** Of another process, which would take the executions of one that seems to be dead. */
  let other: Store;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-alive-'));
    store = await openSqliteStore(folder, machineClock);
    other = await openSqliteStore(folder, machineClock, { thread: false });
    await store.drivers.beat(SELF, TTL);
    await store.drivers.drive(SELF.id, ['a']);
    await other.drivers.beat(OTHER, LONG);
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    await rm(folder, { recursive: true });
  });

  it('keep a driver alive whose main thread is busy for longer than its ttl', async () => {
    store.drivers.keepAlive(SELF, TTL, () => undefined);
    blockThread(BLOCKED);
    expect(await other.drivers.drive(OTHER.id, ['a'])).toEqual(['refused']);
    expect((await other.drivers.driverOf('a'))?.remaining).toBeGreaterThan(0);
  });

  it('go on while the store itself has something to do without a pause', async () => {
    let busy = true;
    store.drivers.keepAlive(SELF, TTL, () => undefined);
    const asking = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (busy) await store.drivers.processes();
      }),
    );
    await sleep(BLOCKED);
    expect(await other.drivers.drive(OTHER.id, ['a'])).toEqual(['refused']);
    busy = false;
    await asking;
  });

  it.each<[string, (stop: () => void) => Promise<void> | void]>([
    ['stopped', (stop) => stop()],
    ['closed with the store', () => store.close()],
  ])('end when they are %s', async (_, end) => {
    await end(store.drivers.keepAlive(SELF, TTL, () => undefined));
    const last = (await other.drivers.driverOf('a'))?.remaining ?? 0;
    await sleep(Math.max(last, 0) + TTL);
    expect(await other.drivers.drive(OTHER.id, ['a'])).toEqual(['taken over']);
  });

  it('tell a driver that another process has buried it', async () => {
    const lost = new Promise<void>((resolve) => {
      store.drivers.keepAlive(SELF, TTL, resolve);
    });
    await other.drivers.bury([SELF.id]);
    await lost;
    expect((await other.drivers.processes()).map(({ id }) => id)).toEqual([OTHER.id]);
  });
});
