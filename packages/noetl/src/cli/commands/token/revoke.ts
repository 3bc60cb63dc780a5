import { noteCommand } from '../../audit-notes.ts';
import { changing } from '../../changing.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { demandPlace } from '../../place.ts';
import type { Terminal } from '../../terminal.ts';
import { unlessRefused } from '../../unless-refused.ts';
import type { ExecOptions } from '../exec/looking.ts';

export interface TokenRevokeOptions extends ExecOptions {
  readonly name: string;
}

/** Revokes a token: the next request that shows it is refused. */
export async function tokenRevoke(
  { name, data, json }: TokenRevokeOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  await demandPlace(data, terminal, machine);
  const revoked = await changing(data, machine, async ({ store, remote }) => {
    if (remote !== undefined) return (await unlessRefused(remote.tokens.revoke(name), 404)) !== undefined;
    const now = terminal.now();
    if (!(await store.tokens.revoke(name, now))) return false;
    await noteCommand(`token revoke ${name}`, { store }, now, machine);
    return true;
  });
  if (!revoked) {
    throw new CommandFailure(
      EXIT.usage,
      `error: there is no token '${name}' that could be revoked. noetl token list shows them.`,
    );
  }
  terminal.print(json ? `${JSON.stringify({ revoked: name })}\n` : `revoked '${name}'.\n`);
  return EXIT.ok;
}
