import { adviceFor, findInCatalog } from '../../catalog-reference.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { runningPlace } from '../../place.ts';
import { readPayload } from '../../run-payload.ts';
import type { Terminal } from '../../terminal.ts';
import type { ExecOptions } from './looking.ts';

export interface ExecStartOptions extends ExecOptions {
  readonly set: readonly string[];
  readonly payload: string | undefined;
  /** Makes it safe to ask again: what was started under it is answered again. */
  readonly key: string | undefined;
}

/** Starts a playbook of the catalog by a server, and does not wait for its end. */
export async function execStart(
  playbook: string,
  { set, payload: given, key, data, json }: ExecStartOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const payload = await readPayload(given, set, terminal);
  const place = await runningPlace(data, machine);
  if (place?.remote === undefined) {
    const folder = dataFolderPath(data, machine);
    throw new CommandFailure(
      EXIT.unreachable,
      `error: no server runs on ${folder} that could go on with it. noetl server start begins one; noetl run runs a playbook without.`,
    );
  }
  const { catalog } = place.store;
  const entry = await findInCatalog({ path: playbook, version: undefined }, catalog);
  if (entry === undefined) {
    const advice = await adviceFor(playbook, catalog);
    throw new CommandFailure(
      EXIT.usage,
      `error: the catalog of ${place.folder} has no playbook '${playbook}'.${advice}`,
    );
  }
  const { path, version } = entry;
  const started = await place.remote.executions.start({ path, version, payload }, key);
  if (json) terminal.print(`${JSON.stringify(started)}\n`);
  else {
    const { execution_id: id } = started;
    terminal.print(`${id}\n`);
    terminal.complain(`${path}@${version} has started. noetl exec watch ${id}${dataOption(data)} follows it.\n`);
  }
  return EXIT.ok;
}
