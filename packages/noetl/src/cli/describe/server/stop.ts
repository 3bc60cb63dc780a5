import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData, positiveInteger } from '../command-line.ts';
import { PORT } from './port-option.ts';

/** `noetl server stop`. */
export function describeServerStop(server: Command, { terminal, machine, end }: CommandLine): void {
  server
    .command('stop')
    .summary('stop the server of a data folder')
    .description('Ask the server that runs on the data folder to stop, and wait until it has.')
    .option(...DATA)
    .option(...PORT)
    .option('--wait <seconds>', 'how long', positiveInteger, 60)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('server stop', 'server stop --data /srv/noetl'))
    .action(async (given: GivenData & { readonly wait: number; readonly port?: number }) => {
      const { serverStop } = await import('../../commands/server/stop.ts');
      end(await serverStop({ ...dataOf(given), port: given.port, wait: given.wait }, terminal, machine));
    });
}
