import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData } from '../command-line.ts';

/** `noetl exec result`. */
export function describeExecResult(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('result')
    .summary('print the result of an execution')
    .description(
      'Print the result of an execution that is over, however large it is. Of one that did not succeed, tell why; the exit code is 1, or 5 if it was cancelled.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option('--json', 'print it as one line; if it did not succeed, with status and error')
    .addHelpText('after', examples('exec result 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: GivenData) => {
      const { execResult } = await import('../../commands/exec/result.ts');
      end(await execResult(id, dataOf(given), terminal, machine));
    });
}
