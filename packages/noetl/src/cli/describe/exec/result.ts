import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl exec result`. */
export function describeExecResult(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('result')
    .summary('print the result of an execution')
    .description(
      'Print the result of an execution that is over, however large it is: what is larger than 8 MiB is written as it comes, on one line. Of one that did not succeed, tell why; the exit code is 1, or 5 if it was cancelled.',
    )
    .argument('<id>', 'the execution')
    .option('--step <name>', 'that of a step instead: of its newest run that completed, also while the execution runs')
    .option('--out <file>', 'write it to this file: text as it is, anything else as JSON')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print it as one line; if it did not succeed, with status and error')
    .addHelpText(
      'after',
      examples('exec result 06et5k2m3c9x1w4y7a2b', 'exec result 06et5k2m3c9x1w4y7a2b --step fetch --out orders.json'),
    )
    .action(async (id: string, given: GivenData & { readonly step?: string; readonly out?: string }) => {
      const { execResult } = await import('../../commands/exec/result.ts');
      end(await execResult(id, { ...dataOf(given), step: given.step, out: given.out }, terminal, machine));
    });
}
