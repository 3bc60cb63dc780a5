import type { Command } from 'commander';
import { type CommandLine, DATA, dataOf, examples, type GivenData } from '../command-line.ts';
import { PORT } from './port-option.ts';

/** `noetl server status`. */
export function describeServerStatus(server: Command, { terminal, machine, end }: CommandLine): void {
  server
    .command('status')
    .summary('say whether a server runs')
    .description(
      'Say where the server of the data folder listens and what it does. The exit code is 3 if none answers.',
    )
    .option(...DATA)
    .option(...PORT)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('server status', 'server status --json'))
    .action(async (given: GivenData & { readonly port?: number }) => {
      const { serverStatus } = await import('../../commands/server/status.ts');
      end(await serverStatus({ ...dataOf(given), port: given.port }, terminal, machine));
    });
}
