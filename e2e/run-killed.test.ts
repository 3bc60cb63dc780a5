import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killAtRandom } from './chaos/kills.ts';
import { createReport, toldFailure } from './chaos/report.ts';
import { SCENARIOS } from './chaos/scenario.ts';
import { verifiedInPlace } from './chaos/verification.ts';
import { openProgram, type Program } from './program.testing.ts';

const KILLS = 50;
const SEED = 20_251_115;

describe('an execution whose process is killed', () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it(`ends the same after kill -9 at ${KILLS} random moments, and no call is lost or made again after it was done`, {
    timeout: 300_000,
  }, async () => {
    const report = createReport({ print: () => undefined, json: false });
    await killAtRandom({
      program,
      scenarios: SCENARIOS,
      seed: SEED,
      kills: KILLS,
      least: 8,
      again: (number) => `case ${number}`,
      chains: 2,
      verify: verifiedInPlace,
      report,
    });
    expect(report.failures().map(toldFailure)).toEqual([]);
    expect(report.deaths()).toBeGreaterThanOrEqual(KILLS);
  });
});
