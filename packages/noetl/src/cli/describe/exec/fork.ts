import { type Command, Option } from 'commander';
import { CommandFailure } from '../../command-failure.ts';
import type { ForkOptions } from '../../commands/exec/fork.ts';
import { EXIT } from '../../exit-code.ts';
import {
  type CommandLine,
  collect,
  DATA,
  examples,
  placeOf,
  positiveInteger,
  SERVER_INSTEAD,
} from '../command-line.ts';

/** `noetl exec fork`. */
export function describeExecFork(exec: Command, { terminal, machine, end, version }: CommandLine): void {
  exec
    .command('fork')
    .summary('go on from an event of an execution, as a new one')
    .description(
      'Make a new execution that goes on from an event of another, perhaps with another playbook or other values, and ' +
        'run it to its end. What happened up to the event is taken over and not done again. The other may be over or ' +
        'running, and does not change. Output and exit codes are those of noetl run.',
    )
    .argument('<id>', 'the execution to go on from')
    .option('--at <seq>', 'the event to go on from; noetl exec events lists them', positiveInteger)
    .option('--from-failure', 'go on from the last checkpoint before what made the execution fail')
    .option(
      '--playbook <playbook>',
      'go on with this one: a file, - for standard input, or PATH or PATH@N of the catalog',
    )
    .option('--set <name=value>', 'another value of the workload, such as city=Bern or limits.rows=5', collect, [])
    .option('--payload <json>', 'other values of the workload as a JSON object, @FILE, or - for standard input')
    .option('--ctx <name=value>', 'another value of ctx, such as page=3', collect, [])
    .option('--no-run', 'only write the new execution, and say how to run it')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--slots <n>', 'how many pipelines run at a time', positiveInteger, 16)
    .option('--json', 'print one event per line, and nothing else; with --no-run, what was written')
    .addOption(new Option('--quiet', 'print nothing but the result; with --no-run, the id').conflicts('json'))
    .addHelpText(
      'after',
      examples(
        'exec fork 06et5k2m3c9x1w4y7a2b --from-failure',
        'exec fork 06et5k2m3c9x1w4y7a2b --at 12 --set city=Rome',
        'exec fork 06et5k2m3c9x1w4y7a2b --at 12 --playbook fixed.yaml --no-run',
      ),
    )
    .action(async (id: string, given: GivenForkOptions) => {
      const { set, ctx, payload, playbook, slots, run } = given;
      const data = placeOf(given);
      if (playbook === '-' && (payload === '-' || payload === '@-')) {
        throw new CommandFailure(
          EXIT.usage,
          'error: --playbook and --payload cannot both be read from standard input. Put one of them into a file.',
        );
      }
      const output = given.json ? 'json' : given.quiet ? 'quiet' : 'progress';
      const at = pointOf(id, given);
      const options: ForkOptions = { at, set, ctx, payload, playbook, data, slots, version, run, output };
      const { execFork } = await import('../../commands/exec/fork.ts');
      end(await execFork(id, options, terminal, machine));
    });
}

interface GivenForkOptions {
  readonly at?: number;
  readonly fromFailure?: boolean;
  readonly playbook?: string;
  readonly set: readonly string[];
  readonly payload?: string;
  readonly ctx: readonly string[];
  readonly run: boolean;
  readonly data?: string;
  readonly server?: string;
  readonly slots: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

function pointOf(id: string, { at, fromFailure = false }: GivenForkOptions): ForkOptions['at'] {
  if (at !== undefined && !fromFailure) return at;
  if (at === undefined && fromFailure) return 'failure';
  throw new CommandFailure(
    EXIT.usage,
    at === undefined
      ? `error: name the event to go on from by --at SEQ (noetl exec events ${id} lists them), or --from-failure.`
      : 'error: --at names the event to go on from, and --from-failure another; leave one out.',
  );
}
