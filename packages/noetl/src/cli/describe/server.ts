import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import { describeServerStart } from './server/start.ts';
import { describeServerStatus } from './server/status.ts';
import { describeServerStop } from './server/stop.ts';

/** `noetl server` and what is below it. */
export function describeServer(program: Command, line: CommandLine): void {
  const server = program
    .command('server')
    .summary('run executions for others, by HTTP')
    .description('Run a server on a data folder: it goes on with its executions and answers requests by HTTP.');
  for (const describe of [describeServerStart, describeServerStop, describeServerStatus]) describe(server, line);
}
