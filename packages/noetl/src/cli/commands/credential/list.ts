import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { credentialListJson, credentialList as listText } from '../../views/credential-list.ts';
import { type ExecOptions, looking } from '../exec/looking.ts';

/** Names and kinds, never values: no key is needed, and none is looked for. */
export const credentialList = (options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async ({ folder }) => {
    const entries = await folder.store.secrets.list();
    terminal.print(options.json ? credentialListJson(entries) : listText(entries, terminal.color));
    return EXIT.ok;
  });
