// `npm run check`: everything that can be known without running the program. Prints one line per part, and what a
// failed part had to say.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isMain } from './is-main.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = 'node_modules/typescript/bin/tsc';

/**
 * A part is a name and the Node programs it runs one after another.
 * @typedef {{ name: string, programs: string[][] }} Part
 * @type {Part[]}
 */
const parts = [
  {
    name: 'types',
    programs: [
      [tsc, '-b'],
      [tsc, '-p', 'tsconfig.dev.json'],
    ],
  },
  {
    name: 'format and lint',
    programs: [['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  },
  { name: 'layering', programs: [['scripts/layering.mjs']] },
  { name: 'file rules', programs: [['scripts/file-rules.mjs']] },
  { name: 'dead code', programs: [['node_modules/knip/bin/knip.js', '--treat-config-hints-as-errors']] },
];

/**
 * Runs every part, `types` (the longest) beside the others.
 * @returns {Promise<string[]>} the names of the parts that failed
 */
export async function check() {
  /** @type {string[]} */
  const failed = [];
  const [longest, ...others] = parts.map((part) => async () => {
    if (!(await passes(part))) failed.push(part.name);
  });
  await Promise.all([
    longest?.(),
    (async () => {
      for (const other of others) await other();
    })(),
  ]);
  return failed;
}

/**
 * @param {Part} part
 * @returns {Promise<boolean>}
 */
async function passes({ name, programs }) {
  const start = performance.now();
  for (const program of programs) {
    const { code, output } = await run(program);
    if (code === 0) continue;
    console.log(`✗ ${name} (${since(start)})\n${output.trimEnd()}`);
    return false;
  }
  console.log(`✓ ${name} (${since(start)})`);
  return true;
}

/**
 * @param {string[]} program
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(program) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, program, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (/** @type {string} */ text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** @param {number} start */
function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

if (isMain(import.meta.url)) {
  const failed = await check();
  if (failed.length > 0) {
    console.log(`check failed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
