// Joins the compiled program into few files: a start reads about ten of them instead of several hundred, which took more
// than half of its time. What is imported lazily stays in files of its own.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const noetl = fileURLToPath(new URL('../packages/noetl/', import.meta.url));

/** All stand in one folder, where a file finds the thread that it starts beside itself. */
const FOLDER = 'dist/bundle';
const ENTRIES = {
  main: 'dist/cli/main.js',
  thread: 'dist/stores/sqlite/thread.js',
  'heartbeat-thread': 'dist/worker/heartbeat-thread.js',
};

const { metafile } = await build({
  absWorkingDir: noetl,
  entryPoints: ENTRIES,
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Packages with native parts or of CommonJS are loaded as they are; tsx is wanted by sources alone.
  external: ['@duckdb/node-api', '@nats-io/*', 'commander', 'fastify', 'libsql', 'pg', 'undici', 'tsx'],
  metafile: true,
  logLevel: 'warning',
});

/** Whoever runs an older program may still have to read its files; after a day they go. */
const DAY_MS = 24 * 3_600_000;
for (const name of readdirSync(join(noetl, FOLDER))) {
  const file = join(noetl, FOLDER, name);
  if (`${FOLDER}/${name}` in metafile.outputs || Date.now() - statSync(file).mtimeMs < DAY_MS) continue;
  rmSync(file, { force: true });
}
