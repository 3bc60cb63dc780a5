import type { Command } from 'commander';
import {
  CONTROL_OPTIONS,
  type CommandLine,
  controlOf,
  DATA,
  examples,
  type GivenControl,
  SERVER_INSTEAD,
} from '../command-line.ts';

/** `noetl exec resume`. */
export function describeExecResume(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('resume')
    .summary('lift the pause of an execution')
    .description('Lift the pause of an execution. If no process runs it, noetl run --resume goes on with it.')
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option(...CONTROL_OPTIONS.reason)
    .option(...CONTROL_OPTIONS.by)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples('exec resume 06et5k2m3c9x1w4y7a2b'))
    .action(async (id: string, given: GivenControl) => {
      const { execControl } = await import('../../commands/exec/controlling.ts');
      end(await execControl('resume', id, controlOf(given), terminal, machine));
    });
}
