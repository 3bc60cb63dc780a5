import { Argument, type Command } from 'commander';
import type { CommandLine } from './command-line.ts';

/** `noetl completion`. */
export function describeCompletion(program: Command, { terminal }: CommandLine): void {
  program
    .command('completion')
    .summary('print a completion script for your shell')
    .description(
      'Print a completion script. For bash: source <(noetl completion bash). For zsh: source <(noetl completion zsh). ' +
        'For fish: noetl completion fish | source.',
    )
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: 'bash' | 'zsh' | 'fish') => {
      const { completionScript } = await import('../commands/completion.ts');
      terminal.print(completionScript(shell, program));
    });
}
