import { type Command, InvalidArgumentError } from 'commander';
import type { ExecutionFilter } from '../../../ports/executions.ts';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  positiveInteger,
  wholeNumber,
} from '../command-line.ts';

/** `noetl exec list`. */
export function describeExecList(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('list')
    .summary('list executions, newest first')
    .description('List the executions of the data folder, newest first.')
    .option(...DATA)
    .option('--status <status>', 'only those that are running, paused, success, error or cancelled', statusOption)
    .option('--path <path>', 'only those of this playbook')
    .option('--before <number>', 'go on behind the page before', wholeNumber)
    .option('--limit <n>', 'how many', positiveInteger, 50)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('exec list', 'exec list --status error --limit 5'))
    .action(async (given: GivenData & ExecutionFilter & { before?: number; limit: number }) => {
      const { execList } = await import('../../commands/exec/list.ts');
      const { status, path, before, limit } = given;
      const filter = { ...(status === undefined ? {} : { status }), ...(path === undefined ? {} : { path }) };
      end(await execList({ ...dataOf(given), filter, before, limit }, terminal, machine));
    });
}

const STATUSES = ['running', 'paused', 'success', 'error', 'cancelled'] as const;

function statusOption(value: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((known) => known === value);
  if (status !== undefined) return status;
  throw new InvalidArgumentError(`expected ${STATUSES.join(', ')}.`);
}
