import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, type LogUnderTest } from './log-under-test.testing.ts';
import { iterationDone, iterationFailed, note, stepDone } from './sample-events.testing.ts';

/** What every event log promises about the ends of iterations. */
export function iterationsContract(test: LogUnderTest): void {
  const sourceOf = (execution: string, loop: string, until: number | null = null) => ({
    execution_id: execution,
    loop: `${execution}:${loop}`,
    until,
  });

  async function positions(execution: string, loop: string, from = 0, limit = 100): Promise<readonly number[]> {
    return (await test.log.iterations(sourceOf(execution, loop), from, limit)).map(({ seq }) => seq);
  }

  describe('iterations', () => {
    it('are listed by index, however they ended and in whatever order', async () => {
      const execution = test.fresh();
      const events = [
        iterationDone(execution, 1, '4:2', 'two'),
        iterationFailed(execution, 2, '4:0'),
        note(execution, 3),
        iterationDone(execution, 4, '4:10', 'ten'),
        stepDone(execution, 5, '3'),
      ];
      await test.log.append([append(execution, 0, { events })]);
      expect(await test.log.iterations(sourceOf(execution, '4'), 0, 9)).toEqual([events[1], events[0], events[3]]);
    });

    it('belong to their own loop: another run, an inner loop and the outer one are apart', async () => {
      const execution = test.fresh();
      const works = ['1:0', '11:0', '1:1', '1:1.0', '1:1.1', '1:11.0', '1:1.0.0'];
      const events = works.map((work, index) => iterationDone(execution, index + 1, work));
      await test.log.append([append(execution, 0, { events })]);
      expect(await positions(execution, '1')).toEqual([1, 3]);
      expect(await positions(execution, '11')).toEqual([2]);
      expect(await positions(execution, '1:1')).toEqual([4, 5]);
      expect(await positions(execution, '1:11')).toEqual([6]);
      expect(await positions(execution, '1:1.0')).toEqual([7]);
      expect(await positions(execution, '1:0')).toEqual([]);
    });

    it('come in pages from an index on', async () => {
      const execution = test.fresh();
      const events = [5, 3, 1, 7].map((index, at) => iterationDone(execution, at + 1, `2:${index}`));
      await test.log.append([append(execution, 0, { events })]);
      expect(await positions(execution, '2', 0, 2)).toEqual([3, 2]);
      expect(await positions(execution, '2', 4, 2)).toEqual([1, 4]);
      expect(await positions(execution, '2', 7, 2)).toEqual([4]);
      expect(await positions(execution, '2', 8, 2)).toEqual([]);
    });

    it('behind the last position that counts are left out, and do not use up the page', async () => {
      const execution = test.fresh();
      const events = [4, 0, 1, 2, 3].map((index, at) => iterationDone(execution, at + 1, `2:${index}`));
      await test.log.append([append(execution, 0, { events })]);
      const counted = await test.log.iterations(sourceOf(execution, '2', 2), 0, 2);
      expect(counted.map(({ seq }) => seq)).toEqual([2, 1]);
    });

    it('of an append that was refused are not listed', async () => {
      const execution = test.fresh();
      await test.log.append([append(execution, 1, { events: [iterationDone(execution, 2, '1:0')] })]);
      expect(await positions(execution, '1')).toEqual([]);
    });

    it('read in pages are all that ended, each once', async () => {
      const ends = fc.uniqueArray(fc.nat(40), { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(ends, fc.integer({ min: 1, max: 7 }), async (indexes, size) => {
          const execution = test.fresh();
          const events = indexes.map((index, at) => iterationDone(execution, at + 1, `1:${index}`, index));
          await test.log.append([append(execution, 0, { events })]);
          const read: number[] = [];
          for (let pages = 0; pages <= indexes.length; pages++) {
            const page = await test.log.iterations(sourceOf(execution, '1'), (read.at(-1) ?? -1) + 1, size);
            for (const { payload } of page) if ('index' in payload) read.push(payload.index);
            if (page.length < size) break;
          }
          expect(read).toEqual(indexes.toSorted((one, other) => one - other));
        }),
        { numRuns: 50 },
      );
    });
  });
}
