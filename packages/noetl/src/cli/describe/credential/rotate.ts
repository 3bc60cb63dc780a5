import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl credential rotate`. */
export function describeCredentialRotate(credential: Command, { terminal, machine, end }: CommandLine): void {
  credential
    .command('rotate')
    .summary('put all credentials under a new master key')
    .description(
      'Put all credentials under a new master key, at once: whatever stops it in the middle, all can be opened. A key ' +
        'file that noetl made is replaced. If the key is in NOETL_KEY, the new one comes from NOETL_NEW_KEY; if it is in ' +
        'the file that NOETL_KEY_FILE names, from the file that NOETL_NEW_KEY_FILE names, which is made if need be.',
    )
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON object')
    .addHelpText('after', examples('credential rotate'))
    .action(async (given: GivenData) => {
      const { credentialRotate } = await import('../../commands/credential/rotate.ts');
      end(await credentialRotate(dataOf(given), terminal, machine));
    });
}
