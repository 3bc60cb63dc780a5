import { Argument, Command, CommanderError } from 'commander';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command line and answers with its exit code; whatever there is to say has then been said. */
export async function runProgram(args: readonly string[], version: string, terminal: Terminal): Promise<number> {
  try {
    await describeProgram(version, terminal).parseAsync(args, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommandFailure) {
      terminal.complain(`${error.message}\n`);
      return error.exitCode;
    }
    // Commander has printed its help or its complaint already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  }
}

/** Every command with its options. What a command does is loaded only when it runs, so that the others start quickly. */
function describeProgram(version: string, terminal: Terminal): Command {
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

  return program;
}
