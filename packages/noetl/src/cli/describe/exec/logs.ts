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

/** `noetl exec logs`. */
export function describeExecLogs(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('logs')
    .summary('print what the tools of an execution printed')
    .description('Print what the tools of an execution printed, in the order it came.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--after <number>', 'go on behind the page before', wholeNumber, 0)
    .option('--limit <n>', 'how many lines', positiveInteger, 1_000)
    .option('--json', 'print one line of JSON for each')
    .addHelpText('after', examples('exec logs 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: GivenData & { after: number; limit: number }) => {
      const { execLogs } = await import('../../commands/exec/logs.ts');
      const { after, limit } = given;
      end(await execLogs(id, { ...dataOf(given), after, limit }, terminal, machine));
    });
}
