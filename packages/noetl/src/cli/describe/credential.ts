import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeCredentialList } from './credential/list.ts';
import { describeCredentialRm } from './credential/rm.ts';
import { describeCredentialRotate } from './credential/rotate.ts';
import { describeCredentialSet } from './credential/set.ts';

/** `noetl credential` and what is below it. */
export function describeCredential(program: Command, line: CommandLine): void {
  const credential = program
    .command('credential')
    .summary('keep credentials, sealed, for the keychains of playbooks')
    .description(
      'Keep credentials in the data folder, sealed with a key that is elsewhere. Playbooks name them in their keychain; ' +
        'no command prints a value.',
    );
  const below = [describeCredentialSet, describeCredentialList, describeCredentialRm, describeCredentialRotate];
  for (const describe of below) describe(credential, line);
}
