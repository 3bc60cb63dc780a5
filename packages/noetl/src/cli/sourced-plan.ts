import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { planOf } from '@noetl/engine';
import { formatPretty, type Json, readPlaybook } from '@noetl/playbook';
import type { CatalogEntry } from '../ports/catalog.ts';
import type { ChildPlan } from '../server/children.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';
import { displayName, readPlaybookText } from './playbook-file.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** A playbook that can run, together with where it comes from. */
export interface SourcedPlan extends ChildPlan {
  readonly text: string;
  /** The folder that its files are relative to. */
  readonly folder: string;
}

/** The playbook of a file that the user named. One that is not valid is explained, and nothing runs. */
export async function readSource(file: string, terminal: Terminal, machine: Machine): Promise<SourcedPlan> {
  const text = await readPlaybookText(file, terminal);
  const { playbook, diagnostics } = readPlaybook(text, { file: displayName(file) });
  const folder = file === '-' ? machine.workingFolder : dirname(resolve(machine.workingFolder, file));
  if (playbook !== undefined) {
    const { path, version } = playbook.metadata;
    return { plan: planOf(playbook), text, folder, path, version: version ?? null, contentHash: hashOf(text) };
  }
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const texts = errors.map((diagnostic) => formatPretty(printable(diagnostic), terminal.color));
  throw new CommandFailure(EXIT.invalid, `${texts.join('\n\n')}\n\nerror: the playbook is not valid; nothing was run.`);
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a folder has to know of a playbook to go on with its executions from anywhere. */
export async function keepSource(
  { path, text, contentHash, folder }: SourcedPlan,
  data: DataFolder,
  now: number,
): Promise<void> {
  await data.store.catalog.register(path, text, contentHash, now);
  await data.keepSourceFolder(contentHash, folder);
}

/** The playbook that an execution of the folder was started with. */
export async function sourceOfExecution(id: string, data: DataFolder, machine: Machine): Promise<SourcedPlan> {
  const execution = await data.store.executions.get(id);
  if (execution === undefined) {
    throw new CommandFailure(EXIT.usage, `error: ${data.folder} has no execution '${id}'. noetl exec list shows them.`);
  }
  const entry = await data.store.catalog.byHash(execution.contentHash);
  const source = entry === undefined ? undefined : await sourceOf(entry, data, machine);
  if (source !== undefined) return source;
  throw new CommandFailure(
    EXIT.failed,
    `error: the playbook of the execution '${id}' is not in ${data.folder} any more.`,
  );
}

async function sourceOf(entry: CatalogEntry, data: DataFolder, machine: Machine): Promise<SourcedPlan | undefined> {
  const { text, contentHash, path } = entry;
  const { playbook } = readPlaybook(text, { file: path });
  if (playbook === undefined) return undefined;
  const folder = (await data.sourceFolder(contentHash)) ?? machine.workingFolder;
  return { plan: planOf(playbook), text, folder, path, version: entry.version, contentHash };
}

/** TOOL-2: what `kind: playbook` calls is a path of the catalog, or a file relative to the caller's. */
export async function findCalled(
  path: string,
  version: Json | undefined,
  caller: SourcedPlan | undefined,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<SourcedPlan | undefined> {
  const file = resolve(caller?.folder ?? machine.workingFolder, path);
  if (version === undefined && (await terminal.look(file)) === 'file') {
    const source = await readSource(file, terminal, machine).catch(() => undefined);
    if (source !== undefined) await keepSource(source, data, terminal.now());
    return source;
  }
  const entry = await data.store.catalog.get(path, typeof version === 'number' ? version : undefined);
  return entry === undefined ? undefined : sourceOf(entry, data, machine);
}
