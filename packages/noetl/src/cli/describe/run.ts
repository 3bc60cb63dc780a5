import { type Command, Option } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-code.ts';
import { type CommandLine, collect, DATA, examples, placeOf, positiveInteger, SERVER_INSTEAD } from './command-line.ts';

/** `noetl run`. */
export function describeRun(program: Command, { terminal, machine, end, version }: CommandLine): void {
  program
    .command('run')
    .summary('run a playbook to its end')
    .description(
      'Run a playbook in this process, with the playbooks that it calls, and print its result; where a server runs on the ' +
        'data folder, or is named, it runs there. A file is registered in the catalog thereby. Every event is kept in the data folder: after a crash, or ' +
        'Ctrl-C, --resume goes on from the last one. The exit code is 0 if the execution succeeded, 1 if it failed, 4 if ' +
        'the playbook is not valid, 5 if it was cancelled.',
    )
    .argument('[playbook]', 'a file, - for standard input, or PATH or PATH@N of the catalog')
    .option('--set <name=value>', 'a value of the workload, such as city=Bern or limits.rows=5', collect, [])
    .option('--payload <json>', 'values of the workload as a JSON object, @FILE, or - for standard input')
    .option('--resume <id>', 'go on with an execution of the data folder')
    .option(...DATA)
    .option(
      '--server <url>',
      'run it there, instead (default: NOETL_SERVER, or the server of the data folder)',
      SERVER_INSTEAD[2],
    )
    .option('--legacy', 'upgrade playbooks of older dialects: this one, and those that it calls by file')
    .option('--slots <n>', 'how many pipelines run at a time', positiveInteger, 16)
    .option('--json', 'print one event per line, and nothing else')
    .addOption(new Option('--quiet', 'print nothing but the result').conflicts('json'))
    .addHelpText(
      'after',
      examples(
        'run examples/hello.yaml',
        'run etl.yaml --set limits.rows=5',
        'run flows/etl@2',
        'run --resume 06et5k2m3c9x1w4y7a2b',
      ),
    )
    .action(async (playbook: string | undefined, given: GivenRunOptions) => {
      const { payload, resume, set, slots, legacy = false } = given;
      if ((playbook === undefined) === (resume === undefined)) {
        throw new CommandFailure(
          EXIT.usage,
          playbook === undefined
            ? 'error: name the playbook to run, or the execution to go on with by --resume.'
            : 'error: --resume goes on with the playbook that the execution was started with; leave the other one out.',
        );
      }
      if (resume !== undefined && (set.length > 0 || payload !== undefined)) {
        throw new CommandFailure(
          EXIT.usage,
          'error: --set and --payload are part of a request; --resume goes on with an old one.',
        );
      }
      if (playbook === '-' && (payload === '-' || payload === '@-')) {
        throw new CommandFailure(
          EXIT.usage,
          'error: the playbook and --payload cannot both be read from standard input. Put one of them into a file.',
        );
      }
      const data = placeOf(given);
      const output = given.json ? 'json' : given.quiet ? 'quiet' : 'progress';
      const { run } = await import('../commands/run.ts');
      end(await run({ playbook, resume, payload, set, data, slots, version, legacy, output }, terminal, machine));
    });
}

interface GivenRunOptions {
  readonly set: readonly string[];
  readonly payload?: string;
  readonly resume?: string;
  readonly data?: string;
  readonly server?: string;
  readonly slots: number;
  readonly legacy?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}
