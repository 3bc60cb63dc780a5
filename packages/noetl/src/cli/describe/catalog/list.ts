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

/** `noetl catalog list`. */
export function describeCatalogList(catalog: Command, { terminal, machine, end }: CommandLine): void {
  catalog
    .command('list')
    .summary('list the playbooks, or the versions of one')
    .description('List the playbooks of the catalog with their newest versions; or the versions of one, newest first.')
    .argument('[path]', 'list the versions of this playbook')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--after <path>', 'go on behind this path')
    .option('--before <version>', 'go on behind this version of the playbook', positiveInteger)
    .option('--limit <n>', 'how many', positiveInteger, 50)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('catalog list', 'catalog list flows/etl'))
    .action(async (path: string | undefined, given: GivenData & GivenPage) => {
      const { catalogList } = await import('../../commands/catalog/list.ts');
      const { after, before, limit } = given;
      end(await catalogList({ ...dataOf(given), path, after, before, limit }, terminal, machine));
    });
}

interface GivenPage {
  readonly after?: string;
  readonly before?: number;
  readonly limit: number;
}
