// `npm test`: everything a fresh clone needs to be believed. Installs, checks, builds, runs all tests (or those named
// by the arguments), and ends with the line `N passed, N failed`. A part that fails counts as one failure.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from './check.mjs';
import { build, install } from './prepare.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

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
  failures.push(...(await check()));
  await build().catch((error) => failures.push(error.message));
  const tests = runTests(process.argv.slice(2));
  return { ...tests, failed: tests.failed + failures.length };
}

/**
 * @param {string[]} args
 * @returns {Counts}
 */
function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-test-'));
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  try {
    const { status } = spawnSync(
      process.execPath,
      [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
      { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const counts = existsSync(report)
      ? count(JSON.parse(readFileSync(report, 'utf8')))
      : { passed: 0, failed: 0, skipped: 0 };
    // An error outside any test, or a run that ended before its report, must not look like success.
    return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
  } finally {
    rmSync(folder, { recursive: true });
  }
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
