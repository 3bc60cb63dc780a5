import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl token list`. */
export function describeTokenList(token: Command, { terminal, machine, end }: CommandLine): void {
  token
    .command('list')
    .summary('list tokens')
    .description('List the tokens that were made, also those that are not valid any more; never what they are.')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('token list'))
    .action(async (given: GivenData) => {
      const { tokenList } = await import('../../commands/token/list.ts');
      end(await tokenList(dataOf(given), terminal, machine));
    });
}
