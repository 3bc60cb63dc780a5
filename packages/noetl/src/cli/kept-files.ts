import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isThere } from '../path-there.ts';
import type { PlaybookFiles } from '../ports/playbook-files.ts';
import { syncFolder } from '../sync-folder.ts';

/** Marks files among which playbooks of older dialects are upgraded (MIG-2). */
const LEGACY = '-legacy';

/** Where a data folder keeps the files that came with playbooks. */
export const filesFolder = (data: string): string => join(data, 'files');

/**
 * Writes the files that came with a playbook into a folder of their own, below the given one, and answers with the folder
 * of the playbook among them. The same files are written once; what is there is never changed.
 */
export async function keepFiles(store: string, files: PlaybookFiles): Promise<string> {
  const folder = join(store, `${digestOf(files)}${files.legacy ? LEGACY : ''}`);
  const own = join(folder, files.at);
  if (await isThere(folder)) return own;
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFiles(draft, files);
    await rename(draft, folder);
    await syncFolder(store);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another request was faster.
    if (!(await isThere(folder))) throw error;
  }
  return own;
}

async function writeFiles(folder: string, { at, entries }: PlaybookFiles): Promise<void> {
  await mkdir(join(folder, at), { recursive: true });
  const folders = new Set([folder, join(folder, at)]);
  for (const { path, content, executable } of entries) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    folders.add(dirname(file));
    const mode = executable ? 0o755 : 0o644;
    await writeFile(file, Buffer.from(content, 'base64'), { flag: 'wx', mode, flush: true });
  }
  for (const made of folders) await syncFolder(made);
}

/** Whether a folder is one of files that came with a playbook to a server, on whichever data folder. */
export const isKept = (folder: string): boolean => /[\\/]files[\\/][0-9a-f]{64}(?:-legacy)?(?:[\\/]|$)/.test(folder);

/** Whether playbooks of older dialects that are called from a folder of kept files are upgraded. */
export function upgradesKept(data: string, folder: string): boolean {
  const [first = ''] = relative(filesFolder(data), folder).split(sep);
  return first.endsWith(LEGACY);
}

function digestOf({ at, entries }: PlaybookFiles): string {
  const told = entries.map(({ path, content, executable }) => [path, content, executable]).sort();
  return createHash('sha256')
    .update(JSON.stringify([at, told]))
    .digest('hex');
}
