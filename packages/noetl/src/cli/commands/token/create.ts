import { LONGEST_VALIDITY } from '../../../api/tokens.ts';
import { canBeBound } from '../../../server/http/permissions.ts';
import type { Role } from '../../../server/http/roles.ts';
import { makeToken } from '../../../server/made-token.ts';
import { noteCommand } from '../../audit-notes.ts';
import { changing } from '../../changing.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { unlessRefused } from '../../unless-refused.ts';
import type { ExecOptions } from '../exec/looking.ts';

export interface TokenCreateOptions extends ExecOptions {
  readonly name: string;
  readonly role: Role;
  readonly prefix: string;
  /** Seconds; undefined for a token that stays. */
  readonly expires: number | undefined;
}

const NAME = /^[\w.@-]{1,64}$/;

/** Makes a token of a folder's server, or of one elsewhere. It is printed, and never again. */
export async function tokenCreate(
  { name, role, prefix, expires, data, json }: TokenCreateOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  if (!NAME.test(name)) {
    const expected = 'letters, digits, _ . @ and - are expected, at most 64';
    throw new CommandFailure(EXIT.usage, `error: '${name}' is no name of a token: ${expected}.`);
  }
  if (prefix !== '' && !canBeBound(role)) {
    const why = 'what it does has to do with no path';
    throw new CommandFailure(EXIT.usage, `error: --prefix: a token of the role '${role}' cannot be bound: ${why}.`);
  }
  if (expires !== undefined && !(expires >= 1 && expires <= LONGEST_VALIDITY)) {
    throw new CommandFailure(
      EXIT.usage,
      'error: --expires: a token is valid for a minute at least, and for ten years at most.',
    );
  }
  const made = await changing(data, machine, async ({ store, remote }) => {
    if (remote !== undefined) {
      const asked = { name, role, prefix, ...(expires === undefined ? {} : { expires_in: expires }) };
      return unlessRefused(remote.tokens.create(asked), 409);
    }
    const now = terminal.now();
    const found = await makeToken(store.tokens, { name, role, prefix, expiresIn: expires }, now);
    if (found !== undefined) {
      await noteCommand(`token create ${name}`, { store }, now, machine);
    }
    return found;
  });
  if (made === undefined) {
    throw new CommandFailure(EXIT.usage, `error: there is a token '${name}' already. Choose another name.`);
  }
  if (json) terminal.print(`${JSON.stringify(made)}\n`);
  else {
    terminal.print(`${made.token}\n`);
    const until = made.expires_at === null ? '' : ` until ${made.expires_at}`;
    terminal.complain(
      `the token '${name}' (${role})${until}. It is not shown again; commands take it from NOETL_TOKEN.\n`,
    );
  }
  return EXIT.ok;
}
