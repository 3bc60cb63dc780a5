import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeTokenCreate } from './token/create.ts';
import { describeTokenList } from './token/list.ts';
import { describeTokenRevoke } from './token/revoke.ts';

/** `noetl token` and what is below it. */
export function describeToken(program: Command, line: CommandLine): void {
  const token = program
    .command('token')
    .summary('say who may call a server')
    .description(
      'Make and revoke the tokens by which callers of a server are known. From the first one on, every request needs one.',
    );
  for (const describe of [describeTokenCreate, describeTokenList, describeTokenRevoke]) describe(token, line);
}
