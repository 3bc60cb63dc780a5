import { type Command, InvalidArgumentError } from 'commander';
import type { ExecutionFilter } from '../ports/executions.ts';
import type { ExitCode } from './exit-code.ts';
import type { Machine } from './machine.ts';
import type { Terminal } from './terminal.ts';

const DATA = ['--data <folder>', 'where executions are kept (default: NOETL_DATA, or .noetl)'] as const;

interface Given {
  readonly data?: string;
  readonly json?: boolean;
}

/** `noetl doctor`. */
export function describeDoctor(
  program: Command,
  terminal: Terminal,
  machine: Machine,
  end: (code: ExitCode) => void,
  examples: (...lines: string[]) => string,
): void {
  program
    .command('doctor')
    .summary('look whether this machine has what playbooks need')
    .description(
      'Look at Node, python3, the shell, the disk and the data folder, and say what is missing and what to do. The exit ' +
        'code is 1 if playbooks cannot run here.',
    )
    .option(...DATA)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('doctor'))
    .action(async ({ data, json = false }: Given) => {
      const { doctor } = await import('./commands/doctor.ts');
      end(await doctor({ data, json }, terminal, machine));
    });
}

/** `noetl exec` and what is below it. */
export function describeExec(
  program: Command,
  terminal: Terminal,
  machine: Machine,
  end: (code: ExitCode) => void,
  examples: (...lines: string[]) => string,
): void {
  const exec = program
    .command('exec')
    .summary('look at executions')
    .description('Look at the executions of a data folder, also while another process runs them.');
  const commands = () => import('./commands/exec.ts');
  const common = ({ data, json = false }: Given) => ({ data, json });

  exec
    .command('list')
    .summary('list executions, newest first')
    .description('List the executions of the data folder, newest first.')
    .option(...DATA)
    .option('--status <status>', 'only those that are running, paused, success, error or cancelled', statusOption)
    .option('--path <path>', 'only those of this playbook')
    .option('--before <number>', 'go on behind the page before', wholeNumber)
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .option('--json', 'print a JSON list')
    .addHelpText('after', examples('exec list', 'exec list --status error --limit 5'))
    .action(async (given: Given & ExecutionFilter & { before?: number; limit: number }) => {
      const { status, path, before, limit } = given;
      const filter = { ...(status === undefined ? {} : { status }), ...(path === undefined ? {} : { path }) };
      end(await (await commands()).execList({ ...common(given), filter, before, limit }, terminal, machine));
    });

  exec
    .command('status')
    .summary('say how far an execution is, and what failed')
    .description('Print an execution on a page: its step runs with their loops, its failures and where they are.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('exec status 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: Given) => {
      end(await (await commands()).execStatus(id, common(given), terminal, machine));
    });

  exec
    .command('events')
    .summary('print the events of an execution')
    .description('Print the events of an execution, oldest first, a page at a time.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option('--after <seq>', 'go on behind this event', wholeNumber, 0)
    .option('--limit <n>', 'how many', wholeNumber, 1_000)
    .option('--json', 'print one event per line, as it is stored')
    .addHelpText('after', examples('exec events 06et5k2m3c9x1w4y7a2b', 'exec events 06et5k2m3c9x1w4y7a2b --json'))
    .action(async (id: string, given: Given & { after: number; limit: number }) => {
      const { after, limit } = given;
      end(await (await commands()).execEvents(id, { ...common(given), after, limit }, terminal, machine));
    });

  exec
    .command('result')
    .summary('print the result of an execution')
    .description('Print the result of an execution that is over, however large it is.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option('--json', 'print it as one line')
    .addHelpText('after', examples('exec result 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: Given) => {
      end(await (await commands()).execResult(id, common(given), terminal, machine));
    });

  exec
    .command('logs')
    .summary('print what the tools of an execution printed')
    .description('Print what the tools of an execution printed, in the order it came.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option('--after <number>', 'go on behind the page before', wholeNumber, 0)
    .option('--limit <n>', 'how many lines', wholeNumber, 1_000)
    .option('--json', 'print one line of JSON for each')
    .addHelpText('after', examples('exec logs 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: Given & { after: number; limit: number }) => {
      const { after, limit } = given;
      end(await (await commands()).execLogs(id, { ...common(given), after, limit }, terminal, machine));
    });
}

const STATUSES = ['running', 'paused', 'success', 'error', 'cancelled'] as const;

function statusOption(value: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((known) => known === value);
  if (status !== undefined) return status;
  throw new InvalidArgumentError(`expected ${STATUSES.join(', ')}.`);
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('expected a whole number.');
}
