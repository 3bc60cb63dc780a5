import { type Command, InvalidArgumentError } from 'commander';
import type { ExecutionFilter } from '../../../ports/executions.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-code.ts';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  positiveInteger,
  SERVER_INSTEAD,
  wholeNumber,
} from '../command-line.ts';

/** `noetl exec list`. */
export function describeExecList(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('list')
    .summary('list executions, newest first')
    .description('List the executions of the data folder, newest first.')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--status <status>', 'only those that are running, paused, success, error or cancelled', statusOption)
    .option('--path <path>', 'only those of this playbook')
    .option('--top', 'only those that no execution called')
    .option('--parent <id>', 'only those that this execution called')
    .option('--before <number>', 'go on behind the page before', wholeNumber)
    .option('--limit <n>', 'how many', positiveInteger, 50)
    .option('--json', 'print a JSON list')
    .addHelpText(
      'after',
      examples('exec list --top', 'exec list --status error --limit 5', 'exec list --parent 06et5k2m3c9x1w4y7a2b'),
    )
    .action(async (given: GivenData & GivenFilter & { before?: number; limit: number }) => {
      const { execList } = await import('../../commands/exec/list.ts');
      const { status, path, top, parent, before, limit } = given;
      if (top && parent !== undefined) {
        throw new CommandFailure(EXIT.usage, 'error: --top leaves out what --parent asks for. Give one of them.');
      }
      const filter: ExecutionFilter = {
        ...(status === undefined ? {} : { status }),
        ...(path === undefined ? {} : { path }),
        ...(parent === undefined ? (top ? { parent: null } : {}) : { parent }),
      };
      end(await execList({ ...dataOf(given), filter, before, limit }, terminal, machine));
    });
}

interface GivenFilter {
  readonly status?: (typeof STATUSES)[number];
  readonly path?: string;
  readonly top?: boolean;
  readonly parent?: string;
}

const STATUSES = ['running', 'paused', 'success', 'error', 'cancelled'] as const;

function statusOption(value: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((known) => known === value);
  if (status !== undefined) return status;
  throw new InvalidArgumentError(`expected ${STATUSES.join(', ')}.`);
}
