import type { Command } from 'commander';
import { type CommandLine, examples, positiveInteger } from '../command-line.ts';
import { type GivenWorkerServer, WORKER_DATA, WORKER_SERVER } from './server-option.ts';

/** `noetl worker stop`. */
export function describeWorkerStop(worker: Command, { terminal, machine, end }: CommandLine): void {
  worker
    .command('stop')
    .summary('stop workers of a server')
    .description(
      'Ask workers to stop, wherever they run, and wait until they have: they take no work any more, and end when what they ' +
        'do is done.',
    )
    .argument('[name...]', 'the names of workers, as worker list shows them')
    .option('--all', 'all workers of the server')
    .option(...WORKER_SERVER)
    .option(...WORKER_DATA)
    .option('--wait <seconds>', 'how long', positiveInteger, 60)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('worker stop --all', 'worker stop build-7-4242-k3x9'))
    .action(
      async (
        names: readonly string[],
        given: GivenWorkerServer & { readonly all?: boolean; readonly wait: number },
      ) => {
        const { workerStop } = await import('../../commands/worker/stop.ts');
        const { server, data, json = false, all = false, wait } = given;
        end(await workerStop({ server, data, json, all, wait, names }, terminal, machine));
      },
    );
}
