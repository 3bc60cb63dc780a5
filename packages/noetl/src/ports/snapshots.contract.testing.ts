import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { append } from './log-under-test.testing.ts';
import { notes } from './sample-events.testing.ts';
import type { Snapshot } from './snapshots.ts';
import type { Store } from './store.ts';

/** An empty store under test, whose parts can be changed behind its back. */
export interface OpenedSnapshots {
  readonly store: Store;
  /** Replaces the text of the state, the form, or the hash of the event that a kept snapshot was made at. */
  damage(execution: string, position: number, part: 'state' | 'format' | 'hash', value: string | number): Promise<void>;
  /** Removes all snapshots. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** What every store promises about snapshots. */
export function snapshotsContract(name: string, open: () => Promise<OpenedSnapshots>): void {
  describe(`the snapshots (${name})`, () => {
    let opened: OpenedSnapshots;
    beforeEach(async () => {
      opened = await open();
      for (const execution of ['a', 'b']) {
        const events = notes(execution, 0, 100);
        await opened.store.log.append([append(execution, 0, { events })]);
      }
    });
    afterEach(() => opened.close());

    const at = (position: number, execution = 'a'): Snapshot => ({
      execution,
      position,
      format: 1,
      state: JSON.stringify({ position, text: 'ä\u0000"' }),
    });
    const put = async (...positions: readonly number[]) => {
      for (const position of positions) await opened.store.snapshots.put(at(position));
    };
    const found = async (until = 100, format = 1) => (await opened.store.snapshots.find('a', format, until))?.position;

    it('are found as they were put, the newest first', async () => {
      await put(10, 40);
      expect(await opened.store.snapshots.find('a', 1, 100)).toEqual(at(40));
      expect(await opened.store.snapshots.find('a', 1, 39)).toEqual(at(10));
      expect(await opened.store.snapshots.find('a', 1, 9)).toBeUndefined();
      expect(await opened.store.snapshots.find('b', 1, 100)).toBeUndefined();
      expect(await opened.store.snapshots.find('none', 1, 100)).toBeUndefined();
    });

    it('are few: no position is further behind one that is kept than it is from the newest', async () => {
      await opened.store.snapshots.put(at(5, 'b'));
      for (let newest = 10; newest <= 100; newest++) {
        await put(newest);
        const kept = (await opened.store.snapshots.list('a')).map(({ position }) => position);
        expect(kept.slice(-2)).toEqual(newest === 10 ? [10] : [newest - 1, newest]);
        expect(kept.length).toBeLessThanOrEqual(2 + 2 * Math.ceil(Math.log2(newest - 8)));
        for (let until = 10; until < newest; until++) {
          const behind = until - (kept.findLast((position) => position <= until) ?? 0);
          expect(behind).toBeLessThanOrEqual(newest - until);
        }
      }
      expect(await opened.store.snapshots.list('b')).toEqual([{ ...at(5, 'b'), flaw: undefined }]);
      expect(await opened.store.snapshots.list('none')).toEqual([]);
    });

    it('of large states are the newest two', async () => {
      for (const position of [10, 20, 30]) {
        await opened.store.snapshots.put({ ...at(position), state: JSON.stringify('x'.repeat(300_000)) });
      }
      expect((await opened.store.snapshots.list('a')).map(({ position }) => position)).toEqual([20, 30]);
    });

    it('of a position are replaced by the next of the same', async () => {
      await put(10);
      const again = { ...at(10), state: '{}' };
      await opened.store.snapshots.put(again);
      expect(await opened.store.snapshots.find('a', 1, 100)).toEqual(again);
    });

    it('are not kept for positions and executions that the log does not have', async () => {
      await put(101);
      await opened.store.snapshots.put({ ...at(1), execution: 'none' });
      expect(await found()).toBeUndefined();
      expect(await opened.store.snapshots.list('none')).toEqual([]);
    });

    it('of another form are not found', async () => {
      await put(10);
      await opened.store.snapshots.put({ ...at(20), format: 2 });
      expect(await found(100, 1)).toBe(10);
      expect(await found(100, 2)).toBe(20);
      expect(await found(100, 3)).toBeUndefined();
    });

    it.each([
      ['state', '{}', 'damaged'],
      ['state', 'no JSON', 'damaged'],
      ['format', 2, 'damaged'],
      ['hash', 'f'.repeat(64), 'of another log'],
    ] as const)(
      'whose %s was changed are not found, but the one before is, and %s is named',
      async (part, value, flaw) => {
        await put(10, 20);
        await opened.damage('a', 20, part, value);
        expect(await found()).toBe(10);
        expect(await found(100, 2)).toBeUndefined();
        const flaws = (await opened.store.snapshots.list('a')).map((kept) => kept.flaw);
        expect(flaws).toEqual([undefined, flaw]);
      },
    );

    it('may be removed at any time', async () => {
      await put(10, 20);
      await opened.clear();
      expect(await found()).toBeUndefined();
      await put(30);
      expect(await found()).toBe(30);
    });
  });
}
