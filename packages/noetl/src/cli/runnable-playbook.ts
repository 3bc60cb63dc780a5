import { adviceFor, findInCatalog } from './catalog-reference.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import { nearFile } from './find-playbooks.ts';
import type { Machine } from './machine.ts';
import { type SourcedPlan, sourceOfEntry } from './sourced-plan.ts';
import type { Terminal } from './terminal.ts';

/** Whether the user names a file, or standard input; else it is a playbook of the catalog. */
export const namesFile = async (name: string, terminal: Pick<Terminal, 'look'>): Promise<boolean> =>
  name === '-' || (await terminal.look(name)) !== undefined;

/** The playbook of the catalog that the user names, by `PATH` or `PATH@N`. */
export async function runnablePlaybook(
  name: string,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<SourcedPlan> {
  const { catalog } = data.store;
  const entry = await findInCatalog({ path: name, version: undefined }, catalog);
  if (entry === undefined) {
    const found = `and the catalog of ${data.folder} has no playbook '${name}'.${await adviceFor(name, catalog)}`;
    throw await nothingNamed(name, found, terminal);
  }
  const source = await sourceOfEntry(entry, data, machine);
  if (source !== undefined) return source;
  throw new CommandFailure(
    EXIT.invalid,
    `error: version ${entry.version} of '${entry.path}' is not valid any more: noetl catalog get ${entry.path}@${entry.version} | noetl validate - tells why.`,
  );
}

/** Says that the name leads to no file, and why to nothing else. */
export async function nothingNamed(name: string, otherwise: string, terminal: Terminal): Promise<CommandFailure> {
  const hint = await nearFile(name, terminal);
  const near = hint === undefined ? '' : ` ${hint}`;
  return new CommandFailure(EXIT.usage, `error: there is no file '${name}', ${otherwise}${near}`);
}
