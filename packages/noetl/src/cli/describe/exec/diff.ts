import type { Command } from 'commander';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  positiveInteger,
  SERVER_INSTEAD,
} from '../command-line.ts';

/** `noetl exec diff`. */
export function describeExecDiff(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('diff')
    .summary('compare two executions')
    .description(
      'Compare two executions: arcs taken, outcomes, ctx, durations; the first difference first. Step runs, iterations and ' +
        'attempts are matched by what they are, not by ids; ids, times and the headers of http answers are passed over. A ' +
        'fork is compared with what its origin did before. The exit code is 0 if they are equal, 1 if they differ.',
    )
    .argument('<a>', 'an execution')
    .argument('<b>', 'another')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--limit <n>', 'how many differences', positiveInteger, 20)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('exec diff 06et5k2m3c9x1w4y7a2b 06et5m8q2v7c0x3k9d1f'))
    .action(async (a: string, b: string, given: GivenData & { limit: number }) => {
      const { execDiff } = await import('../../commands/exec/diff.ts');
      end(await execDiff([a, b], { ...dataOf(given), limit: given.limit }, terminal, machine));
    });
}
