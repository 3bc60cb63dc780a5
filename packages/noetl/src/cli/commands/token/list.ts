import { tokenEntry } from '../../../server/made-token.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { tokenList as listText } from '../../views/token-list.ts';
import { type ExecOptions, looking } from '../exec/looking.ts';

/** Lists the tokens that were made, never what they are. */
export const tokenList = (options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async ({ folder: { store, remote } }) => {
    const now = terminal.now();
    const tokens =
      remote === undefined
        ? (await store.tokens.list()).map((token) => tokenEntry(token, now))
        : (await remote.tokens.list()).tokens;
    terminal.print(options.json ? `${JSON.stringify(tokens)}\n` : listText(tokens, terminal.color));
    return EXIT.ok;
  });
