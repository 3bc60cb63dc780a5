import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCampaign } from './chaos/server/campaign.ts';
import { openProgram, type Program } from './program.testing.ts';

const SEED = 20_261_115;
const SECONDS = 60;

describe('a server and its workers, killed, stopped and cut off from each other', () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it('lose nothing, get stuck nowhere and take no stale report (DESIGN §4, EVT-3)', { timeout: 900_000 }, async () => {
    const { problems, faults, executions, leases } = await runCampaign({
      program,
      seed: SEED,
      faults: undefined,
      seconds: SECONDS,
      punctual: false,
      skipped: () => undefined,
      progress: () => undefined,
    });
    expect(problems).toEqual([]);
    // A slice in which nothing happens proves nothing.
    expect(Object.keys(faults).length).toBeGreaterThan(3);
    expect(Math.min(executions, leases)).toBeGreaterThan(10);
  });
});
