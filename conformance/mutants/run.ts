import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HTTP_MUTANTS } from './http-table.ts';
import { LEASE_MUTANTS } from './lease-table.ts';
import { SIMULATION_MUTANTS } from './simulation-table.ts';
import { SQL_MUTANTS } from './sql-table.ts';
import { MUTANTS, type Mutant } from './table.ts';
import { TRACE_MUTANTS } from './trace-table.ts';

/**
 * `npm run mutants [-- --only TEXT]`: breaks core and shells in a copy, one small edit after the other, and names what
 * notices: a test, or the simulation. A mutant that nothing notices is a promise that nothing holds. TEXT is a part of
 * what a mutant breaks, or `core`, `sql`, `http`, `traces`, `simulation` or `remote leases`.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TESTS = [
  ['packages/noetl/src/conformance'],
  ['packages/engine/src/execution', 'packages/engine/src/pipeline'],
  ['packages/noetl/src/server'],
];
const SQL_TESTS = [
  ['packages/noetl/src/tools/sql'],
  ['packages/noetl/src/tools/duckdb', 'packages/noetl/src/tools/postgres'],
];
const HTTP_TESTS = ['packages/noetl/src/tools/http'];
const TRACE_TESTS = ['packages/noetl/src/tracing'];
/** The stories that `npm test` tells. */
const STORIES = ['--seeds', '200', '--step', '4'];
const STORIES_WITH_WORKERS = ['--workers', '--seeds', '60', '--step', '4'];
const options = chosen();

/** Mutants that the same tests must notice. */
interface Group {
  readonly name: string;
  readonly mutants: readonly Mutant[];
  /** The first thing that is wrong; undefined if nothing is. */
  look(): string | undefined;
}

const GROUPS: readonly Group[] = [
  { name: 'core', mutants: MUTANTS, look: () => firstOf(TESTS.map((tests) => () => firstFailure(tests))) },
  { name: 'sql', mutants: SQL_MUTANTS, look: () => firstOf(SQL_TESTS.map((tests) => () => firstFailure(tests))) },
  { name: 'http', mutants: HTTP_MUTANTS, look: () => firstFailure(HTTP_TESTS) },
  { name: 'traces', mutants: TRACE_MUTANTS, look: () => firstFailure(TRACE_TESTS) },
  { name: 'simulation', mutants: SIMULATION_MUTANTS, look: () => firstViolation(STORIES) },
  { name: 'remote leases', mutants: LEASE_MUTANTS, look: () => firstViolation(STORIES_WITH_WORKERS) },
];

const copy = copyOfWorkspace();
let caught = 0;
let tried = 0;
try {
  for (const { name, mutants, look } of GROUPS) {
    const chosen = mutants.filter(({ breaks }) => `${name} ${breaks}`.includes(options.only ?? ''));
    const healthy = chosen.length === 0 ? undefined : look();
    if (healthy !== undefined) throw new Error(`something is wrong without any mutant: ${healthy}`);
    for (const mutant of chosen) {
      const catcher = catcherOf(mutant, look);
      tried += 1;
      if (catcher !== undefined) caught += 1;
      console.log(
        `${catcher === undefined ? '✗ SURVIVED' : '✓'} ${mutant.breaks}\n    ${catcher ?? 'nothing noticed'}`,
      );
    }
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${caught} of ${tried} mutants caught`);
if (caught < tried || tried === 0) process.exitCode = 1;

function chosen(): { readonly only?: string | undefined } {
  try {
    return parseArgs({ options: { only: { type: 'string' } } }).values;
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}\nusage: npm run mutants [-- --only TEXT]`);
    process.exit(2);
  }
}

/** The sources in a folder of their own; installed packages are shared, those of the workspace are the copy's. */
function copyOfWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-mutants-'));
  for (const name of [
    'packages',
    'conformance',
    'docs',
    'package.json',
    'vitest.config.ts',
    'tsconfig.base.json',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/[\\/](dist|node_modules)$/.test(path),
    });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@noetl'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@noetl' && name !== 'noetl' && name !== '.vite' && name !== '.vitest') {
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
  }
  for (const name of ['template', 'playbook', 'engine']) {
    symlinkSync(resolve(folder, 'packages', name), join(modules, '@noetl', name));
  }
  return folder;
}

function catcherOf({ breaks, file, from, to }: Mutant, look: Group['look']): string | undefined {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(from)) throw new Error(`'${breaks}' does not apply: ${file} has no\n${from}`);
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    return look();
  } finally {
    writeFileSync(path, source);
  }
}

function firstOf(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first story that goes wrong; one that hangs counts, too. */
function firstViolation(stories: readonly string[]): string | undefined {
  const script = 'packages/noetl/src/simulation/run.testing.ts';
  const args = ['--conditions=@noetl/source', '--import', 'tsx', script, ...stories, '--unshrunk'];
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    timeout: 300_000,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return undefined;
  if (error !== undefined) return 'the simulation does not end within five minutes';
  return /^seed .*/m.exec(stdout)?.[0].slice(0, 200) ?? `the simulation fails: ${stderr.trim().split('\n').at(-1)}`;
}

/** The first test that fails; one that hangs counts, too. */
function firstFailure(tests: readonly string[]): string | undefined {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--bail=1', '--reporter=json', '--outputFile=report.json', ...tests];
  rmSync(join(copy, 'report.json'), { force: true });
  const { status, error } = spawnSync(process.execPath, args, { cwd: copy, timeout: 300_000, stdio: 'ignore' });
  if (status === 0) return undefined;
  if (error !== undefined) return `${tests.join(' ')}: no end within five minutes`;
  return failureIn(JSON.parse(readFileSync(join(copy, 'report.json'), 'utf8')) as Report);
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function failureIn({ testResults }: Report): string {
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed');
    const file = name.slice(copy.length + 1);
    if (failed !== undefined) return `${file}: ${failed.fullName}`;
    if (message !== '') return `${file}: ${message.split('\n')[0]}`;
  }
  return 'the tests could not be run';
}
