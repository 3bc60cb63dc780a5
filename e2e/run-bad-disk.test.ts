import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingUnder } from './chaos/disk.ts';
import { lived } from './chaos/lives.ts';
import { ON_BAD_DISKS } from './chaos/scenario.ts';
import { whyNoFaults } from './chaos/strace.ts';
import { verifiedInPlace } from './chaos/verification.ts';
import { openProgram, type Program } from './program.testing.ts';

const [LARGE, STEPS] = ON_BAD_DISKS;

describe.skipIf(whyNoFaults() !== undefined)('an execution on a disk that fails (needs strace)', () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it.each([
    ['a sync of the store fails', STEPS, { calls: 'fsync,fdatasync', fault: 'error=EIO:when=11' }],
    ['a write of the store fails', STEPS, { calls: 'pwrite64', fault: 'error=EIO:when=60' }],
    ['syncs fail from some moment on', LARGE, { calls: 'fsync,fdatasync', fault: 'error=EIO:when=11+' }],
  ])(
    'gives up when %s, says how to go on, and ends the same on a good disk',
    {
      timeout: 120_000,
    },
    async (what, scenario, injection) => {
      if (scenario === undefined) throw new Error('no scenario');
      const name = what.replaceAll(' ', '-');
      const found = await lived({ program, scenario, name, fates: [failingUnder(injection)], verify: verifiedInPlace });
      expect(found.problems).toEqual([]);
      expect(found.deaths).toBe(1);
    },
  );
});
