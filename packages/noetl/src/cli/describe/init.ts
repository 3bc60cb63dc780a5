import type { Command } from 'commander';
import { choiceOption } from '../choice-option.ts';
import type { InitOptions } from '../commands/init.ts';
import { type CommandLine, examples } from './command-line.ts';

/** `noetl init`. */
export function describeInit(program: Command, { terminal }: CommandLine): void {
  program
    .command('init')
    .summary('write a playbook to start from')
    .description('Write a valid playbook to start from into the working directory.')
    .argument('[name]', 'the name of the playbook; its file is NAME.yaml', 'playbook')
    .addOption(choiceOption('-t, --template <template>', 'what it shows', ['http', 'etl', 'loop', 'pagination']))
    .option('--force', 'replace a file of that name')
    .option('--json', 'print one line of JSON: {"file": …}')
    .addHelpText('after', examples('init', 'init orders --template etl'))
    .action(async (name: string, options: { template: InitOptions['template']; force?: boolean; json?: boolean }) => {
      const { init } = await import('../commands/init.ts');
      const { template, force = false, json = false } = options;
      await init({ name, template, force, json }, terminal);
    });
}
