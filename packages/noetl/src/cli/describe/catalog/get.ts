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

/** `noetl catalog get`. */
export function describeCatalogGet(catalog: Command, { terminal, machine, end }: CommandLine): void {
  catalog
    .command('get')
    .summary('print a playbook of the catalog')
    .description(
      'Print the text of a playbook: what runs. Of one that was registered with --legacy, --original prints what its author wrote.',
    )
    .argument('<path>', 'the playbook: PATH, or PATH@N for a version')
    .option('--version <n>', 'which version (default: the newest)', positiveInteger)
    .option('--original', 'print what the author wrote')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--json', 'print one line of JSON: path, version, content_hash, registered_at, text, original')
    .addHelpText('after', examples('catalog get flows/etl', 'catalog get flows/etl --version 2 > etl.yaml'))
    .action(async (path: string, given: GivenData & { version?: number; original?: boolean }) => {
      const { catalogGet } = await import('../../commands/catalog/get.ts');
      const { version, original = false } = given;
      end(await catalogGet(path, { ...dataOf(given), version, original }, terminal, machine));
    });
}
