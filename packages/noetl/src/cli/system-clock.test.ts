import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { clockContract } from '../ports/clock.contract.testing.ts';
import { systemClock } from './system-clock.ts';

clockContract('system', systemClock, (milliseconds) => sleep(milliseconds));

describe('the system clock', () => {
  const HOUR = 3_600_000;

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('waits longer than a timer can', () => {
    const callback = vi.fn();
    systemClock.at(Date.now() + 1_000 * HOUR, callback);
    vi.advanceTimersByTime(1_000 * HOUR - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledOnce();
  });

  it('takes back what has waited long already', () => {
    const callback = vi.fn();
    const takeBack = systemClock.at(Date.now() + HOUR, callback);
    vi.advanceTimersByTime(HOUR / 2);
    takeBack();
    vi.advanceTimersByTime(HOUR);
    expect(callback).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('notices within a minute that the machine slept, and waits on if its clock was set back', () => {
    const callback = vi.fn();
    const start = Date.now();
    systemClock.at(start + 2 * HOUR, callback);
    vi.setSystemTime(start - HOUR);
    vi.advanceTimersByTime(2 * HOUR);
    expect(callback).not.toHaveBeenCalled();
    vi.setSystemTime(start + 3 * HOUR);
    vi.advanceTimersByTime(60_000);
    expect(callback).toHaveBeenCalledOnce();
  });
});
