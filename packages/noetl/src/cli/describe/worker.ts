import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeWorkerList } from './worker/list.ts';
import { describeWorkerStart } from './worker/start.ts';
import { describeWorkerStop } from './worker/stop.ts';

/** `noetl worker` and what is below it. */
export function describeWorker(program: Command, line: CommandLine): void {
  const worker = program
    .command('worker')
    .summary('do the work of a server in other processes')
    .description('Run workers in processes of their own: they take work from a server, on this machine or another.');
  for (const describe of [describeWorkerStart, describeWorkerList, describeWorkerStop]) describe(worker, line);
}
