import type { Command } from 'commander';
import { describeCatalogGet } from './catalog/get.ts';
import { describeCatalogList } from './catalog/list.ts';
import { describeCatalogRegister } from './catalog/register.ts';
import type { CommandLine } from './command-line.ts';

/** `noetl catalog` and what is below it. */
export function describeCatalog(program: Command, line: CommandLine): void {
  const catalog = program
    .command('catalog')
    .summary('keep playbooks by path and version')
    .description('Keep playbooks in the data folder, by path and version, to run and call them by their path.');
  for (const describe of [describeCatalogRegister, describeCatalogList, describeCatalogGet]) describe(catalog, line);
}
