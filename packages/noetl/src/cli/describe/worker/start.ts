import { type Command, InvalidArgumentError } from 'commander';
import type { LogOptions } from '../../log/program-log.ts';
import { type CommandLine, examples, positiveInteger, wholeNumber } from '../command-line.ts';
import { LOG_FORMAT, LOG_LEVEL } from '../log-options.ts';
import { type GivenWorkerServer, WORKER_DATA, WORKER_SERVER } from './server-option.ts';

/** `noetl worker start`. */
export function describeWorkerStart(worker: Command, { terminal, machine, end }: CommandLine): void {
  worker
    .command('start')
    .summary('start a worker')
    .description(
      'Take work from a server and do it, until Ctrl-C or a polite kill; then what runs may come to its end. A worker needs no ' +
        'port of its own, and waits for a server that is not there, also for one that starts again. Steps choose their ' +
        'workers by spec.pool: the name of a pool, labels such as zone=eu, or both with commas between.',
    )
    .option(...WORKER_SERVER)
    .option(...WORKER_DATA)
    .option('--pool <name>', 'the pool that it is of', poolName, 'default')
    .option('--slots <n>', 'how many pipelines run at a time', positiveInteger, 16)
    .option('--label <name=value>', 'a label that steps may ask for; may be given several times', label)
    .option('--drain <seconds>', 'how long what runs may take to end when it stops', wholeNumber, 30)
    .addOption(LOG_FORMAT())
    .addOption(LOG_LEVEL())
    .option('--detach', 'leave it running, and return when the server knows it')
    .option('--output <file>', 'where it writes with --detach', 'noetl-worker.log')
    .option('--json', 'print one line of JSON when it begins')
    .addHelpText(
      'after',
      examples(
        'worker start --server http://127.0.0.1:8082',
        'worker start --pool gpu --label zone=eu --slots 4 --detach',
        'worker start --log-format json --log-level debug',
      ),
    )
    .action(async (given: GivenWorker) => {
      const { workerStart } = await import('../../commands/worker/start.ts');
      const { server, data, label: labels = {}, detach = false, json = false, ...rest } = given;
      end(await workerStart({ ...rest, server, data, labels, detach, json }, terminal, machine));
    });
}

interface GivenWorker extends GivenWorkerServer, LogOptions {
  readonly pool: string;
  readonly slots: number;
  readonly label?: Readonly<Record<string, string>>;
  readonly drain: number;
  readonly detach?: boolean;
  readonly output: string;
}

function poolName(value: string): string {
  if (value.trim() !== '' && !/[,=]/.test(value)) return value.trim();
  throw new InvalidArgumentError('expected a name, without comma and equals sign.');
}

function label(value: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, text] = /^([^=,]*[^=,\s][^=,]*)=([^,]*)$/.exec(value) ?? [];
  if (name === undefined || text === undefined) throw new InvalidArgumentError('expected name=value, without comma.');
  return { ...before, [name.trim()]: text.trim() };
}
