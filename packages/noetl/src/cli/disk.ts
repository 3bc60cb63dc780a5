import { createReadStream, type Dirent } from 'node:fs';
import { chmod, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderEntry, PathKind, Terminal } from './terminal.ts';

/** The files of this machine, and its standard input, which is opened only by who reads it. */
export function createDisk(
  stdin: () => NodeJS.ReadableStream,
): Pick<Terminal, 'readBytes' | 'look' | 'list' | 'write' | 'save'> {
  return {
    readBytes: (file, limit) => readUpTo(file === '-' ? stdin() : createReadStream(file), limit),
    look,
    list: async (folder) => {
      const found = await readdir(folder, { withFileTypes: true });
      return Promise.all(found.map((entry) => resolveEntry(folder, entry)));
    },
    write,
    save,
  };
}

async function readUpTo(stream: NodeJS.ReadableStream, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    // Leaving the loop closes the stream: a device or a pipe may never end.
    if (length > limit) break;
  }
  return Buffer.concat(chunks);
}

const LEADS_NOWHERE = new Set<unknown>(['ENOENT', 'ENOTDIR', 'ELOOP']);

async function look(path: string): Promise<PathKind | undefined> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (LEADS_NOWHERE.has(codeOf(error))) return undefined;
    throw error;
  }
}

async function resolveEntry(folder: string, entry: Dirent): Promise<FolderEntry> {
  const { name } = entry;
  if (entry.isFile()) return { name, kind: 'file' };
  if (entry.isDirectory()) return { name, kind: 'folder' };
  const isFileByLink = entry.isSymbolicLink() && (await look(join(folder, name))) === 'file';
  return { name, kind: isFileByLink ? 'file' : 'other' };
}

async function write(file: string, text: string, { replace }: { readonly replace: boolean }): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: replace ? 'w' : 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function save(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const there = await look(file);
  // A pipe or a device is written to: a file must not take its place.
  if (there === 'other') return fill(file, pieces);
  const whole = there === 'file' ? await realpath(file) : file;
  const unfinished = `${whole}.unfinished`;
  try {
    await fill(unfinished, pieces);
    if (there === 'file') await chmod(unfinished, (await stat(whole)).mode);
    await rename(unfinished, whole);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function fill(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for await (const piece of pieces) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
