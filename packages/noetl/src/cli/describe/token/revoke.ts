import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl token revoke`. */
export function describeTokenRevoke(token: Command, { terminal, machine, end }: CommandLine): void {
  token
    .command('revoke')
    .summary('revoke a token')
    .description('Revoke a token: the next request that shows it is refused. Its name is not given again.')
    .argument('<name>', 'of the token')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON object')
    .addHelpText('after', examples('token revoke ci'))
    .action(async (name: string, given: GivenData) => {
      const { tokenRevoke } = await import('../../commands/token/revoke.ts');
      end(await tokenRevoke({ ...dataOf(given), name }, terminal, machine));
    });
}
