import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { syncFolder } from '../sync-folder.ts';
import { KEY_BYTES, type MasterKey, masterKey, newMasterKey } from './envelope.ts';
import { KeyProblem } from './key-problem.ts';

/** The key in a file; undefined if there is no file. Refuses a file that others may read or that holds no key. */
export async function readKeyFile(file: string): Promise<MasterKey | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new KeyProblem(`the key file '${file}' is no file.`);
    const open = openTo(found.mode);
    if (open !== undefined) {
      throw new KeyProblem(
        `the key file '${file}' can be ${open} by others (mode ${modeOf(found.mode)}). Allow it to its owner only: chmod 600 '${file}'`,
      );
    }
    return keyIn(await readFile(file, 'utf8'), `the key file '${file}'`);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (error instanceof KeyProblem) throw error;
    throw new KeyProblem(`the key file '${file}' cannot be read (${codeOf(error)}).`, { cause: error });
  }
}

/** A new key in a new file, or the one that another process has just put there. */
export async function makeKeyFile(file: string): Promise<MasterKey> {
  const key = newMasterKey();
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    const folder = dirname(file);
    const made = await makeFolder(folder);
    await writeSynced(unfinished, `${Buffer.from(key.bytes).toString('base64')}\n`);
    await take(unfinished, file);
    await syncFolder(folder);
    if (made !== undefined) await syncFolder(dirname(made));
  } catch (error) {
    throw new KeyProblem(`the key file '${file}' cannot be made (${codeOf(error)}).`, { cause: error });
  } finally {
    // Where it could not be written there is nothing to remove.
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
  const kept = await readKeyFile(file);
  if (kept === undefined) throw new KeyProblem(`the key file '${file}' has gone while it was made. Try again.`);
  return kept;
}

/** The key of one file takes the place of another's, which is gone then. */
export async function replaceKeyFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
    await syncFolder(dirname(to));
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== 'ENOENT') throw new KeyProblem(`the key file '${to}' cannot be replaced (${codeOf(error)}).`);
  }
}

/** The key in a text: 32 bytes in base64, or 64 hexadecimal digits. */
export function keyIn(text: string, where: string): MasterKey {
  const trimmed = text.trim();
  const bytes = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : base64(trimmed);
  if (bytes?.length === KEY_BYTES) return masterKey(bytes);
  throw new KeyProblem(
    `${where} holds no key: ${KEY_BYTES} random bytes in base64 or hexadecimal are expected, such as 'openssl rand -base64 32' prints.`,
  );
}

const base64 = (text: string): Buffer | undefined =>
  /^[A-Za-z0-9+/_-]+=*$/.test(text) ? Buffer.from(text, 'base64') : undefined;

/** What others than the owner may do; Windows has no such modes. */
function openTo(mode: number): 'read' | 'changed' | undefined {
  if (platform() === 'win32') return undefined;
  return (mode & 0o044) !== 0 ? 'read' : (mode & 0o033) !== 0 ? 'changed' : undefined;
}

const modeOf = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives a file its name, unless there is one of that name: a key that is in use is never lost. */
async function take(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (!NO_LINKS.has(codeOf(error))) throw error;
    if ((await stat(file).catch(() => undefined)) === undefined) await rename(unfinished, file);
  }
}

/** What disks say that know no second name for a file. */
const NO_LINKS = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
