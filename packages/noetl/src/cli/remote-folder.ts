import { instantOf, type ResultReference } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { PlaybookEntry, PlaybookText } from '../api/catalog.ts';
import { executionEntry } from '../api/execution-entry.ts';
import type { Execution } from '../api/executions.ts';
import type { NoetlClient } from '../client/client.ts';
import { ServerProblem } from '../client/server-error.ts';
import type { CatalogEntry } from '../ports/catalog.ts';
import type { ExecutionEntry } from '../ports/executions.ts';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import type { Store } from '../ports/store.ts';
import { collectedFiles } from './collected-files.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import { readText } from './playbook-file.ts';
import { unlessRefused } from './unless-refused.ts';

/** The most that the server gives on a page. */
const PAGE = 1_000;

/**
 * What a server has, as if it were a folder: whoever reads executions, playbooks and results reads them there. What changes
 * something is asked of the server by its own routes, not here, but for registering a playbook.
 */
export function remoteFolder(client: NoetlClient, url: string, local: boolean): DataFolder {
  const { executions, catalog } = client;
  /** Texts that were registered from here, by the hash of their content. */
  const registered = new Map<string, { readonly text: string; readonly legacy: boolean }>();

  const readsLog: Pick<Store['log'], 'read' | 'position' | 'iterations' | 'milestones'> = {
    read: (id, after, limit) =>
      known([], () =>
        paged(limit, after, async (from, most) => {
          const { events, next } = await executions.events(id, { after: from, limit: most });
          return { items: events, next: next ?? undefined };
        }),
      ),
    position: (id) => known(0, async () => (await executions.get(id)).events),
    iterations: async ({ execution_id, loop, until }, from, limit) => {
      const query = { loop, from, limit: Math.min(limit, PAGE), ...(until === null ? {} : { until }) };
      return (await executions.iterations(execution_id, query)).events;
    },
    milestones: async (id, kind, after) => (await executions.milestones(id, kind, after)).events ?? undefined,
  };

  const readsExecutions: Pick<Store['executions'], 'get' | 'list' | 'unfinished'> = {
    // What can be no id is none of an execution.
    get: async (id) => (id === '' ? undefined : known(undefined, async () => executionEntry(await executions.get(id)))),
    list: ({ status, path, parent }, before, limit) =>
      paged<ExecutionEntry, number | undefined>(limit, before, async (from, most) => {
        const page = await executions.list({
          limit: most,
          ...(from === undefined ? {} : { before: from }),
          ...(status === undefined ? {} : { status }),
          ...(path === undefined ? {} : { path }),
          ...(parent === undefined ? {} : parent === null ? { top: true } : { parent }),
        });
        return entriesOf(page);
      }),
    unfinished: (after, limit) =>
      paged<ExecutionEntry, number>(limit, after, async (from, most) =>
        entriesOf(await executions.unfinished({ after: from, limit: most })),
      ),
  };

  const store: Pick<Store, 'catalog'> = {
    catalog: {
      async register(_path, text, contentHash, _now, original) {
        const sent = original === undefined ? { text, legacy: false } : { text: original.text, legacy: true };
        registered.set(contentHash, sent);
        const { path, version, content_hash, registered_at } = await catalog.register(sent);
        return { path, version, text, original, contentHash: content_hash, registeredAt: instantOf(registered_at) };
      },
      get: (path, version) => known(undefined, async () => playbookOf(await catalog.get(path, version))),
      byHash: (id) => known(undefined, async () => playbookOf(await catalog.byId(id))),
      list: (after, limit) =>
        paged<CatalogEntry, string>(limit, after, async (from, most) => {
          const { playbooks, next } = await catalog.list({ after: from, limit: most });
          return { items: playbooks.map(withoutText), next: next ?? undefined };
        }),
      history: (path, before, limit) =>
        known([], () =>
          paged<CatalogEntry, number | undefined>(limit, before, async (from, most) => {
            const page = { limit: most, ...(from === undefined ? {} : { before: from }) };
            const { versions, next } = await catalog.versions(path, page);
            return { items: versions.map(withoutText), next: next ?? undefined };
          }),
        ),
    },
  };

  return {
    folder: url,
    remote: client,
    results: remoteResults(client),
    store: {
      ...store,
      inputs: refusing<Store['inputs']>({}),
      log: refusing<Store['log']>(readsLog),
      executions: refusing<Store['executions']>(readsExecutions),
      snapshots: {
        put: async () => undefined,
        list: async () => [],
        find: async (execution, format, until) => {
          const { snapshot } = await executions.snapshot(execution, format, until);
          return snapshot === null ? undefined : { execution, ...snapshot };
        },
      },
      toolLogs: refusing<Store['toolLogs']>({
        read: ({ execution }, after, limit) =>
          paged(limit, after, async (from, most) => {
            const { lines, next } = await executions.logs(execution, { after: from, limit: most });
            const items = lines.map(({ id, execution_id, task_run_id, attempt, stream, timestamp, text }) => {
              const at = instantOf(timestamp);
              return { id, execution: execution_id, taskRun: task_run_id, attempt, stream, at, text };
            });
            return { items, next: next ?? undefined };
          }),
      }),
      drivers: refusing<Store['drivers']>({
        driverOf: (id) =>
          known(undefined, async () => {
            const { driver } = await executions.get(id);
            return driver === null ? undefined : { id: '', pid: driver.pid, startedAt: '', remaining: 1 };
          }),
      }),
      inspection: refusing<Store['inspection']>({
        async sourceSize({ execution_id, loop, until }) {
          const query = { loop, from: 0, limit: 1, ...(until === null ? {} : { until }) };
          return (await executions.iterations(execution_id, query)).size ?? 0;
        },
        ids: async (before, limit) =>
          (await readsExecutions.list({}, before, limit)).map(({ number, execution }) => ({ number, execution })),
        strays: async () => (await executions.strays()).events,
      }),
      secrets: refusing<Store['secrets']>({
        list: async () =>
          (await client.credentials.list()).credentials.map(({ name, kind, fields, set_at }) => {
            return { name, kind, fields, setAt: instantOf(set_at), sealed: '' };
          }),
      }),
      tokens: refusing<Store['tokens']>({}),
      audit: refusing<Store['audit']>({}),
      close: async () => undefined,
    },
    sourceFolder: async () => undefined,
    async keepSourceFolder(contentHash, folder, legacy = false) {
      const sent = registered.get(contentHash);
      if (sent === undefined) return;
      if (local && !legacy) {
        await catalog.register({ ...sent, folder });
        return;
      }
      // A folder of this machine means nothing to a server elsewhere.
      const { playbook } = readText(sent.text, 'playbook', sent.legacy);
      const files = playbook && (await collectedFiles({ playbook, folder, legacy }));
      if (files !== undefined) await catalog.register({ ...sent, files });
    },
    close: async () => undefined,
  };
}

