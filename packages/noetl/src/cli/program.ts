import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';
import { StoreError } from '../ports/store-error.ts';
import { choiceOption } from './choice-option.ts';
import { CommandFailure } from './command-failure.ts';
import type { GraphOptions } from './commands/graph.ts';
import type { InitOptions } from './commands/init.ts';
import type { ValidateOptions } from './commands/validate.ts';
import { describeDoctor, describeExec } from './describe-exec.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Machine } from './machine.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line and answers with its exit code; whatever there is to say has then been said. */
export async function runProgram(
  args: readonly string[],
  version: string,
  terminal: Terminal,
  machine: Machine,
): Promise<number> {
  let exitCode: ExitCode = EXIT.ok;
  const end = (code: ExitCode) => {
    exitCode = code;
  };
  try {
    await describeProgram(version, terminal, machine, end).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommandFailure) {
      terminal.complain(`${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof StoreError) {
      terminal.complain(`error: ${error.code}: ${error.message}\n`);
      return EXIT.failed;
    }
    // Commander has printed its help or its complaint already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  }
}

/**
 * Every command with its options. What a command does is loaded only when it runs, so that the others start quickly.
 * `end` is called by a command that has nothing to complain about, and yet is no success.
 */
function describeProgram(
  version: string,
  terminal: Terminal,
  machine: Machine,
  end: (code: ExitCode) => void,
): Command {
  const program = new Command('noetl')
    .description('Run playbooks durably, visibly and fast.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text),
      writeErr: (text) => terminal.complain(text),
      getOutHelpWidth: () => terminal.columns,
      getErrHelpWidth: () => terminal.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  describeRun(program, terminal, machine, end);
  describeExec(program, terminal, machine, end, examples);
  describeValidate(program, terminal, end);
  describeGraph(program, terminal);
  describeInit(program, terminal);
  describeSchema(program, terminal);
  describeRender(program, terminal);
  describeDoctor(program, terminal, machine, end, examples);
  describeCompletion(program, terminal);
  return program;
}

function describeRun(program: Command, terminal: Terminal, machine: Machine, end: (code: ExitCode) => void): void {
  program
    .command('run')
    .summary('run a playbook to its end')
    .description(
      'Run a playbook in this process and print its result. Every event is kept in the data folder: after a crash, or ' +
        'Ctrl-C, --resume goes on from the last one. The exit code is 0 if the execution succeeded, 1 if it failed, 4 if ' +
        'the playbook is not valid, 5 if it was cancelled.',
    )
    .argument('[file]', 'the playbook, or - for standard input')
    .option('--set <name=value>', 'a value of the workload, such as city=Bern or limits.rows=5', collect, [])
    .option('--payload <json>', 'values of the workload as a JSON object, @FILE, or - for standard input')
    .option('--resume <id>', 'go on with an execution of the data folder')
    .option('--data <folder>', 'where executions are kept (default: NOETL_DATA, or .noetl)')
    .option('--slots <n>', 'how many pipelines run at a time', positiveInteger, 16)
    .option('--json', 'print one event per line, and nothing else')
    .option('--quiet', 'print nothing but the result')
    .addHelpText(
      'after',
      examples('run examples/hello.yaml', 'run etl.yaml --set limits.rows=5', 'run --resume 06et5k2m3c9x1w4y7a2b'),
    )
    .action(async (file: string | undefined, given: GivenRunOptions) => {
      const { payload, resume, data, set, slots } = given;
      if ((file === undefined) === (resume === undefined)) {
        throw new CommandFailure(
          EXIT.usage,
          'error: name the playbook to run, or the execution to go on with by --resume.',
        );
      }
      if (resume !== undefined && (set.length > 0 || payload !== undefined)) {
        throw new CommandFailure(
          EXIT.usage,
          'error: --set and --payload are part of a request; --resume goes on with an old one.',
        );
      }
      const output = given.json ? 'json' : given.quiet ? 'quiet' : 'progress';
      const { run } = await import('./commands/run.ts');
      end(await run({ file, resume, payload, set, data, slots, output }, terminal, machine));
    });
}

interface GivenRunOptions {
  readonly set: readonly string[];
  readonly payload?: string;
  readonly resume?: string;
  readonly data?: string;
  readonly slots: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function positiveInteger(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number from 1 on.');
}

function describeValidate(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('validate')
    .summary('say what is wrong with playbooks')
    .description(
      'Read playbooks and print what is wrong with them, and where. Of a folder all .yaml and .yml files are read, at ' +
        'any depth. The exit code is 4 if there is an error, otherwise 0.',
    )
    .argument('<target...>', 'files, folders or globs, or - for standard input')
    .addOption(choiceOption('-f, --format <format>', 'how to print diagnostics', ['pretty', 'json', 'github']))
    .option('--json', 'the same as --format json')
    .option('--strict', 'take warnings for errors')
    .addHelpText('after', examples('validate examples', "validate 'flows/**/*.yaml' --strict", 'validate - < etl.yaml'))
    .action(
      async (targets: string[], options: { format: ValidateOptions['format']; json?: boolean; strict?: boolean }) => {
        const { validate } = await import('./commands/validate.ts');
        const format = options.json ? 'json' : options.format;
        end(await validate({ targets, format, strict: options.strict ?? false }, terminal));
      },
    );
}

function describeGraph(program: Command, terminal: Terminal): void {
  program
    .command('graph')
    .summary('draw the workflow of a playbook')
    .description(
      'Print the workflow of a playbook as text that Mermaid or Graphviz draws: steps with their loops and tasks, arcs ' +
        'with their guards. Dotted arcs can be taken after a failure.',
    )
    .argument('<file>', 'the playbook, or - for standard input')
    .addOption(choiceOption('-f, --format <format>', 'what to print', ['mermaid', 'dot']))
    .option('--json', 'print one line of JSON: {"format": …, "text": …}')
    .addHelpText('after', examples('graph etl.yaml', 'graph etl.yaml --format dot | dot -Tsvg > etl.svg'))
    .action(async (file: string, options: { format: GraphOptions['format']; json?: boolean }) => {
      const { graph } = await import('./commands/graph.ts');
      await graph({ file, format: options.format, json: options.json ?? false }, terminal);
    });
}

function describeInit(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .summary('write a playbook to start from')
    .description('Write a valid playbook to start from into the working directory.')
    .argument('[name]', 'the name of the playbook; its file is NAME.yaml', 'playbook')
    .addOption(choiceOption('-t, --template <template>', 'what it shows', ['http', 'etl', 'loop', 'pagination']))
    .option('--force', 'replace a file of that name')
    .option('--json', 'print one line of JSON: {"file": …}')
    .addHelpText('after', examples('init', 'init orders --template etl'))
    .action(async (name: string, options: { template: InitOptions['template']; force?: boolean; json?: boolean }) => {
      const { init } = await import('./commands/init.ts');
      const { template, force = false, json = false } = options;
      await init({ name, template, force, json }, terminal);
    });
}

function describeSchema(program: Command, terminal: Terminal): void {
  program
    .command('schema')
    .summary('print the JSON Schema of playbooks')
    .description('Print the JSON Schema of playbooks, with which an editor completes and explains keys.')
    .option('--json', 'print it as one line')
    .addHelpText('after', examples('schema > playbook.schema.json'))
    .addHelpText(
      'after',
      '\nThe YAML language server finds it by the first line of a playbook:\n' +
        '  # yaml-language-server: $schema=playbook.schema.json',
    )
    .action(async (options: { json?: boolean }) => {
      const { schema } = await import('./commands/schema.ts');
      schema({ json: options.json ?? false }, terminal);
    });
}

function describeRender(program: Command, terminal: Terminal): void {
  program
    .command('render')
    .summary('evaluate a template')
    .description(
      'Evaluate a template and print its value: text as it is, anything else as JSON. A template that is one {{ … }} ' +
        'keeps its native type.',
    )
    .argument('<template>', 'the template, or - to read it from standard input')
    .option('-s, --scope <file>', 'JSON object with the names the template may use, or - for standard input')
    .option('--json', 'print every value as one line of JSON')
    .action(async (template: string, options: { scope?: string; json?: boolean }) => {
      const { render } = await import('./commands/render.ts');
      await render({ template, scope: options.scope, json: options.json ?? false }, terminal);
    });
}

function describeCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description(
      'Print a completion script. For bash: source <(noetl completion bash). For zsh: source <(noetl completion zsh). ' +
        'For fish: noetl completion fish | source.',
    )
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('./commands/completion.ts');
      terminal.print(completionScript(shell, program));
    });
}

function examples(...commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  $ noetl ${command}`).join('\n')}`;
}
