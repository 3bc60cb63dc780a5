import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';

/** What every clock promises. `pass` lets so many milliseconds pass on it. */
export function clockContract(name: string, clock: Clock, pass: (milliseconds: number) => Promise<void>): void {
  const STEP = 25;

  describe(`the clock (${name})`, () => {
    it('goes on while time passes', async () => {
      const before = clock.now();
      await pass(STEP);
      // The timers of the machine and its clock may differ by a millisecond.
      expect(clock.now()).toBeGreaterThanOrEqual(before + STEP - 1);
    });

    it('calls back once, and not before the instant', async () => {
      const calls: number[] = [];
      const due = clock.now() + 2 * STEP;
      clock.at(due, () => calls.push(clock.now()));
      await pass(4 * STEP);
      await pass(STEP);
      expect(calls).toHaveLength(1);
      expect(calls[0]).toBeGreaterThanOrEqual(due);
    });

    it('calls back for earlier instants first', async () => {
      const calls: number[] = [];
      const start = clock.now();
      for (const nth of [3, 1, 2]) clock.at(start + nth * STEP, () => calls.push(nth));
      await pass(5 * STEP);
      expect(calls).toEqual([1, 2, 3]);
    });

    it('calls back for an instant that has passed, but not while it is asked to', async () => {
      let calls = 0;
      clock.at(clock.now() - 1_000, () => {
        calls++;
      });
      clock.at(clock.now(), () => {
        calls++;
      });
      expect(calls).toBe(0);
      await pass(STEP);
      expect(calls).toBe(2);
    });

    it('does not call back what was taken back, be it by an earlier callback', async () => {
      const calls: string[] = [];
      const start = clock.now();
      const takeBack = clock.at(start + STEP, () => calls.push('taken back'));
      takeBack();
      takeBack();
      const later = clock.at(start + 3 * STEP, () => calls.push('later'));
      const kept = clock.at(start + STEP, () => {
        calls.push('kept');
        later();
      });
      await pass(5 * STEP);
      kept();
      expect(calls).toEqual(['kept']);
    });

    it('takes new instants from a callback', async () => {
      const calls: string[] = [];
      clock.at(clock.now(), () => {
        calls.push('first');
        clock.at(clock.now() + STEP, () => calls.push('second'));
      });
      await pass(4 * STEP);
      expect(calls).toEqual(['first', 'second']);
    });
  });
}
