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

/** `noetl exec state`. */
export function describeExecState(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('state')
    .summary('say what an execution was in the middle of, at any event')
    .description(
      'Print the state of an execution as of an event: workload, ctx, results, tokens that wait, step runs with their ' +
        'tasks, attempts, waits and loops. It is folded from the log, also of an execution that is running or long over.',
    )
    .argument('<id>', 'the execution')
    .option('--at <seq>', 'as of this event; noetl exec events lists them (default: the newest)', positiveInteger)
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('exec state 06et5k2m3c9x1w4y7a2b', 'exec state 06et5k2m3c9x1w4y7a2b --at 12 --json'))
    .action(async (id: string, given: GivenData & { at?: number }) => {
      const { execState } = await import('../../commands/exec/state.ts');
      end(await execState(id, { ...dataOf(given), at: given.at }, terminal, machine));
    });
}
