import { didYouMean } from '@noetl/template';
import { noteCommand } from '../../audit-notes.ts';
import { changing } from '../../changing.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { demandPlace } from '../../place.ts';
import type { Terminal } from '../../terminal.ts';
import type { ExecOptions } from '../exec/looking.ts';

export interface CredentialRmOptions extends ExecOptions {
  readonly names: readonly string[];
}

/** Removes credentials: all that are named, or none if one is not there. */
export async function credentialRm(
  { names, data, json }: CredentialRmOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  await demandPlace(data, terminal, machine);
  const removed = await changing(data, machine, async ({ store, folder, remote }) => {
    const known = (await store.secrets.list()).map(({ name }) => name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) {
      if (remote !== undefined) return (await remote.credentials.remove(names)).removed;
      const gone = await store.secrets.remove([...new Set(names)]);
      await noteCommand(`credential rm ${gone.join(' ')}`, { store }, terminal.now(), machine);
      return gone;
    }
    const near = didYouMean(unknown, known) ?? 'noetl credential list shows what is there.';
    throw new CommandFailure(
      EXIT.usage,
      `error: ${folder} has no credential '${unknown}'. ${near} Nothing was removed.`,
    );
  });
  terminal.print(json ? `${JSON.stringify(removed)}\n` : removed.map((name) => `removed '${name}'.\n`).join(''));
  return EXIT.ok;
}
