import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockContract } from './clock.contract.testing.ts';
import { createVirtualClock } from './virtual-clock.testing.ts';

const contracted = createVirtualClock(1_000);
clockContract('virtual', contracted, async (milliseconds) => contracted.advanceTo(contracted.now() + milliseconds));

describe('the virtual clock', () => {
  it('stands still until it is moved, and never goes back', () => {
    const clock = createVirtualClock(5);
    expect([clock.now(), clock.next()]).toEqual([5, undefined]);
    clock.advanceTo(9);
    clock.advanceTo(3);
    expect(clock.now()).toBe(9);
  });

  it('says what is due next', () => {
    const clock = createVirtualClock();
    const takeBack = clock.at(20, () => undefined);
    clock.at(30, () => undefined);
    expect(clock.next()).toBe(20);
    takeBack();
    expect(clock.next()).toBe(30);
    clock.advanceTo(30);
    expect(clock.next()).toBeUndefined();
  });

  it('shows each callback its own instant', () => {
    const clock = createVirtualClock();
    const seen: number[] = [];
    for (const instant of [7, 3]) clock.at(instant, () => seen.push(clock.now()));
    clock.at(3, () => clock.at(5, () => seen.push(clock.now())));
    clock.advanceTo(10);
    expect([seen, clock.now()]).toEqual([[3, 5, 7], 10]);
  });

  it('calls back by instant, in the order of asking within one, whatever is taken back', () => {
    const timer = fc.record({ instant: fc.nat(8), taken: fc.boolean() });
    fc.assert(
      fc.property(fc.array(timer), fc.nat(8), (timers, stop) => {
        const clock = createVirtualClock();
        const called: number[] = [];
        const takeBacks = timers.map(({ instant }, nth) => clock.at(instant, () => called.push(nth)));
        for (const [nth, { taken }] of timers.entries()) if (taken) takeBacks[nth]?.();
        clock.advanceTo(stop);
        clock.advanceTo(8);
        const expected = [...timers.entries()]
          .filter(([, { taken }]) => !taken)
          .sort(([one, a], [other, b]) => a.instant - b.instant || one - other)
          .map(([nth]) => nth);
        expect(called).toEqual(expected);
      }),
    );
  });
});
