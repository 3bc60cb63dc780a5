// `npm run image:steps`: does the steps of the Dockerfile in an empty folder, where there is no Docker: what is copied, what
// is run, from nothing but what .dockerignore lets through. Then runs the program from what the image would hold, as a user
// that owns none of it. Steps that need the image's own system (apt-get, users) are named and left out.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What only a system of its own can do. */
const OF_THE_SYSTEM = /^(apt-get|groupadd) /;
/** A user that owns nothing of the image. */
const NOBODY = 65_534;

/** @typedef {{ name: string, steps: [string, string][] }} Stage */

/**
 * @param {string} text
 * @returns {Stage[]}
 */
function stagesOf(text) {
  /** @type {Stage[]} */
  const stages = [];
  for (const line of text
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [, name = ''] = /^\S+(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ name, steps: [] });
    } else if (instruction !== '') stages.at(-1)?.steps.push([instruction, rest]);
  }
  return stages;
}

/** The files that a build is given: those of the repository that .dockerignore does not hold back. */
function context() {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  return files.filter((file) => {
    const paths = file.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'));
    let held = false;
    for (const rule of rules) {
      const pattern = rule.replace(/^!/, '');
      if (paths.some((path) => matches(path, pattern))) held = !rule.startsWith('!');
    }
    return !held;
  });
}

/**
 * @param {string} path
 * @param {string} pattern
 */
function matches(path, pattern) {
  const parts = pattern.split('**/').map((part) => part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*'));
  return new RegExp(`^${parts.join('(?:.*/)?')}$`).test(path);
}

/**
 * Copies as COPY does: a folder's content, files below their names.
 * @param {string} from
 * @param {string} source
 * @param {string} to
 */
function copied(from, source, to) {
  const path = join(from, source);
  const target = !statSync(path).isDirectory() && to.endsWith('/') ? join(to, basename(source)) : to;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(path, target, { recursive: true, verbatimSymlinks: true });
}

/**
 * Does the steps of a stage in a folder that stands for its root.
 * @param {Stage} stage
 * @param {string} system
 * @param {Map<string, string>} before
 */
function perform({ steps }, system, before) {
  let place = '/';
  // Absolute paths of the image are paths of the folder.
  const inside = (/** @type {string} */ text) =>
    text.replace(/(^|[\s=])(\/(?:src|opt|usr\/local\/bin|data|keys|tokens|worker-token|work)\b)/g, `$1${system}$2`);
  for (const [instruction, rest] of steps) {
    if (instruction === 'WORKDIR') {
      place = rest;
      mkdirSync(join(system, place), { recursive: true });
    } else if (instruction === 'COPY') {
      const words = rest.split(/ +/);
      const from = before.get(words[0]?.replace('--from=', '') ?? '');
      const [target = '', ...sources] = (from === undefined ? words : words.slice(1)).reverse();
      const to = target.startsWith('/') ? join(system, target) : join(system, place, target);
      const base = from ?? before.get('context') ?? '';
      for (const source of sources) copied(base, source, target.endsWith('/') ? `${to.replace(/\/$/, '')}/` : to);
    } else if (instruction === 'RUN') {
      if (OF_THE_SYSTEM.test(rest)) {
        console.log(`left out: RUN ${rest}`);
        continue;
      }
      console.log(`RUN ${rest}`);
      mkdirSync(join(system, 'usr/local/bin'), { recursive: true });
      execFileSync('sh', ['-ec', inside(rest)], { cwd: join(system, place), stdio: ['ignore', 'ignore', 'inherit'] });
    }
  }
}

const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: image }
workflow:
  - step: start
    tool: [{ a: { kind: python, code: "result = sum(range(5))" } }]
    next: { arcs: [{ step: table }] }
  - step: table
    tool: [{ b: { kind: duckdb, query: "SELECT 6 * 7 AS n" } }]
    next: { arcs: [{ step: both }] }
  - step: both
    tool: [{ c: { kind: noop, result: ["{{ start }}", "{{ table }}"] } }]
`;

/**
 * Runs the program of the image as somebody who owns none of it.
 * @param {string} system
 */
function tried(system) {
  const work = join(system, 'work');
  mkdirSync(work, { recursive: true });
  chmodSync(work, 0o777);
  writeFileSync(join(work, 'image.yaml'), PLAYBOOK);
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const noetl = (/** @type {string[]} */ ...args) =>
    execFileSync(join(system, 'usr/local/bin/noetl'), args, {
      ...{ cwd: work, encoding: 'utf8', ...user },
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, NODE_ENV: 'production', HOME: work },
    }).trim();
  console.log(`noetl --version: ${noetl('--version')}`);
  console.log(`noetl run: ${noetl('run', 'image.yaml', '--quiet').replace(/\s+/g, ' ')}`);
  noetl('server', 'start', '--port', '0', '--detach', '--token-file', 'admin=tokens/admin');
  console.log(`noetl server status: ${noetl('server', 'status').split('\n').at(-1)}`);
  console.log(noetl('server', 'stop'));
}

const folder = mkdtempSync(join(tmpdir(), 'noetl-image-'));
try {
  chmodSync(folder, 0o755);
  /** @type {Map<string, string>} */
  const roots = new Map([['context', join(folder, 'context')]]);
  const files = context();
  for (const file of files) copied(root, file, join(folder, 'context', file));
  console.log(`${files.length} files are sent to the build`);
  for (const [nth, stage] of stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8')).entries()) {
    const system = join(folder, stage.name || `stage-${nth}`);
    mkdirSync(system);
    roots.set(stage.name || 'last', system);
    perform(stage, system, roots);
  }
  const system = roots.get('last') ?? '';
  console.log(
    `/opt/noetl: ${
      execFileSync('du', ['-sh', join(system, 'opt/noetl')])
        .toString()
        .split('\t')[0]
    }`,
  );
  tried(system);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
