import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Playbook } from '@noetl/playbook';
import { MOST_BYTES_OF_FILES, MOST_FILES } from '../api/playbook-files.ts';
import type { PlaybookFiles } from '../ports/playbook-files.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { highestFolder, importedFiles } from './imported-files.ts';
import { type NamedFile, namedFiles } from './named-files.ts';
import { readText } from './playbook-file.ts';

interface Found {
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** A playbook, and the folder that files which it names are relative to. */
export interface Beside {
  readonly playbook: Playbook;
  readonly folder: string;
  /** Whether older playbooks that it calls by file are upgraded. */
  readonly legacy: boolean;
}

/**
 * The files that a playbook names by relative paths, those that their code imports from beside it, and those of playbooks
 * that it calls by file: what a machine elsewhere needs to run it. Undefined if it names none. A file that is not there is
 * left out: the task that reads it will say so.
 */
export async function collectedFiles({ playbook, folder, legacy }: Beside): Promise<PlaybookFiles | undefined> {
  const found = new Map<string, Found | undefined>();
  let bytes = 0;
  let names = 0;
  let top = folder;

  async function add(path: string): Promise<Found | undefined> {
    if (found.has(path)) return undefined;
    found.set(path, undefined);
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || !stats.isFile()) return undefined;
    bytes += stats.size;
    const count = [...found.values()].filter((each) => each !== undefined).length + 1;
    if (bytes > MOST_BYTES_OF_FILES || count > MOST_FILES) throw tooMuch(path);
    const file = { bytes: await readFile(path), executable: (stats.mode & 0o100) !== 0 };
    found.set(path, file);
    return file;
  }

  async function addCode(language: 'python' | 'javascript', path: string, main: string): Promise<void> {
    const text = (await add(path))?.bytes.toString('utf8');
    if (text !== undefined) await addImported(language, path, text, main);
  }

  async function addImported(
    language: 'python' | 'javascript',
    file: string,
    text: string,
    main?: string,
  ): Promise<void> {
    for (const { path, through } of await importedFiles(language, file, text, main ?? file)) {
      await addCode(language, path, main ?? path);
      if (found.get(path) !== undefined) top = commonFolder(top, through);
    }
  }

  async function addPlaybook(path: string): Promise<void> {
    const text = (await add(path))?.bytes.toString('utf8');
    const called = text === undefined ? undefined : readText(text, path, legacy).playbook;
    if (called !== undefined) await addNamed(called, dirname(path));
  }

  async function addFile({ name, as }: NamedFile, from: string): Promise<void> {
    // What has a place of its own is looked for there, wherever the task runs.
    if (isAbsolute(name)) return;
    names += 1;
    top = commonFolder(top, highestFolder(from, name));
    const path = resolve(from, name);
    if (as === 'playbook') await addPlaybook(path);
    else if (as === 'data') await add(path);
    else await addCode(as, path, path);
  }

  async function addNamed(named: Playbook, from: string): Promise<void> {
    const { files, javascript } = namedFiles(named);
    for (const file of files) await addFile(file, from);
    for (const code of javascript) {
      await addImported('javascript', join(from, 'task.js'), code);
    }
  }

  await addNamed(playbook, folder);
  const files = [...found].flatMap(([path, file]) => (file === undefined ? [] : [{ path, file }]));
  if (names === 0 && files.length === 0) return undefined;
  top = files.reduce((above, { path }) => commonFolder(above, dirname(path)), top);
  return {
    at: below(top, folder),
    legacy,
    entries: files
      .map(({ path, file: { bytes: content, executable } }) => ({
        path: below(top, path),
        content: content.toString('base64'),
        executable,
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

const below = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');

/** The lowest folder that both are in. */
function commonFolder(a: string, b: string): string {
  const [left, right] = [a.split(sep), b.split(sep)];
  const different = left.findIndex((part, nth) => part !== right[nth]);
  const same = different < 0 ? left : left.slice(0, different);
  return same.join(sep) || sep;
}

const tooMuch = (path: string): CommandFailure =>
  new CommandFailure(
    EXIT.usage,
    `error: the files that the playbook names are too many to be sent: with '${path}' more than ${MOST_FILES}, or than ${MOST_BYTES_OF_FILES} bytes together. ` +
      'Put large ones where the tasks run, and name them by absolute paths.',
  );
