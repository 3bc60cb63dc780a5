import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl exec status`. */
export function describeExecStatus(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('status')
    .summary('say how far an execution is, and what failed')
    .description(
      'Print an execution on a page: its step runs with their loops, what they called, its failures and where they are.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('exec status 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: GivenData) => {
      const { execStatus } = await import('../../commands/exec/status.ts');
      end(await execStatus(id, dataOf(given), terminal, machine));
    });
}
