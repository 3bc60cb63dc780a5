// `npm test`: everything a fresh clone needs to be believed. Installs, builds, checks and runs all tests (or those
// named by the arguments), and ends with the line `N passed, N failed`. A part that fails counts as one failure.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.mjs';
import { build, install } from './prepare.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** A bound for hangs on a busy machine, not a goal. */
const MAX_MINUTES = 45;
const root = fileURLToPath(new URL('..', import.meta.url));

/** @returns {Promise<Counts>} */
async function test() {
  /** @type {string[]} */
  const failures = [];
  await install();
  for (const { name, suites } of installSystemPackages()) {
    console.log(`${name} is missing: ${suites} skipped`);
    if (process.env.CI === 'true') failures.push(name);
  }
  await build().catch((error) => failures.push(error.message));
  // Tests wait for much; the checks take what they leave of the processors.
  const [failedChecks, tests] = await Promise.all([check(), runTests(process.argv.slice(2))]);
  return { ...tests, failed: tests.failed + failures.length + failedChecks.length };
}

/**
 * @param {string[]} args
 * @returns {Promise<Counts>}
 */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-test-'));
  const report = join(folder, 'report.json');
  try {
    const code = await vitest(['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args]);
    const counts = existsSync(report)
      ? count(JSON.parse(readFileSync(report, 'utf8')))
      : { passed: 0, failed: 0, skipped: 0 };
    // An error outside any test, or a run that ended before its report, must not look like success.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * A test that loops for ever blocks the process it runs in, and outlives vitest when that is stopped. So vitest and its
 * processes are a group, which is ended as one: when the time is up, or when we are told to stop.
 * @param {string[]} args
 * @returns {Promise<number | null>}
 */
async function vitest(args) {
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const stop = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  const timer = setTimeout(() => {
    console.error(`the tests did not end within ${MAX_MINUTES} minutes; a file that is missing above never ended`);
    stop();
  }, MAX_MINUTES * 60_000);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return code;
}

/**
 * A file that could not be loaded has no tests to count; it is one failure.
 * @param {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} report
 * @returns {Counts}
 */
function count({ testResults }) {
  const statuses = testResults.flatMap(({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every((test) => test.status !== 'failed')
      ? ['failed', ...assertionResults.map((test) => test.status)]
      : assertionResults.map((test) => test.status),
  );
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed, skipped: statuses.length - passed - failed };
}

const { passed, failed, skipped } = await test().catch((error) => {
  console.error(error.message);
  return { passed: 0, failed: 1, skipped: 0 };
});
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
