import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../path-there.ts';
import { codeOf, Unresolved } from './unresolved.ts';

/** A name, never a path: a playbook must not choose which files of the machine are read. */
const FILE_NAME = /^(?!\.{1,2}$)[\w.-]+$/;

/** Reads a file of a folder that has one for each secret; undefined if there is no such folder. */
export async function fromFile(secret: string, folder: string | undefined): Promise<string> {
  if (!FILE_NAME.test(secret))
    throw new Unresolved(`names the secret '${secret}'; the name of a file is expected, not a path.`);
  if (folder === undefined) {
    throw new Unresolved(
      `needs the file '${secret}' of the folder that NOETL_SECRETS names, which is not set. Set it before noetl starts: export NOETL_SECRETS=FOLDER`,
    );
  }
  const file = join(folder, secret);
  const advice = 'Write the secret into it, or let NOETL_SECRETS name another folder.';
  const text = await readFile(file, 'utf8').catch(async (error: unknown) => {
    const code = codeOf(error);
    if (code === 'ENOENT' && !(await isThere(folder))) {
      throw new Unresolved(
        `needs the file '${file}', but the folder '${folder}', which NOETL_SECRETS names, is not there.`,
      );
    }
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    throw new Unresolved(`needs the file '${file}', which ${why}. ${advice}`);
  });
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new Unresolved(`needs the file '${file}', which is empty. ${advice}`);
  return value;
}
