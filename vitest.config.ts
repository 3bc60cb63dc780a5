import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

// Tests read the packages' sources through the `@noetl/source` condition, so they need no build.
// Not 'import': it would reach what packages require of each other too.
const conditions = ['@noetl/source', 'node', 'module'];

/** Tests of what keeps nothing that another test could find: their modules are loaded once, which saves half of their time. */
const SHARED = [
  'packages/{template,playbook,engine}/src/**/*.test.ts',
  'packages/noetl/src/cli/{commands,diff,log,progress,views}/**/*.test.ts',
  'packages/noetl/src/{conformance,ports,results,secrets,server,stores/memory,tracing}/**/*.test.ts',
];

/** What takes longest, first: else one of them begins last, and all other cores wait for it. */
const LONG = ['e2e/launcher', 'e2e/guides', 'e2e/server-run', 'e2e/seed-examples', 'e2e/workers', 'e2e/deploy', 'e2e/'];

class LongestFirst extends BaseSequencer {
  override async sort(files: Parameters<BaseSequencer['sort']>[0]): ReturnType<BaseSequencer['sort']> {
    const rank = (file: string): number => {
      const found = LONG.findIndex((part) => file.includes(`/${part}`));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // As many as there are cores: many tests wait for processes and disks.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: SHARED, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts', 'e2e/**/*.test.ts'],
          exclude: SHARED,
        },
      },
    ],
  },
});
