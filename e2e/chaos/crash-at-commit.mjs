// Loaded into the program by NODE_OPTIONS: ends it as kill -9 does, right before or right after a commit of its store.
// CHAOS_DIE_AT is the number of the commit, from 1, and `before` or `after`.

import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** What the program has installed; it is no dependency of ours. */
const LIBRARY = 'libsql';
const [at, moment] = (process.env.CHAOS_DIE_AT ?? '').split(' ');
let commits = 0;

/** @param {() => unknown} commit */
function counted(commit) {
  commits += 1;
  const last = commits === Number(at);
  if (last && moment === 'before') process.kill(process.pid, 'SIGKILL');
  const answer = commit();
  if (last && moment === 'after') process.kill(process.pid, 'SIGKILL');
  return answer;
}

/** @param {string} sql */
const isCommit = (sql) => /^\s*COMMIT\b/i.test(sql);

/**
 * Whether the store commits by a text or by a statement that it has prepared.
 * @param {{ prototype: { exec: (sql: string) => unknown, prepare: (sql: string) => { run: (...values: unknown[]) => unknown } } }} Database
 */
function watch({ prototype }) {
  const { exec, prepare } = prototype;
  prototype.exec = function (sql) {
    const run = () => exec.call(this, sql);
    return isCommit(sql) ? counted(run) : run();
  };
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (!isCommit(sql)) return statement;
    const run = statement.run.bind(statement);
    statement.run = (...values) => counted(() => run(...values));
    return statement;
  };
}

// The store of a program that runs executions is in a thread of its own.
if (!isMainThread && at !== undefined && at !== '') {
  const require = createRequire(new URL('../../packages/noetl/package.json', import.meta.url));

  watch(require(LIBRARY));
  try {
    watch(require('node:sqlite').DatabaseSync);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error;
  }
}
