import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_EVENTS } from './event-log.ts';
import { CHAIN_START, followChain } from './inspection.ts';
import { append } from './log-under-test.testing.ts';
import { iterationDone, iterationFailed, note, notes } from './sample-events.testing.ts';
import type { Store } from './store.ts';

/** An empty store under test. */
export interface OpenedInspection {
  readonly store: Store;
  /** Replaces the stored text of an event behind the store's back, or removes it. */
  tamper(execution: string, seq: number, text: string | undefined): Promise<void>;
  /** Makes the index of milestones forget an event; undefined where there is none to forget it. */
  readonly unlist?: (execution: string, seq: number) => Promise<void>;
  close(): Promise<void>;
}

const WHOLE = { hash: expect.stringMatching(/^[0-9a-f]{64}$/) };

/** What every store promises about a look at what it holds. */
export function inspectionContract(name: string, open: () => Promise<OpenedInspection>): void {
  describe(`the inspection (${name})`, () => {
    let opened: OpenedInspection;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const has = (execution: string, ...events: ReturnType<typeof notes>) =>
      opened.store.log.append([append(execution, 0, { events })]);
    const chain = (execution: string) => followChain(opened.store.inspection, execution);

    it('shows the events as they are stored, and the hash of the last', async () => {
      const events = [...notes('a', 0, 2), note('a', 3, 'ä\u0000"\ud800')];
      await has('a', ...events);
      const page = await opened.store.inspection.chain('a', CHAIN_START);
      const hash = events.reduce(
        (before, event) => createHash('sha256').update(before).update(JSON.stringify(event)).digest('hex'),
        '',
      );
      expect(page).toMatchObject({ count: 3, to: { position: 3, hash }, then: 'end' });
      expect(JSON.parse(page.texts)).toEqual(events);
    });

    it('goes through an execution in pages, however long, and also if there is none', async () => {
      await has('long', ...notes('long', 0, 12_500));
      const seen: number[] = [];
      for (let from = CHAIN_START; ; ) {
        const { texts, count, to, then } = await opened.store.inspection.chain('long', from);
        const seqs: number[] = JSON.parse(texts).map(({ seq }: { seq: number }) => seq);
        expect(seqs).toHaveLength(count);
        seen.push(...seqs);
        if (then !== 'more') break;
        from = to;
      }
      expect(seen).toEqual(Array.from({ length: 12_500 }, (_, index) => index + 1));
      expect(await chain('long')).toMatchObject({ position: 12_500, ...WHOLE });
      expect(await chain('none')).toEqual(CHAIN_START);
    });

    it('goes on behind what was read before', async () => {
      await has('a', ...notes('a', 0, 5));
      const { to } = await opened.store.inspection.chain('a', CHAIN_START);
      await opened.store.log.append([append('a', 5)]);
      const page = await opened.store.inspection.chain('a', to);
      expect(JSON.parse(page.texts)).toEqual([note('a', 6)]);
      expect(page.then).toBe('end');
      expect(await opened.store.inspection.chain('a', page.to)).toMatchObject({ texts: '[]', count: 0, then: 'end' });
    });

    const damages: readonly (readonly [what: string, seq: number, text: string | undefined])[] = [
      ['the first event was changed', 1, '{}'],
      ['an event was changed', 1_500, '{}'],
      ['an event became something that is no JSON', 1_500, '{'],
      ['an event was removed', 1_500, undefined],
      ['the last event was changed', 2_000, '{}'],
      ['the last event was removed', 2_000, undefined],
    ];
    it.each(damages)('tells where a log is broken when %s', async (_, seq, text) => {
      await has('a', ...notes('a', 0, 2_000));
      await has('b', ...notes('b', 0, 2_000));
      await opened.tamper('a', seq, text);
      expect(await chain('a')).toMatchObject({ position: seq, what: text === undefined ? expect.any(String) : 'text' });
      expect(await chain('b')).toMatchObject({ position: 2_000, ...WHOLE });
    });

    it('shows everything before the break', async () => {
      await has('a', ...notes('a', 0, 40));
      await opened.tamper('a', 37, '{}');
      const page = await opened.store.inspection.chain('a', CHAIN_START);
      expect(JSON.parse(page.texts)).toEqual(notes('a', 0, 36));
      expect(page).toMatchObject({ count: 36, to: { position: 36 }, then: { position: 37 } });
    });

    it('tells where the index of iterations leads to, and how many ends it has', async () => {
      const ends = ['1:0', '1:1', '1:3.0', '1:3.1'].map((work, nth) =>
        work === '1:1' ? iterationFailed('a', nth + 1, work) : iterationDone('a', nth + 1, work),
      );
      await has('a', ...ends);
      await has('a-1', iterationDone('a-1', 1, '1:0'));
      expect(await opened.store.inspection.indexed('a', 'a:1', [1, 0, 2])).toEqual([2, 1, undefined]);
      expect(await opened.store.inspection.indexed('a', 'a:1:3', [1])).toEqual([4]);
      expect(await opened.store.inspection.indexed('a', 'a:9', [0])).toEqual([undefined]);
      expect(await opened.store.inspection.indexSize('a', 9)).toBe(4);
      expect(await opened.store.inspection.indexSize('a', 3)).toBe(3);
      expect(await opened.store.inspection.indexSize('a-1', 9)).toBe(1);
      expect(await opened.store.inspection.indexSize('none', 9)).toBe(0);
      const size = (loop: string, until: number | null) =>
        opened.store.inspection.sourceSize({ execution_id: 'a', loop, until });
      expect(await size('a:1', null)).toBe(2);
      expect(await size('a:1', 1)).toBe(1);
      expect(await size('a:7', null)).toBe(0);
    });

    it('finds every milestone listed', async () => {
      const events = Array.from({ length: 2_000 }, (_, nth) =>
        nth % 97 === 3 ? note('a', nth + 1) : iterationDone('a', nth + 1, `1:${nth}`),
      );
      for (let from = 0; from < events.length; from += 100) {
        await opened.store.log.append([append('a', from, { events: events.slice(from, from + 100) })]);
      }
      const seqs = events.filter(({ name, seq }) => name === 'signal.received' && seq > FIRST_EVENTS);
      const asked = seqs.map(({ seq }) => seq);
      expect(await opened.store.inspection.unlisted('a', 'story', asked)).toBeUndefined();
      await opened.unlist?.('a', asked[4] ?? 0);
      expect(await opened.store.inspection.unlisted('a', 'story', asked)).toBe(opened.unlist && asked[4]);
    });

    it('finds no events without an execution', async () => {
      await has('a', ...notes('a', 0, 5));
      expect(await opened.store.inspection.strays()).toBe(0);
    });
  });
}
