import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl credential list`. */
export function describeCredentialList(credential: Command, { terminal, machine, end }: CommandLine): void {
  credential
    .command('list')
    .summary('list credentials by name')
    .description('List the credentials with their kinds and the names of their fields. Values are never shown.')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('credential list'))
    .action(async (given: GivenData) => {
      const { credentialList } = await import('../../commands/credential/list.ts');
      end(await credentialList(dataOf(given), terminal, machine));
    });
}
