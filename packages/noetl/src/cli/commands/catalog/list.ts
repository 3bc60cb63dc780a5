import type { CatalogEntry } from '../../../ports/catalog.ts';
import { adviceFor } from '../../catalog-reference.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { DataFolder } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { shellWord } from '../../shell-word.ts';
import type { Terminal } from '../../terminal.ts';
import { catalogListJson, catalogList as listText } from '../../views/catalog-list.ts';
import { type ExecOptions, looking } from '../exec/looking.ts';

export interface CatalogListOptions extends ExecOptions {
  /** The playbook whose versions are listed; undefined for all playbooks. */
  readonly path: string | undefined;
  readonly after: string | undefined;
  readonly before: number | undefined;
  readonly limit: number;
}

export const catalogList = (options: CatalogListOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> => {
  const { path, after, before } = options;
  if (path === undefined ? before !== undefined : after !== undefined) {
    throw new CommandFailure(EXIT.usage, 'error: --after goes on in the list of paths, --before in that of versions.');
  }
  return looking(options, terminal, machine, async ({ folder }) => {
    const found =
      path === undefined
        ? await folder.store.catalog.list(after ?? '', options.limit + 1)
        : await versionsOf(path, options, folder);
    const entries = found.slice(0, options.limit);
    const more = found.length > options.limit ? moreOf(entries, options) : undefined;
    if (options.json) terminal.print(catalogListJson(entries));
    else terminal.print(listText(entries, { color: terminal.color, more }));
    return EXIT.ok;
  });
};

async function versionsOf(
  path: string,
  { before, limit }: CatalogListOptions,
  { store, folder }: DataFolder,
): Promise<readonly CatalogEntry[]> {
  const entries = await store.catalog.history(path, before, limit + 1);
  if (entries.length > 0 || (await store.catalog.get(path)) !== undefined) return entries;
  const advice = await adviceFor(path, store.catalog);
  throw new CommandFailure(EXIT.usage, `error: the catalog of ${folder} has no playbook '${path}'.${advice}`);
}

function moreOf(entries: readonly CatalogEntry[], { path, limit, data }: CatalogListOptions): string | undefined {
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const next = path === undefined ? `--after ${shellWord(last.path)}` : `${shellWord(path)} --before ${last.version}`;
  return `noetl catalog list ${next} --limit ${limit}${dataOption(data)}`;
}
