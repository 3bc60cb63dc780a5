import { join } from 'node:path';
import type { Tagged } from '@noetl/engine';
import { StoreError } from '../../ports/store-error.ts';
import { createFileResults } from '../../results/files.ts';
import { splitTags } from '../../results/scan-tags.ts';
import { type Lived, outlived } from '../../server/collect/outlived.ts';
import { referencedKeys, UnreadableLog } from '../../server/collect/referenced.ts';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder, RESULTS_FOLDER } from '../data-folder.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Machine } from '../machine.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';
import { duration, grouped, things } from '../views/quantity.ts';
import { visible } from '../views/visible.ts';

export interface GcOptions {
  readonly data: string | undefined;
  readonly json: boolean;
  /** Executions that ended longer ago are removed, in milliseconds; undefined for none. */
  readonly olderThan: number | undefined;
  /** Only tells what it would do. */
  readonly dryRun: boolean;
}

/** What was put a while ago and is named by no event is needed by nobody: events are written soon after. */
const GRACE = 60 * 60 * 1000;

/** Removes executions that are over for long, and results that no execution needs any more. */
export async function gc(options: GcOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const path = dataFolderPath(options.data, machine);
  await demandFolder(path, terminal);
  const folder = await openDataFolder(path, systemClock, 'run', machine);
  try {
    const removed = await removeExecutions(folder, options, terminal);
    const collected = await collectResults(folder, new Set(removed), options, terminal);
    const { dryRun, json, olderThan } = options;
    if (json) terminal.print(`${JSON.stringify({ dry_run: dryRun, executions: removed, results: collected })}\n`);
    else {
      const [remove, collect] = dryRun ? ['would remove', 'would collect'] : ['removed', 'collected'];
      const which = olderThan === undefined ? '' : ` that ended more than ${duration(olderThan)} ago`;
      if (olderThan !== undefined) terminal.print(`${remove} ${things(removed.length, 'execution')}${which}\n`);
      terminal.print(`${collect} ${things(collected.count, 'result')} of ${grouped(collected.bytes)} bytes\n`);
    }
    return EXIT.ok;
  } finally {
    await folder.close();
  }
}

/** How many executions are listed at a time. */
const PAGE = 1_000;

async function removeExecutions(
  { store }: DataFolder,
  { olderThan, dryRun }: GcOptions,
  terminal: Terminal,
): Promise<readonly string[]> {
  if (olderThan === undefined) return [];
  const all: Lived[] = [];
  for (let before: number | undefined; ; ) {
    const page = await store.executions.list({}, before, PAGE);
    for (const { execution, parent, origin, endedAt } of page) all.push({ execution, parent, origin, endedAt });
    before = page.at(-1)?.number;
    if (page.length < PAGE) break;
  }
  const removed: string[] = [];
  for (const execution of outlived(all, terminal.now() - olderThan)) {
    if (dryRun || (await store.executions.remove(execution))) removed.push(execution);
  }
  return removed;
}

async function collectResults(
  { folder, store, results: all }: DataFolder,
  removed: ReadonlySet<string>,
  { dryRun }: GcOptions,
  terminal: Terminal,
): Promise<{ readonly count: number; readonly bytes: number }> {
  const results = createFileResults(join(folder, RESULTS_FOLDER));
  // What is put from here on is younger than what is collected.
  const before = terminal.now() - GRACE;
  const { inspection } = store;
  const needed = await referencedKeys(results.name, { inspection, results: all, tagsIn }, removed).catch((error) => {
    if (error instanceof StoreError) throw unasked(error);
    if (!(error instanceof UnreadableLog)) throw error;
    const advice = `noetl exec verify ${visible(error.execution)} tells where.`;
    throw new CommandFailure(EXIT.failed, `error: ${error.message} No result was collected. ${advice}`);
  });
  let [count, bytes] = [0, 0];
  for await (const stored of results.stored()) {
    if (stored.putAt >= before || (stored.key !== undefined && needed.has(stored.key))) continue;
    if (!dryRun && !(await results.collect(stored))) continue;
    count += 1;
    bytes += stored.size;
  }
  return { count, bytes };
}

/** A result elsewhere may hold references to the files here. */
const unasked = ({ code, message }: StoreError): CommandFailure =>
  new CommandFailure(EXIT.failed, `error: ${code}: ${message} No result was collected.`);

function tagsIn(json: string): readonly Tagged[] {
  return splitTags()
    .take(json)
    .filter((part) => typeof part !== 'string');
}
