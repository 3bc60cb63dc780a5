import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';

/** `noetl render`. */
export function describeRender(program: Command, { terminal }: CommandLine): void {
  program
    .command('render')
    .summary('evaluate a template')
    .description(
      'Evaluate a template and print its value: text as it is, anything else as JSON. A template that is one {{ … }} ' +
        'keeps its native type.',
    )
    .argument('<template>', 'the template, or - to read it from standard input')
    .option('-s, --scope <file>', 'JSON object with the names the template may use, or - for standard input')
    .option('--json', 'print every value as one line of JSON')
    .action(async (template: string, options: { scope?: string; json?: boolean }) => {
      const { render } = await import('../commands/render.ts');
      await render({ template, scope: options.scope, json: options.json ?? false }, terminal);
    });
}
