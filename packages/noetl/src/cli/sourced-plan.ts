import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { type Plan, planOf } from '@noetl/engine';
import { formatPretty, type Original, type Playbook, readPlaybook } from '@noetl/playbook';
import type { CatalogEntry } from '../ports/catalog.ts';
import { StoreError } from '../ports/store-error.ts';
import type { ChildPlan } from '../server/children.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';
import { displayName, type ReadText, readPlaybookFile, warnOfReviews } from './playbook-file.ts';
import { printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** A playbook that can run, together with where it comes from. */
export interface SourcedPlan extends ChildPlan {
  /** What runs. */
  readonly text: string;
  /** What its author wrote, if that was translated (MIG-2). */
  readonly original?: Original | undefined;
  /** The folder that its files are relative to. */
  readonly folder: string;
  /** Whether nobody told in which folder it is: it was sent from elsewhere, without files. */
  readonly isElsewhere?: boolean;
  /** Its file as the user calls it; absent where it comes from the catalog. */
  readonly file?: string;
  /** Whether older playbooks that it calls by file are upgraded. */
  readonly legacy?: boolean;
}

/** What the user can call it: `PATH@N`, once it is in the catalog. */
export const nameOfSource = ({ path, version }: SourcedPlan): string =>
  version === null ? path : `${path}@${version}`;

/** The text that places are in. */
export const authoredText = ({ text, original }: Pick<SourcedPlan, 'text' | 'original'>): string =>
  original?.text ?? text;

/** How a file is read that the user named. */
export interface SourceReading {
  /** Whether an older playbook is upgraded. */
  readonly legacy: boolean;
  /** Whether nothing is said about what came of that. */
  readonly quiet?: boolean;
}

/** The playbook of a file that the user named. One that is not valid is explained, and nothing runs. */
export async function readSource(
  file: string,
  terminal: Terminal,
  machine: Machine,
  { legacy, quiet = false }: SourceReading = { legacy: false },
): Promise<SourcedPlan> {
  const read = await readPlaybookFile(file, terminal, legacy);
  if (!quiet) warnOfReviews(read, file, terminal);
  if (read.playbook !== undefined) return { ...sourceOfText(file, read, read.playbook, machine), legacy };
  const errors = read.diagnostics.filter(({ severity }) => severity === 'error');
  const texts = errors.map((diagnostic) => formatPretty(printable(diagnostic), terminal.color));
  throw new CommandFailure(EXIT.invalid, `${texts.join('\n\n')}\n\nerror: the playbook is not valid; nothing was run.`);
}

/** The playbook of a file, which has no version yet. */
export function sourceOfText(
  file: string,
  { text, original }: Pick<ReadText, 'text' | 'original'>,
  playbook: Playbook,
  { workingFolder }: Machine,
): SourcedPlan {
  const folder = file === '-' ? workingFolder : dirname(resolve(workingFolder, file));
  return {
    plan: planOf(playbook),
    text,
    original,
    folder,
    file: displayName(file),
    path: playbook.metadata.path,
    version: null,
    contentHash: contentHashOf({ text, original }),
  };
}

/** What pins a version: what runs, and what its places are places of. Neither text can have a NUL. */
export const contentHashOf = ({ text, original }: Pick<CatalogEntry, 'text' | 'original'>): string =>
  createHash('sha256')
    .update(original === undefined ? text : `${text}\0${original.text}`)
    .digest('hex');

/** What a folder has to know of a playbook to run it, and to go on with its executions, from anywhere. */
export async function keepSource(
  { path, text, original, contentHash, folder, legacy }: SourcedPlan,
  data: DataFolder,
  now: number,
): Promise<CatalogEntry> {
  const entry = await data.store.catalog.register(path, text, contentHash, now, original);
  await data.keepSourceFolder(contentHash, folder, legacy);
  return entry;
}

/** The playbook that an execution of the folder was started with, whatever was registered since. */
export async function sourceOfExecution(id: string, data: DataFolder, machine: Machine): Promise<SourcedPlan> {
  const execution = await data.store.executions.get(id);
  if (execution === undefined) {
    throw new CommandFailure(EXIT.usage, `error: ${data.folder} has no execution '${id}'. noetl exec list shows them.`);
  }
  const entry = await data.store.catalog.byHash(execution.contentHash);
  const source = entry === undefined ? undefined : await sourceOfEntry(entry, data, machine);
  if (source === undefined) {
    throw new CommandFailure(
      EXIT.failed,
      `error: the playbook of the execution '${id}' is not in ${data.folder} any more.`,
    );
  }
  const [first] = await data.store.log.read(id, 0, 1);
  const folder = first?.name === 'playbook.execution.requested' ? first.payload.folder : undefined;
  return { ...source, version: execution.version, folder: folder ?? source.folder };
}

/** A version never changes: a text that is not the one that was registered is not run. */
export function assertUnchanged(entry: CatalogEntry): void {
  if (contentHashOf(entry) === entry.contentHash) return;
  const { path, version } = entry;
  throw new StoreError(
    'NOETL_STORE_CORRUPT',
    `the text of '${path}' version ${version} in the catalog is not the one that was registered. Restore the data folder from a backup, or register the playbook again.`,
    { path, version },
  );
}

/** The playbook of an entry; undefined if this release does not take it for valid any more. */
export async function sourceOfEntry(
  entry: CatalogEntry,
  data: DataFolder,
  { workingFolder }: Machine,
): Promise<SourcedPlan | undefined> {
  assertUnchanged(entry);
  const { text, original, contentHash, path, version } = entry;
  const plan = planOfEntry(entry);
  if (plan === undefined) return undefined;
  const known = await data.sourceFolder(contentHash);
  const folder = known ?? workingFolder;
  // A source is known by its plan: each has one of its own.
  return {
    plan: { ...plan },
    text,
    original,
    folder,
    ...(known === undefined ? { isElsewhere: true } : {}),
    path,
    version,
    contentHash,
  };
}

/** Plans of entries that were asked for lately: to read a playbook costs more than to run a short one. */
const recent = new Map<string, Plan>();
const MOST_RECENT = 100;

function planOfEntry({ text, original, contentHash, path }: CatalogEntry): Plan | undefined {
  const key = `${contentHash} ${path}`;
  const plan = recent.get(key) ?? planOfText(text, path, original);
  if (plan === undefined) return undefined;
  recent.delete(key);
  recent.set(key, plan);
  const [oldest] = recent.keys();
  if (recent.size > MOST_RECENT && oldest !== undefined) recent.delete(oldest);
  return plan;
}

function planOfText(text: string, file: string, original: Original | undefined): Plan | undefined {
  const { playbook } = readPlaybook(text, { file, original });
  return playbook && planOf(playbook);
}
