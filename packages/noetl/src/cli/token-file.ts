import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import type { Role } from '../server/http/roles.ts';
import { makeToken, newToken, tokenEntry } from '../server/made-token.ts';
import { tokenHash } from '../server/token-access.ts';
import { noteCommand } from './audit-notes.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';

/** A token that is kept in a file, for those who are to show it. */
export interface TokenFile {
  readonly role: Role;
  readonly file: string;
}

/** What a header can carry, and nobody guesses. */
const TOKEN = /^[\w.~+/-]{32,512}={0,2}$/;
/** So much of a hash tells tokens apart, for people. */
const SHORT_HASH = 8;

/**
 * SEC-4: makes the token in a file known to the server, so that a deployment brings its own; where there is no file, makes
 * both. The answer tells what was done; undefined if nothing had to be. What was revoked stays revoked.
 */
export async function keepTokenFile(
  { role, file }: TokenFile,
  { store }: Pick<DataFolder, 'store'>,
  now: number,
  machine: Machine,
): Promise<string | undefined> {
  const found = await textOf(file);
  const token = found ?? (await newTokenFile(file));
  if (!TOKEN.test(token)) {
    throw unusable(file, 'holds no token. One line of 32 letters and digits or more is expected');
  }
  const hash = tokenHash(token);
  const known = await store.tokens.byHash(hash);
  if (known !== undefined) {
    const { name, role: knownRole } = known;
    if (knownRole !== role) throw unusable(file, `holds the token '${name}', whose role is ${knownRole}, not ${role}`);
    if (tokenEntry(known, now).valid) return undefined;
    throw unusable(file, `holds the token '${name}', which is not valid any more. Remove it, and another one is made`);
  }
  const name = `${role}-${hash.slice(0, SHORT_HASH)}`;
  const made = await makeToken(store.tokens, { name, role, prefix: '', expiresIn: undefined, token }, now);
  if (made === undefined) throw unusable(file, `cannot be used: there is another token '${name}'. Put a new one there`);
  await noteCommand(`server start: token ${name}`, { store }, now, machine);
  return `the token '${name}' (${role}) is ${found === undefined ? 'new, and' : 'that'} in ${file}`;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(file, `cannot be read (${code})`);
  }
}

/** Nobody but the user that the server runs as can read it. It appears as a whole. */
async function newTokenFile(file: string): Promise<string> {
  const token = newToken();
  const draft = `${file}.${randomUUID()}`;
  try {
    await makeFolder(dirname(file));
    await writeFile(draft, `${token}\n`, { mode: 0o600, flush: true });
    await chmod(draft, 0o600);
    await link(draft, file);
    return token;
  } catch (error) {
    throw unusable(file, `cannot be made (${(error as NodeJS.ErrnoException).code})`);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

const unusable = (file: string, why: string): CommandFailure =>
  new CommandFailure(EXIT.usage, `error: --token-file: the file '${file}' ${why}.`);
