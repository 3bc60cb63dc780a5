import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { freshSeed } from './scripts/fresh-seed.mjs';

freshSeed(process.env);

// Tests read the packages' sources through the `@noetl/source` condition, so they need no build.
// Not 'import': it would reach what packages require of each other too.
const conditions = ['@noetl/source', 'node', 'module'];

const TESTS = ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts', 'e2e/**/*.test.ts'];

/**
 * Tests that measure the process they run in, or steer its clock or its signals. All others keep nothing that another
 * could find: their modules are loaded once, which saves half of their time.
 */
const ALONE = [
  'conformance/playbook/fuzz.test.ts',
  'packages/noetl/src/cli/{process-health,system-clock}.test.ts',
  'packages/noetl/src/client/live.test.ts',
  'packages/noetl/src/simulation/**/*.test.ts',
  'packages/noetl/src/tools/{http/upload,javascript/javascript-tool}.test.ts',
];

/** What takes longest, first: else one of them begins last, and all other cores wait for it. */
const LONG = [
  'e2e/guides',
  'e2e/server-chaos',
  'e2e/launcher',
  'e2e/mixed',
  'e2e/children',
  'e2e/run-',
  'e2e/exec-fork',
  'e2e/server-run',
  'e2e/workers',
  'e2e/seed-examples',
  'e2e/',
];

/** A process is kept for the next file only if that one shares it, so those that are alone come before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const rank = ({ moduleId, project }: (typeof files)[number]): number => {
      if (project.name === 'alone') return -1;
      const found = LONG.findIndex((part) => moduleId.includes(`/${part}`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // More than there are cores: many tests wait for processes, clocks and disks.
    maxWorkers: availableParallelism() + 2,
    setupFiles: ['scripts/property-seed.mjs'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'shared', include: TESTS, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
