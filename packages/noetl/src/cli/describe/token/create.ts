import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../../server/http/roles.ts';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';
import { durationOption } from '../duration-option.ts';

/** `noetl token create`. */
export function describeTokenCreate(token: Command, { terminal, machine, end }: CommandLine): void {
  token
    .command('create')
    .summary('make a token')
    .description(
      'Make a token and print it, this once: only its hash is kept. A viewer reads; a runner also starts and controls ' +
        'executions; an author also registers playbooks; an operator also verifies executions, keeps ' +
        'credentials and stops workers; an admin does everything; a worker only takes work.',
    )
    .argument('<name>', 'what it is called, and what stands in the audit log')
    .addOption(new Option('--role <role>', 'what it may do').choices([...ROLES]).makeOptionMandatory())
    .option(
      '--expires <time>',
      'how long it is valid: 30d, 12h, 90m, 2w (default: until it is revoked)',
      durationOption,
    )
    .option('--prefix <path>', 'only playbooks within this path, and their executions', '')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON object')
    .addHelpText(
      'after',
      examples(
        'token create ci --role runner --expires 30d',
        'token create team-a --role author --prefix flows/team-a',
      ),
    )
    .action(async (name: string, given: GivenData & { role: Role; expires?: number; prefix: string }) => {
      const { tokenCreate } = await import('../../commands/token/create.ts');
      const { role, prefix } = given;
      const expires = given.expires === undefined ? undefined : given.expires / 1000;
      end(await tokenCreate({ ...dataOf(given), name, role, prefix, expires }, terminal, machine));
    });
}
