import { type Command, Option } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** The kinds that the store knows; named here, so that the help needs nothing else. */
const KINDS = ['secret', 'bearer', 'basic', 'api_key', 'oauth2', 'postgres'] as const;

/** `noetl credential set`. */
export function describeCredentialSet(credential: Command, { terminal, machine, end }: CommandLine): void {
  credential
    .command('set')
    .summary('keep a credential, over one of the same name')
    .description(
      'Keep a credential, over one of the same name. Its value is read from standard input: a JSON mapping of fields, or ' +
        'a plain text. On a terminal it is asked for, field by field, without showing what is secret. It is never given on ' +
        'the command line, where other users of the machine could see it.',
    )
    .argument('<name>', 'what keychains call it')
    .addOption(new Option('--kind <kind>', 'what it is for').choices(KINDS).default('secret'))
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      examples(
        'credential set api --kind bearer < token.txt',
        'credential set warehouse --kind postgres',
        'credential set mail --kind basic < mail.json',
      ),
    )
    .action(async (name: string, given: GivenData & { readonly kind: string }) => {
      const { credentialSet } = await import('../../commands/credential/set.ts');
      end(await credentialSet({ ...dataOf(given), name, kind: given.kind }, terminal, machine));
    });
}
