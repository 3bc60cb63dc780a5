import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashAtEveryCommit } from './chaos/crash-points.ts';
import { createReport, toldFailure } from './chaos/report.ts';
import { POINTS } from './chaos/scenario.ts';
import { verifiedInPlace } from './chaos/verification.ts';
import { openProgram, type Program } from './program.testing.ts';

/** Some of the points that `npm run chaos -- --points` has: those in the middle of an execution. */
const NUMBERS = [10, 13, 17, 20];

describe('an execution whose process dies at a commit', () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it('ends the same, whether it died right before the commit or right after', { timeout: 300_000 }, async () => {
    const report = createReport({ print: () => undefined, json: false });
    const scenarios = POINTS.filter(({ name }) => name === 'child');
    await crashAtEveryCommit({
      program,
      scenarios,
      seed: 3,
      numbers: NUMBERS,
      chains: 2,
      verify: verifiedInPlace,
      report,
    });
    expect(report.failures().map(toldFailure)).toEqual([]);
    expect(report.deaths()).toBeGreaterThanOrEqual(scenarios.length * NUMBERS.length);
  });
});
