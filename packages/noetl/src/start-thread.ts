import { Worker } from 'node:worker_threads';

/**
 * Runs a file of ours in a thread of its own. It is named by its source, as in `new URL('./thread.ts', import.meta.url)`:
 * where this file has been built, the built one is run. Sources are run through the loader that the tests use; the loader
 * of the main thread does not reach into others.
 */
export function startThread(source: URL, workerData: unknown): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    const built = new URL(source.href.replace(/\.ts$/, '.js'));
    // Node's own SQLite announces itself as experimental in every thread, in the middle of the program's output.
    return new Worker(built, { workerData, execArgv: ['--disable-warning=ExperimentalWarning'] });
  }
  const loader = import.meta.resolve(LOADER);
  const code = `import { register } from '${loader}'; register(); await import('${source.href}');`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData,
    execArgv: ['--conditions=@noetl/source', '--disable-warning=ExperimentalWarning'],
  });
}

const LOADER = 'tsx/esm/api';
