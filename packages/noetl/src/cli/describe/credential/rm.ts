import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl credential rm`. */
export function describeCredentialRm(credential: Command, { terminal, machine, end }: CommandLine): void {
  credential
    .command('rm')
    .summary('remove credentials')
    .description('Remove credentials. If one of the names is not there, none is removed.')
    .argument('<name...>', 'the credentials')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON list of the names')
    .addHelpText('after', examples('credential rm api', 'credential rm api warehouse'))
    .action(async (names: string[], given: GivenData) => {
      const { credentialRm } = await import('../../commands/credential/rm.ts');
      end(await credentialRm({ ...dataOf(given), names }, terminal, machine));
    });
}
