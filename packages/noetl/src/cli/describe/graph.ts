import type { Command } from 'commander';
import { choiceOption } from '../choice-option.ts';
import type { GraphOptions } from '../commands/graph.ts';
import { type CommandLine, examples } from './command-line.ts';

/** `noetl graph`. */
export function describeGraph(program: Command, { terminal }: CommandLine): void {
  program
    .command('graph')
    .summary('draw the workflow of a playbook')
    .description(
      'Print the workflow of a playbook as text that Mermaid or Graphviz draws: steps with their loops and tasks, arcs ' +
        'with their guards. Dotted arcs can be taken after a failure.',
    )
    .argument('<file>', 'the playbook, or - for standard input')
    .addOption(choiceOption('-f, --format <format>', 'what to print', ['mermaid', 'dot']))
    .option('--json', 'print one line of JSON: {"format": …, "text": …}')
    .addHelpText('after', examples('graph etl.yaml', 'graph etl.yaml --format dot | dot -Tsvg > etl.svg'))
    .action(async (file: string, options: { format: GraphOptions['format']; json?: boolean }) => {
      const { graph } = await import('../commands/graph.ts');
      await graph({ file, format: options.format, json: options.json ?? false }, terminal);
    });
}
