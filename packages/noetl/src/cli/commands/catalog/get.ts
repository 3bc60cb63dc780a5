import { adviceFor, findInCatalog } from '../../catalog-reference.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { assertUnchanged, authoredText } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import { catalogEntryJson } from '../../views/catalog-list.ts';
import { type ExecOptions, looking } from '../exec/looking.ts';

export interface CatalogGetOptions extends ExecOptions {
  readonly version: number | undefined;
  /** Whether to print what the author wrote, not what runs. */
  readonly original: boolean;
}

export const catalogGet = (
  path: string,
  options: CatalogGetOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async ({ folder }) => {
    const { version, json } = options;
    const entry = await findInCatalog({ path, version }, folder.store.catalog);
    if (entry === undefined) {
      const which = version === undefined ? `'${path}'` : `'${path}' of version ${version}`;
      const advice = await adviceFor(path, folder.store.catalog);
      throw new CommandFailure(EXIT.usage, `error: the catalog of ${folder.folder} has no playbook ${which}.${advice}`);
    }
    assertUnchanged(entry);
    terminal.print(json ? catalogEntryJson(entry) : options.original ? authoredText(entry) : entry.text);
    return EXIT.ok;
  });
