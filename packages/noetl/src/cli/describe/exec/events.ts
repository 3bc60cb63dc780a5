import type { Command } from 'commander';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  positiveInteger,
  SERVER_INSTEAD,
  wholeNumber,
} from '../command-line.ts';

/** `noetl exec events`. */
export function describeExecEvents(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('events')
    .summary('print the events of an execution')
    .description('Print the events of an execution, oldest first, a page at a time.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--after <seq>', 'go on behind this event', wholeNumber, 0)
    .option('--limit <n>', 'how many', positiveInteger, 1_000)
    .option('--explain', 'tell why: each admission, arc and rule with its expression, what it read, and its verdict')
    .option('--json', 'print one event per line, as it is stored')
    .addHelpText(
      'after',
      examples(
        'exec events 06et5k2m3c9x1w4y7a2b',
        'exec events 06et5k2m3c9x1w4y7a2b --explain',
        'exec events 06et5k2m3c9x1w4y7a2b --json',
      ),
    )
    .action(async (id: string, given: GivenData & { after: number; limit: number; explain?: boolean }) => {
      const { execEvents } = await import('../../commands/exec/events.ts');
      const { after, limit, explain = false } = given;
      end(await execEvents(id, { ...dataOf(given), after, limit, explain }, terminal, machine));
    });
}
