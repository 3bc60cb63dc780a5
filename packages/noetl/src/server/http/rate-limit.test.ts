import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

describe('the rate of requests', () => {
  it('lets a burst of five seconds through, then as many as are allowed a second, for each caller', () => {
    let now = 0;
    const rate = createRateLimit(2, () => now);
    expect(Array.from({ length: 11 }, () => rate.take('a'))).toEqual([...Array(10).fill(0), 1]);
    expect(rate.take('b')).toBe(0);
    now = 1_000;
    expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([0, 0, 1]);
  });

  it('is no limit if it is 0', () => {
    const rate = createRateLimit(0, () => 0);
    expect(Array.from({ length: 100 }, () => rate.take('a')).every((wait) => wait === 0)).toBe(true);
  });
});
