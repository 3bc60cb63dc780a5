import { describe, expect, it } from 'vitest';
import { runCampaign } from './fuzzing/campaign.ts';
import { problemOf } from './fuzzing/check.ts';
import { shrinkDocument } from './fuzzing/shrink.ts';

const SEED = 20_260_301;
const SLICE_MS = 5_000;

describe('DOC-13: mutated playbooks', () => {
  it('break no promise: no exception, no hang, no growing memory, no reached prototype', () => {
    const deadline = performance.now() + SLICE_MS;
    const result = runCampaign({ seed: SEED, first: 0, count: 1_000_000, until: () => performance.now() > deadline });
    expect(result.findings).toEqual([]);
    expect(result.cases).toBeGreaterThan(200);
  });

  // A fuzzer that misses a seeded fault proves nothing.
  it.each([
    ['an exception at a tag', (text: string) => (/: !/.test(text) ? 'TypeError' : problemOf(text))],
    ['a hang at nesting', (text: string) => (text.includes('[[[[[[') ? 'took 999 ms' : problemOf(text))],
    ['a reached prototype', (text: string) => (/^__proto__:/m.test(text) ? 'polluted' : problemOf(text))],
  ])('show and shrink %s', (_name, judge) => {
    let found = false;
    const watched = (text: string) => {
      const problem = judge(text);
      found ||= problem !== undefined;
      return problem;
    };
    const { findings } = runCampaign({ seed: SEED, first: 0, count: 20_000, until: () => found, problemOf: watched });
    expect(findings).toHaveLength(1);
    expect(findings[0]?.document.length).toBeLessThan(40);
  });

  it('shrinks to what matters', () => {
    expect(shrinkDocument('aaaa: !tag bbbb\ncccc\n', (text) => text.includes('!'))).toBe('!');
  });
});
