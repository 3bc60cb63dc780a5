import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DriverProcess } from './drivers.ts';
import { append } from './log-under-test.testing.ts';
import type { Store } from './store.ts';

/** An empty store under test. */
export interface OpenedDrivers {
  readonly store: Store;
  /** Lets time pass on the store's clock, at least so many milliseconds. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const LONG = 600_000;
const SHORT = 50;
const PIECE = 10;

/** What every store promises about drivers. */
export function driversContract(name: string, open: () => Promise<OpenedDrivers>): void {
  describe(`the drivers (${name})`, () => {
    let opened: OpenedDrivers;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const driver = (id: string): DriverProcess => ({ id, pid: 42, startedAt: `start of ${id}` });
    const beat = (id: string, ttl = LONG) => opened.store.drivers.beat(driver(id), ttl);
    const drive = (id: string, ...executions: readonly string[]) => opened.store.drivers.drive(id, executions);
    const lease = (execution: string, work: string, worker: string) =>
      opened.store.log.claim([{ execution, work, worker, ttl: LONG }]);
    const leased = async (execution: string) => (await opened.store.log.leases(execution)).map(({ work }) => work);

    it('are one for each execution', async () => {
      expect([await beat('one'), await beat('two')]).toEqual(['alive', 'alive']);
      expect(await drive('one', 'a', 'b')).toEqual(['taken', 'taken']);
      expect(await drive('two', 'b', 'c')).toEqual(['refused', 'taken']);
      expect(await drive('one', 'a')).toEqual(['taken']);
      expect(await opened.store.drivers.driverOf('b')).toMatchObject(driver('one'));
      expect(await opened.store.drivers.driverOf('d')).toBeUndefined();
    });

    it('are one also if 20 try at once', async () => {
      const ids = Array.from({ length: 20 }, (_, nth) => `p${nth}`);
      await Promise.all(ids.map((id) => beat(id)));
      const taken = await Promise.all(ids.map((id) => drive(id, 'a')));
      expect(taken.flat().filter((taking) => taking === 'taken')).toHaveLength(1);
    });

    it('have to make themselves known', async () => {
      expect(await drive('unknown', 'a')).toEqual(['refused']);
      expect(await opened.store.drivers.driverOf('a')).toBeUndefined();
    });

    it('keep their executions while they beat', async () => {
      await beat('one', SHORT);
      await beat('two');
      await drive('one', 'a');
      await beat('one', LONG);
      await opened.pass(2 * SHORT);
      expect(await drive('two', 'a')).toEqual(['refused']);
      const remaining = (await opened.store.drivers.driverOf('a'))?.remaining;
      expect(remaining).toBeGreaterThan(0);
      expect(remaining).toBeLessThanOrEqual(LONG);
    });

    it('lose them to the next one that asks, if they no longer beat, and are told so', async () => {
      await beat('one', SHORT);
      await beat('two');
      await drive('one', 'a', 'b');
      await opened.pass(2 * SHORT);
      expect((await opened.store.drivers.driverOf('a'))?.remaining).toBeLessThanOrEqual(0);
      expect(await drive('two', 'a')).toEqual(['taken over']);
      expect(await beat('one')).toBe('lost');
      expect(await drive('one', 'b')).toEqual(['refused']);
      expect(await opened.store.drivers.driverOf('b')).toBeUndefined();
    });

    it('that are late may go on if nobody has missed them', async () => {
      await beat('one', SHORT);
      await drive('one', 'a');
      await opened.pass(2 * SHORT);
      expect(await beat('one')).toBe('alive');
      await beat('two');
      expect(await drive('two', 'a')).toEqual(['refused']);
    });

    it('that are known to be dead can be buried before their time', async () => {
      await beat('one');
      await beat('two');
      await drive('one', 'a');
      await opened.store.drivers.bury(['one', 'nobody']);
      expect(await opened.store.drivers.driverOf('a')).toBeUndefined();
      expect(await drive('two', 'a')).toEqual(['taken over']);
      expect(await beat('one')).toBe('lost');
      expect((await opened.store.drivers.processes()).map(({ id }) => id)).toEqual(['two']);
    });

    it('take the leases of the worker inside them along, at once, and no others', async () => {
      await beat('one');
      await beat('two');
      await drive('one', 'a');
      await drive('two', 'b');
      const [held] = await lease('a', '1', 'one');
      await lease('a', '2', 'remote');
      await lease('b', '1', 'two');
      await opened.store.drivers.bury(['one']);
      expect(await leased('a')).toEqual(['2']);
      expect(await leased('b')).toEqual(['1']);
      const report = append('a', 0, { under: held === undefined ? [] : [held] });
      expect(await opened.store.log.append([report])).toEqual([{ kind: 'fenced', work: '1' }]);
      expect(await lease('a', '1', 'two')).toMatchObject([{ epoch: 2 }]);
    });

    it('take leases along also when their heartbeats have run out', async () => {
      await beat('one', SHORT);
      await beat('two');
      await drive('one', 'a');
      await lease('a', '1', 'one');
      await opened.pass(2 * SHORT);
      await drive('two', 'a');
      expect(await leased('a')).toEqual([]);
    });

    describe('that are kept alive', () => {
      /** Lets time pass in small pieces, and everybody do what is due in between. */
      async function live(pieces: number): Promise<void> {
        for (let piece = 0; piece < pieces; piece++) {
          await opened.pass(PIECE);
          await opened.store.drivers.processes();
        }
      }

      async function keep(id: string): Promise<{ stop(): void; losses(): number }> {
        await beat(id, SHORT);
        let losses = 0;
        const stop = opened.store.drivers.keepAlive(driver(id), SHORT, () => {
          losses += 1;
        });
        return { stop, losses: () => losses };
      }

      it('keep their executions without beating themselves', async () => {
        const { losses } = await keep('one');
        await beat('two');
        await drive('one', 'a');
        await live(20);
        expect((await opened.store.drivers.driverOf('a'))?.remaining).toBeGreaterThan(0);
        expect(await drive('two', 'a')).toEqual(['refused']);
        expect(losses()).toBe(0);
      });

      it('are so until they are stopped', async () => {
        const { stop, losses } = await keep('one');
        await beat('two');
        await drive('one', 'a');
        await live(10);
        stop();
        await live(10);
        expect((await opened.store.drivers.driverOf('a'))?.remaining).toBeLessThanOrEqual(0);
        expect(await drive('two', 'a')).toEqual(['taken over']);
        await live(10);
        expect(losses()).toBe(0);
      });

      it('are told once when somebody has buried them, and stay buried', async () => {
        const { losses } = await keep('one');
        await beat('two');
        await drive('one', 'a');
        await opened.store.drivers.bury(['one']);
        await live(20);
        expect(losses()).toBe(1);
        expect((await opened.store.drivers.processes()).map(({ id }) => id)).toEqual(['two']);
      });

      it('are several beside each other, each for itself', async () => {
        const one = await keep('one');
        const two = await keep('two');
        await opened.store.drivers.bury(['one']);
        await live(20);
        expect([one.losses(), two.losses()]).toEqual([1, 0]);
        expect(await opened.store.drivers.processes()).toMatchObject([{ id: 'two' }]);
        two.stop();
      });
    });

    it('append only while nobody has buried them', async () => {
      await beat('one');
      const appended = async (driver: string, expected: number) =>
        (await opened.store.log.append([append('a', expected, { driver })]))[0]?.kind;
      expect(await appended('one', 0)).toBe('appended');
      await opened.store.drivers.bury(['one']);
      expect([await appended('one', 1), await appended('one', 7), await appended('unknown', 1)]).toEqual(
        Array(3).fill('lost'),
      );
      expect(await opened.store.log.position('a')).toBe(1);
    });

    it('take an execution with its first events, where they are appended', async () => {
      await beat('one');
      await beat('two');
      const begun = async (execution: string, expected: number) =>
        (await opened.store.log.append([append(execution, expected, { driver: 'one', takes: true })]))[0]?.kind;
      expect([await begun('a', 0), await begun('b', 3)]).toEqual(['appended', 'conflict']);
      expect(await opened.store.drivers.driverOf('a')).toMatchObject({ id: 'one' });
      expect(await opened.store.drivers.driverOf('b')).toBeUndefined();
      expect(await drive('two', 'a', 'b')).toEqual(['refused', 'taken']);
      await opened.store.drivers.bury(['one']);
      expect(await drive('two', 'a')).toEqual(['taken over']);
    });

    it('that have died leave their executions to be taken over, once', async () => {
      await beat('one');
      await beat('two', SHORT);
      await beat('three');
      await drive('one', 'a', 'b');
      await opened.store.drivers.bury(['one']);
      expect(await drive('two', 'a', 'b', 'c')).toEqual(['taken over', 'taken over', 'taken']);
      expect(await drive('two', 'a')).toEqual(['taken']);
      await opened.store.drivers.leave('two', ['b']);
      expect(await drive('three', 'b')).toEqual(['taken']);
      await opened.pass(2 * SHORT);
      expect(await drive('three', 'a', 'c')).toEqual(['taken over', 'taken over']);
    });

    it('that end in good order leave their executions to be taken', async () => {
      await beat('one');
      await beat('two');
      await drive('one', 'a');
      const [held] = await lease('a', '1', 'one');
      await opened.store.drivers.retire('one');
      expect(await opened.store.drivers.driverOf('a')).toBeUndefined();
      expect((await opened.store.drivers.processes()).map(({ id }) => id)).toEqual(['two']);
      expect(await leased('a')).toEqual([]);
      expect(held?.epoch).toBe(1);
      expect(await drive('two', 'a')).toEqual(['taken']);
      expect([await beat('one'), await drive('one', 'b')]).toEqual(['lost', ['refused']]);
    });

    it('can leave executions to others, but only their own', async () => {
      await beat('one');
      await beat('two');
      await drive('one', 'a', 'b');
      await opened.store.drivers.leave('two', ['a']);
      await opened.store.drivers.leave('one', ['b', 'c']);
      expect(await drive('two', 'a', 'b')).toEqual(['refused', 'taken']);
    });
  });
}
