import { defineConfig } from 'vitest/config';

// Tests read the packages' sources through the `@noetl/source` condition, so they need no build.
// Not 'import': it would reach what packages require of each other too.
const conditions = ['@noetl/source', 'node', 'module'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'conformance/**/*.test.ts', 'e2e/**/*.test.ts'],
    // As many as there are cores: many tests wait for processes and disks.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
