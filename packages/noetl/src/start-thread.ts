import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * Runs a file of ours in a thread of its own. It is named by its source, as in `new URL('./thread.ts', import.meta.url)`:
 * where this file has been built, the built one is run. Where sources are run, as tests do, the loader of the main thread
 * does not reach into others; so the source is bundled first, once in a process.
 */
export function startThread(source: URL, workerData: unknown): Worker {
  const built = import.meta.url.endsWith('.ts') ? bundled(source) : new URL(source.href.replace(/\.ts$/, '.js'));
  // Node's own SQLite announces itself as experimental in every thread, in the middle of the program's output.
  return new Worker(built, { workerData, execArgv: ['--disable-warning=ExperimentalWarning'] });
}

/** Not a dependency of the program: only sources need it. */
const BUNDLER = 'esbuild';
interface Bundler {
  buildSync(options: object): { readonly outputFiles: readonly [{ readonly text: string }] };
}

const known = new Map<string, URL>();

function bundled(source: URL): URL {
  const before = known.get(source.href);
  if (before !== undefined) return before;
  const require = createRequire(import.meta.url);
  const { buildSync } = require(BUNDLER) as Bundler;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(source)],
    ...{ bundle: true, write: false, format: 'esm', platform: 'node', target: 'node20' },
    conditions: ['@noetl/source'],
    external: ['libsql', 'undici'],
  });
  const [{ text }] = outputFiles;
  // Beside the packages that it loads as they are; the name follows from the content, and it appears as a whole.
  const folder = join(require.resolve(`${BUNDLER}/package.json`), '../../.noetl-threads');
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
  }
  const url = pathToFileURL(file);
  known.set(source.href, url);
  return url;
}
