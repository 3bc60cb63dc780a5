import { basename, dirname, join, normalize } from 'node:path';
import { didYouMean } from '@noetl/template';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { findByGlob, isGlob, isSkipped } from './glob.ts';
import type { Terminal } from './terminal.ts';

/**
 * The files that the user means by files, folders, globs and `-`, each once, in the order given. A target that leads
 * to nothing ends the command: a misspelt name must not look like success.
 */
export async function findPlaybooks(targets: readonly string[], terminal: Terminal): Promise<readonly string[]> {
  const files = new Map<string, string>();
  for (const target of targets) {
    for (const file of await filesOf(target, terminal)) {
      const key = normalize(file);
      if (!files.has(key)) files.set(key, file);
    }
  }
  return [...files.values()];
}

async function filesOf(target: string, terminal: Terminal): Promise<readonly string[]> {
  if (target === '-') return ['-'];
  const kind = await reading(target, () => terminal.look(target));
  if (kind === 'folder') {
    const files = await filesIn(target, terminal);
    if (files.length === 0) throw refused(`the folder '${target}' holds no .yaml or .yml file`);
    return files;
  }
  if (kind !== undefined) return [target];
  if (isGlob(target)) return filesByGlob(target, terminal);
  const hint = await nearFile(target, terminal);
  throw refused(`there is no file or folder '${target}'${hint === undefined ? '' : `. ${hint}`}`);
}

async function filesByGlob(pattern: string, terminal: Terminal): Promise<readonly string[]> {
  const paths = await reading(pattern, () => findByGlob(pattern, terminal));
  const files: string[] = [];
  for (const path of paths) {
    if ((await terminal.look(path)) === 'folder') files.push(...(await filesIn(path, terminal)));
    else files.push(path);
  }
  if (files.length === 0) throw refused(`no file matches '${pattern}'`);
  return files;
}

/** All YAML files below a folder that are not hidden, in the order of their names. */
async function filesIn(folder: string, terminal: Terminal): Promise<readonly string[]> {
  const entries = await reading(folder, () => terminal.list(folder));
  const files: string[] = [];
  for (const { name, kind } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isSkipped(name)) continue;
    if (kind === 'folder') files.push(...(await filesIn(join(folder, name), terminal)));
    else if (kind === 'file' && /\.ya?ml$/i.test(name)) files.push(join(folder, name));
  }
  return files;
}

/** What the folder of a path has that the user may have meant. */
export async function nearFile(target: string, terminal: Terminal): Promise<string | undefined> {
  const folder = dirname(target);
  if ((await terminal.look(folder)) !== 'folder') return undefined;
  const names = (await reading(folder, () => terminal.list(folder))).map(({ name }) => name);
  return didYouMean(basename(target), names);
}

async function reading<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `error: cannot read ${path}: ${reason}`, { cause: error });
  }
}

function refused(message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `error: ${message}`);
}
