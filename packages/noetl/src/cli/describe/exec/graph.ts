import type { Command } from 'commander';
import { choiceOption } from '../../choice-option.ts';
import type { ExecGraphOptions } from '../../commands/exec/graph.ts';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl exec graph`. */
export function describeExecGraph(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('graph')
    .summary('draw the workflow of an execution with what happened')
    .description(
      'Print the workflow of an execution as text that Mermaid or Graphviz draws, with what happened so far: how often ' +
        'each step ran and each arc was taken. Green is done, red failed, blue under way; what nothing has reached is ' +
        'dimmed.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .addOption(choiceOption('-f, --format <format>', 'what to print', ['mermaid', 'dot']))
    .option('--json', 'print one line of JSON: {"format": …, "text": …, "steps": …, "arcs": …}')
    .addHelpText(
      'after',
      examples('exec graph 06et5k2m3c9x1w4y7a2b', 'exec graph 06et5k2m3c9x1w4y7a2b --format dot | dot -Tsvg > run.svg'),
    )
    .action(async (id: string, given: GivenData & { format: ExecGraphOptions['format'] }) => {
      const { execGraph } = await import('../../commands/exec/graph.ts');
      end(await execGraph(id, { ...dataOf(given), format: given.format }, terminal, machine));
    });
}
