// Makes a checkout ready to run: installs what the lockfile asks for, builds what the sources say. The launcher calls
// this when its stamp is missing or older than a source; `npm test` uses the same functions. All output goes to stderr.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMain } from './is-main.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = join(root, '.prepare.lock');
const compiled = join(root, 'packages/noetl/dist/cli/main.js');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const bundle = join(root, 'scripts/bundle.mjs');

/** Its modification time is the moment the last complete build began; whatever is newer has yet to be built. */
const stamp = join(root, 'node_modules/.noetl-built');
const nextStamp = `${stamp}.next`;

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Installs and builds, or waits for whoever is doing so. */
async function prepare() {
  await install();
  await build();
}

/** Installs unless node_modules already holds what the lockfile asks for. */
export async function install() {
  if (installed()) return;
  await alone(async () => {
    if (installed()) return;
    say('installing dependencies');
    rmSync(stamp, { force: true });
    const code = await run('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund']);
    if (code !== 0) throw new Error('npm ci failed (see above); nothing was started. Run the command again to retry.');
  });
}

/** Brings every package's dist up to date with its sources, unless someone did so while this process was waiting. */
export async function build() {
  await alone(async () => {
    if (existsSync(stamp) && statSync(stamp).mtimeMs > performance.timeOrigin) return;
    writeFileSync(nextStamp, '');
    say('building');
    let code = await run(process.execPath, [tsc, '-b']);
    // The compiler trusts its own record; only a full build brings back an output that was deleted behind its back.
    if (code === 0 && !existsSync(compiled)) code = await run(process.execPath, [tsc, '-b', '--force']);
    if (code === 0) code = await run(process.execPath, [bundle]);
    if (code !== 0) throw new Error('the build failed (see above); nothing was started.');
    renameSync(nextStamp, stamp);
  });
}

/**
 * npm leaves a list of what it installed in node_modules, written last. Ready means: it has everything the lockfile
 * lists, in the same version, and nothing else. Optional packages may be missing (they are built per platform).
 */
function installed() {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const present = packagesIn(join(root, 'node_modules/.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  delete wanted[''];
  return (
    Object.entries(wanted).every(([path, { version, optional }]) =>
      present[path] === undefined ? optional === true : present[path].version === version,
    ) && Object.keys(present).every((path) => path in wanted)
  );
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function packagesIn(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : undefined;
}

/**
 * Runs `work` while no other process of this checkout does. The lock is a symbolic link whose target is the owner's
 * process id, so that it appears together with its content.
 * @param {() => Promise<void>} work
 */
async function alone(work) {
  await acquire();
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function acquire() {
  let told = false;
  while (!linked(lock)) {
    const owner = ownerOf(lock);
    if (owner === undefined) continue;
    if (!alive(owner)) {
      dispossess(owner);
      continue;
    }
    if (!told) say(`waiting for process ${owner}, which is installing or building (if it is not, remove ${lock})`);
    told = true;
    await sleep(100);
  }
}

/**
 * Removes the lock of a dead owner. Of several processes that find it, one at a time gets to look again and remove it;
 * otherwise the slower one would remove the lock the faster one has just taken.
 * @param {number} owner
 */
function dispossess(owner) {
  const turn = `${lock}.turn`;
  if (!linked(turn)) return;
  if (ownerOf(lock) === owner) unlinkSync(lock);
  unlinkSync(turn);
}

/** @param {string} path */
function linked(path) {
  try {
    symlinkSync(String(process.pid), path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** @param {string} path */
function ownerOf(path) {
  try {
    return Number(readlinkSync(path));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @param {number} pid */
function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Runs a program whose whole output is progress: to stderr, and without our stdin, which belongs to the command. A
 * signal goes on to it, so that the lock is not given up while it still writes.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number | null>}
 */
async function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  const forward = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    const [code] = await once(child, 'close');
    return code;
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new Error(`'${command}' was not found; it comes with Node.js.`) : error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`noetl: ${text}\n`);
}

if (isMain(import.meta.url)) {
  try {
    await prepare();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 126;
  }
}
