import { describe, expect, it } from 'vitest';
import { isTracedPath, spanIdOf, taskSpanId, tracedPart } from './span-id.ts';

describe('the id of a span', () => {
  it('follows from the id of what it stands for: FNV-1a with 64 bits, as others compute it', () => {
    expect(spanIdOf('')).toBe('cbf29ce484222325');
    expect(spanIdOf('a')).toBe('af63dc4c8601ec8c');
    expect(spanIdOf('foobar')).toBe('85944171f73967e8');
  });

  it('differs for everything that one execution may have', () => {
    const ids = new Set<string>();
    let count = 0;
    const add = (id: string): void => {
      ids.add(spanIdOf(id));
      count += 1;
    };
    for (let run = 0; run < 500; run++) {
      add(`01m7gq7864750sepnaf4:${run}`);
      for (let index = 0; index < 200; index++) {
        add(`01m7gq7864750sepnaf4:${run}:${index}`);
        for (const label of ['read', 'write']) add(`01m7gq7864750sepnaf4:${run}:${index}:${label}:1`);
      }
    }
    expect(ids.size).toBe(count);
  });
});

describe('the iterations that have spans', () => {
  it('are the first 1,000 of a loop, and some thousands of loops in loops', () => {
    expect([0, 999, 1_000].map((index) => isTracedPath([index]))).toEqual([true, true, false]);
    let nested = 0;
    for (let i = 0; i < 1_200; i++) for (let j = 0; j < 1_200; j++) if (isTracedPath([i, j])) nested += 1;
    expect(nested).toBeLessThan(10_000);
    expect(isTracedPath([])).toBe(true);
  });

  it('stand for the tasks of those that have none', () => {
    const task = { label: 'read', visit: 1 };
    expect(taskSpanId('e', { run: 2, path: [] }, task)).toBe(spanIdOf('e:2:read:1'));
    expect(taskSpanId('e', { run: 2, path: [7] }, task)).toBe(spanIdOf('e:2:7:read:1'));
    expect(taskSpanId('e', { run: 2, path: [5_000] }, task)).toBe(spanIdOf('e:2'));
    expect(taskSpanId('e', { run: 2, path: [7, 900] }, task)).toBe(spanIdOf('e:2:7'));
    expect(tracedPart([5_000, 0])).toEqual([]);
  });
});
