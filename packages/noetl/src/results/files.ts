import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../path-there.ts';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import { syncFolder } from '../sync-folder.ts';
import { checkedPieces, contentOf, fetchedFrom, inspectedFrom, measuring, referenceTo } from './content.ts';
import { fileFailure } from './file-failure.ts';

/** Results that can be listed, to find those that nobody needs. */
export interface CollectedResults extends ResultStore {
  /** Everything that is stored, and what is left of values that never became whole. */
  stored(): AsyncIterable<StoredFile>;
  /** Removes a file, unless it was put again since it was listed; answers whether it did. */
  collect(file: StoredFile): Promise<boolean>;
}

interface StoredFile {
  readonly file: string;
  /** Undefined for what never became whole. */
  readonly key: string | undefined;
  readonly size: number;
  /** When it was last put, in milliseconds since 1970. */
  readonly putAt: number;
}

/**
 * Results as files named by their content, in folders named by its first two digits. A file is written under another
 * name and synced before it gets its own, and its folder is synced before anybody hears of it (RES-3): a file that has its
 * name is whole, whatever has happened.
 */
export function createFileResults(folder: string): CollectedResults {
  const name = 'file';
  /** The same content is written once at a time. */
  const writing = new Map<string, Promise<void>>();
  const fileOf = (key: string): string => join(folder, key.slice(0, 2), `${key}.json`);

  function keep(key: string, text: string): Promise<void> {
    const underway = writing.get(key);
    if (underway !== undefined) return underway;
    const written = writeDurably(folder, fileOf(key), text).finally(() => writing.delete(key));
    writing.set(key, written);
    return written;
  }

  return {
    name,
    put: async (value) => {
      const { text, reference } = contentOf(name, value);
      await keep(reference.key, text).catch((error) => {
        throw fileFailure(error, folder);
      });
      return reference;
    },
    putPieces: async (pieces, schemaHint) => {
      // What goes wrong with the pieces themselves is for those who give them.
      const onDisk = <T>(action: Promise<T>): Promise<T> =>
        action.catch((error) => {
          throw fileFailure(error, folder);
        });
      const made = await onDisk(mkdir(folder, { recursive: true }));
      const unfinished = join(folder, `${randomUUID()}.unfinished`);
      const passing = measuring(pieces);
      try {
        const handle = await onDisk(open(unfinished, 'wx'));
        try {
          for await (const piece of passing.pieces()) await onDisk(handle.writeFile(piece));
          await onDisk(handle.sync());
        } finally {
          await handle.close();
        }
        const { key, size } = passing.measured();
        await onDisk(settle(folder, unfinished, fileOf(key), made));
        return referenceTo(name, key, size, schemaHint());
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
    },
    async *read(reference) {
      if (!isKey(reference.key)) throw new ResultLost(reference, 'missing');
      const file = fileOf(reference.key);
      if ((await insteadOfFile(file)) !== undefined) throw new ResultLost(reference, 'corrupt');
      try {
        yield* checkedPieces(createReadStream(file, { highWaterMark: PIECE }), reference);
      } catch (error) {
        if (error instanceof ResultLost) throw error;
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new ResultLost(reference, 'missing');
        throw fileFailure(error, file);
      }
    },
    get: async (reference) => {
      if (!isKey(reference.key)) return { kind: 'missing' };
      const file = fileOf(reference.key);
      if ((await insteadOfFile(file)) !== undefined) return { kind: 'corrupt' };
      try {
        return fetchedFrom(await textIn(file), reference);
      } catch (error) {
        throw fileFailure(error, file);
      }
    },
    inspect: async (reference) => {
      const file = fileOf(reference.key);
      if (!isKey(reference.key)) return { kind: 'missing', place: file };
      const found = await insteadOfFile(file);
      if (found !== undefined) {
        const expected = `a file with ${reference.checksum}`;
        return { kind: 'changed', place: file, what: 'checksum', expected, found };
      }
      try {
        return await inspectedFrom(createReadStream(file), reference, file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing', place: file };
        throw fileFailure(error, file);
      }
    },
    async *stored() {
      for (const file of await readdir(folder, { recursive: true }).catch(() => [])) {
        const key = /([0-9a-f]{64})\.json$/.exec(file)?.[1];
        if (key === undefined && !file.endsWith('.unfinished')) continue;
        const path = join(folder, file);
        const found = await stat(path).catch(() => undefined);
        if (found?.isFile() === true) yield { file: path, key, size: found.size, putAt: found.mtimeMs };
      }
    },
    collect: async ({ file, putAt }) => {
      // Whoever puts the value now either finds no file, or has made this one younger.
      const aside = `${file}.${randomUUID()}.unfinished`;
      try {
        await rename(file, aside);
        if ((await stat(aside)).mtimeMs === putAt) await rm(aside);
        else await rename(aside, file);
      } catch (error) {
        // Somebody else collects, too, and was faster.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw fileFailure(error, file);
      }
      return !(await isThere(file));
    },
    remove: async (references) => {
      for (const key of references.map((reference) => reference.key).filter(isKey))
        await rm(fileOf(key), { force: true });
    },
  };
}

/** What stands where a file should: reading a pipe, for one, would wait for ever. */
async function insteadOfFile(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isFile()) return undefined;
  return found.isDirectory() ? 'a folder' : 'something that is no file';
}

/** Bytes that are read at a time. */
const PIECE = 256 * 1024;

/** A reference is data: its key must not lead anywhere else. */
const isKey = (key: string): boolean => /^[0-9a-f]{64}$/.test(key);

async function writeDurably(root: string, file: string, text: string): Promise<void> {
  const folder = join(file, '..');
  const made = await mkdir(folder, { recursive: true });
  if ((await textIn(file)) === text && (await renewed(file))) {
    // Whoever wrote it may not have come so far.
    await syncFolders(root, folder, made);
    return;
  }
  const unfinished = `${file}.${randomUUID()}.unfinished`;
  try {
    await writeSynced(unfinished, text);
    await settle(root, unfinished, file, made);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Says that the value was put again; false if the file was collected meanwhile. */
async function renewed(file: string): Promise<boolean> {
  const now = new Date();
  return utimes(file, now, now).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Gives a file that is whole its name, durably. `made` is the uppermost folder that was made for it. */
async function settle(root: string, unfinished: string, file: string, made: string | undefined): Promise<void> {
  const folder = join(file, '..');
  const madeToo = await mkdir(folder, { recursive: true });
  await rename(unfinished, file);
  await syncFolders(root, folder, made ?? madeToo);
}

async function syncFolders(root: string, folder: string, made: string | undefined): Promise<void> {
  await syncFolder(folder);
  if (made !== undefined) await syncFolder(root);
  if (made !== undefined && made !== folder) await syncFolder(join(made, '..'));
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function textIn(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
