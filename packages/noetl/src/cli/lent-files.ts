import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkExchange } from '../ports/work-exchange.ts';
import type { RemoteItem } from '../worker/remote-source.ts';
import { keepFiles } from './kept-files.ts';
import { namedFiles } from './named-files.ts';

/** Files beside playbooks, for a worker on a machine that does not have their folders. */
export interface LentFiles {
  /** The folder that files of the playbook are in; undefined if none came with it. */
  folderOf(work: RemoteItem): Promise<string | undefined>;
  /** Removes what was lent. */
  close(): Promise<void>;
}

/** Of how many executions is remembered which files they have. */
const KEPT = 1_000;

export function createLentFiles(exchange: Pick<WorkExchange, 'files'>): LentFiles {
  const folders = new Map<string, Promise<string | undefined>>();
  let store: Promise<string> | undefined;

  async function fetched({ given: { lease } }: RemoteItem): Promise<string | undefined> {
    const files = await exchange.files(lease);
    if (files === undefined) return undefined;
    store ??= mkdtemp(join(tmpdir(), 'noetl-files-'));
    return keepFiles(await store, files);
  }

  return {
    async folderOf(work) {
      const { playbook, lease } = work.given;
      if (existsSync(playbook.folder)) return playbook.folder;
      const { files, javascript } = namedFiles(work.plan.playbook);
      if (files.length === 0 && javascript.length === 0) return undefined;
      const known = folders.get(lease.execution) ?? fetched(work);
      folders.set(lease.execution, known);
      const [oldest] = folders.keys();
      if (folders.size > KEPT && oldest !== undefined) folders.delete(oldest);
      // Who could not be asked is asked again.
      known.catch(() => folders.delete(lease.execution));
      return known;
    },
    async close() {
      if (store !== undefined) await rm(await store, { recursive: true, force: true });
    },
  };
}
