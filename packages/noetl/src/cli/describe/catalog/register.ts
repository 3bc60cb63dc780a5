import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, SERVER_INSTEAD } from '../command-line.ts';

/** `noetl catalog register`. */
export function describeCatalogRegister(catalog: Command, { terminal, machine, end }: CommandLine): void {
  catalog
    .command('register')
    .summary('put playbooks into the catalog')
    .description(
      'Put playbooks into the catalog of the data folder. A playbook whose text is not that of its newest version gets ' +
        'the next version. Of a folder all .yaml and .yml files are taken, at any depth. If one is not valid, the exit ' +
        'code is 4, and none is registered.',
    )
    .argument('<target...>', 'files, folders or globs, or - for standard input')
    .option('--legacy', 'upgrade playbooks of older dialects, and keep their texts beside')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print a JSON list, with an entry for each file')
    .addHelpText('after', examples('catalog register etl.yaml', 'catalog register flows'))
    .action(async (targets: string[], given: GivenData & { legacy?: boolean }) => {
      const { catalogRegister } = await import('../../commands/catalog/register.ts');
      end(await catalogRegister({ ...dataOf(given), targets, legacy: given.legacy ?? false }, terminal, machine));
    });
}