/** What a server does not have, or not for this caller, is not there. */
const known = async <T>(otherwise: T, read: () => Promise<T>): Promise<T> =>
  (await unlessRefused(read(), 404)) ?? otherwise;

/** As many as are wanted, from as many pages as it takes. */
async function paged<Item, Place>(
  limit: number,
  begin: Place,
  read: (from: Place, most: number) => Promise<{ readonly items: readonly Item[]; readonly next: Place | undefined }>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let from: Place = begin; found.length < limit; ) {
    const { items, next } = await read(from, Math.min(limit - found.length, PAGE));
    found.push(...items);
    if (next === undefined) break;
    from = next;
  }
  return found;
}

const entriesOf = ({ executions, next }: { executions: readonly Execution[]; next: number | null }) => ({
  items: executions.map(executionEntry),
  next: next ?? undefined,
});

const playbookOf = (entry: PlaybookText): CatalogEntry => ({
  ...withoutText(entry),
  text: entry.text,
  ...(entry.original === null ? {} : { original: entry.original as CatalogEntry['original'] }),
});

const withoutText = ({ path, version, content_hash, registered_at }: PlaybookEntry): CatalogEntry => ({
  path,
  version,
  text: '',
  contentHash: content_hash,
  registeredAt: instantOf(registered_at),
});

/** Large values, read from the server; nothing is put there from here. */
function remoteResults({ executions }: NoetlClient): ResultStore {
  async function* read({ store, key, checksum, size, ...rest }: ResultReference): AsyncGenerator<Uint8Array> {
    try {
      yield* await executions.value({ store, key, checksum, size });
    } catch (error) {
      if (!(error instanceof ServerProblem) || error.status !== 404) throw error;
      const kind = error.fields.lost === 'corrupt' ? 'corrupt' : 'missing';
      throw new ResultLost({ store, key, checksum, size, ...rest } as ResultReference, kind);
    }
  }
  return refusing<ResultStore>({
    name: 'file',
    // Where results are kept is the server's to know.
    named: undefined,
    read,
    async get(reference) {
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of read(reference)) pieces.push(piece);
      } catch (error) {
        if (error instanceof ResultLost) return { kind: error.kind };
        throw error;
      }
      return { kind: 'value', value: JSON.parse(Buffer.concat(pieces).toString('utf8')) as Json };
    },
  });
}

/** A port of which a server has only some methods: the others say so. */
function refusing<Port extends object>(own: { [Name in keyof Port]?: Port[Name] | undefined }): Port {
  const refuse = async (): Promise<never> => {
    throw new CommandFailure(EXIT.usage, 'error: this works on a data folder, not on a server. Leave --server out.');
  };
  return new Proxy(own as Port, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : name === 'then' ? undefined : refuse),
  });
}
