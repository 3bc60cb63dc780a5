import type { Command } from 'commander';
import { type CommandLine, examples } from '../command-line.ts';
import { type GivenWorkerServer, WORKER_DATA, WORKER_SERVER } from './server-option.ts';

/** `noetl worker list`. */
export function describeWorkerList(worker: Command, { terminal, machine, end }: CommandLine): void {
  worker
    .command('list')
    .summary('list the workers of a server')
    .description('List the workers that the server has heard of lately, without the one inside its own process.')
    .option(...WORKER_SERVER)
    .option(...WORKER_DATA)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('worker list', 'worker list --server http://127.0.0.1:8082 --json'))
    .action(async ({ server, data, json = false }: GivenWorkerServer) => {
      const { workerList } = await import('../../commands/worker/list.ts');
      end(await workerList({ server, data, json }, terminal, machine));
    });
}
