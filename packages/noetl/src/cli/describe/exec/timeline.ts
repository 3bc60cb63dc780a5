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

/** `noetl exec timeline`. */
export function describeExecTimeline(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('timeline')
    .summary('chart what ran when')
    .description(
      'Print what ran when as a Gantt chart: a row for each step run, with its attempts, its waits and the pauses before ' +
        'retries; a loop is one row that counts its iterations. With --svg it is a picture for a page.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--svg <file>', 'write an SVG to this file, - for standard output')
    .option(
      '--width <n>',
      'columns of the chart, or pixels of the SVG (default: those of the terminal, or 1000)',
      positiveInteger,
    )
    .option('--rows <n>', 'how many rows', positiveInteger, 60)
    .option('--iterations <n>', 'show so many iterations of each loop one by one', wholeNumber, 0)
    .option('--json', 'print the bars as one line of JSON')
    .addHelpText(
      'after',
      examples(
        'exec timeline 06et5k2m3c9x1w4y7a2b',
        'exec timeline 06et5k2m3c9x1w4y7a2b --iterations 10',
        'exec timeline 06et5k2m3c9x1w4y7a2b --svg run.svg',
      ),
    )
    .action(async (id: string, given: GivenData & GivenTimeline) => {
      const { execTimeline } = await import('../../commands/exec/timeline.ts');
      const { svg, width, rows, iterations } = given;
      end(await execTimeline(id, { ...dataOf(given), svg, width, rows, iterations }, terminal, machine));
    });
}

interface GivenTimeline {
  readonly svg?: string;
  readonly width?: number;
  readonly rows: number;
  readonly iterations: number;
}
