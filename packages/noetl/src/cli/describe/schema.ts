import type { Command } from 'commander';
import { type CommandLine, examples } from './command-line.ts';

/** `noetl schema`. */
export function describeSchema(program: Command, { terminal }: CommandLine): void {
  program
    .command('schema')
    .summary('print the JSON Schema of playbooks')
    .description('Print the JSON Schema of playbooks, with which an editor completes and explains keys.')
    .option('--json', 'print it as one line')
    .addHelpText('after', examples('schema > playbook.schema.json'))
    .addHelpText(
      'after',
      '\nThe YAML language server finds it by the first line of a playbook:\n' +
        '  # yaml-language-server: $schema=playbook.schema.json',
    )
    .action(async (options: { json?: boolean }) => {
      const { schema } = await import('../commands/schema.ts');
      schema({ json: options.json ?? false }, terminal);
    });
}
