import type { Command } from 'commander';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-code.ts';
import {
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  SERVER_INSTEAD,
  wholeNumber,
} from '../command-line.ts';

/** `noetl exec watch`. */
export function describeExecWatch(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('watch')
    .summary('follow an execution to its end')
    .description(
      'Follow an execution that another process runs, as noetl run would show it, up to its end; then print its result, ' +
        'or why it failed. The exit code is that of noetl run. Ctrl-C ends the watching, and nothing else.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--after <seq>', 'with --json: begin behind this event', wholeNumber)
    .option('--json', 'print one event per line, from the first on, and nothing else')
    .addHelpText('after', examples('exec watch 06et5k2m3c9x1w4y7a2b', 'exec watch 06et5k2m3c9x1w4y7a2b --json'))
    .action(async (id: string, given: GivenData & { after?: number }) => {
      if (given.after !== undefined && given.json !== true) {
        throw new CommandFailure(EXIT.usage, 'error: --after says where events begin, which only --json prints.');
      }
      const { execWatch } = await import('../../commands/exec/watch.ts');
      end(await execWatch(id, { ...dataOf(given), after: given.after ?? 0 }, terminal, machine));
    });
}
