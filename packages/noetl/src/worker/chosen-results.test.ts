import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import { createRoutedResults } from '../results/routed.ts';
import { chosenResults } from './chosen-results.ts';

describe('the store of a task’s results (RES-1)', () => {
  const other = { ...createMemoryResults(), name: 'postgres/a.b' };
  const results = createRoutedResults(createMemoryResults(), (name) =>
    name === other.name ? other : { problem: `no '${name}'` },
  );

  it('is the usual one where nothing is said, or just that', () => {
    expect(chosenResults(results, {})).toBe(results);
    expect(chosenResults(results, { timeout: 5, result: { store: 'memory' } })).toBe(results);
  });

  it('is the one that is named, with its place', () => {
    expect(chosenResults(results, { result: { store: { kind: 'postgres', table: 'a.b' } } })).toBe(other);
  });

  it('is a problem where it cannot be used', () => {
    expect(chosenResults(results, { result: { store: 'gcs' } })).toEqual({ problem: "no 'gcs'" });
    expect(chosenResults(createMemoryResults(), { result: { store: 'gcs' } })).toEqual({
      problem: "there is no store 'gcs' here",
    });
  });
});
