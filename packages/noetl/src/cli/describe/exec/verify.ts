import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl exec verify`. */
export function describeExecVerify(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('verify')
    .summary('find out whether what is stored of an execution was changed')
    .description(
      'Fold the log of an execution and compare everything that is stored with it: the hash of every event, the results ' +
        'that events name, the index of iterations, snapshots, and what lists show. The first difference is reported: ' +
        'what, where, expected and found. The exit code is 0 if all is intact, 1 if something differs.',
    )
    .argument('[id]', 'the execution')
    .option('--all', 'every execution of the data folder')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print one line of JSON for each execution')
    .addHelpText('after', examples('exec verify 06et5k2m3c9x1w4y7a2b', 'exec verify --all --json'))
    .action(async (id: string | undefined, given: GivenData & { readonly all?: boolean }) => {
      const { execVerify } = await import('../../commands/exec/verify.ts');
      end(await execVerify(id, { ...dataOf(given), all: given.all ?? false }, terminal, machine));
    });
}
