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

/** `noetl exec pause`. */
export function describeExecPause(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('pause')
    .summary('let what runs come to its end, and begin nothing new')
    .description(
      'Pause an execution: pipelines that run come to their end, nothing new begins. Timeouts keep running. The process that runs the execution stays alive; noetl exec resume lifts the pause.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option(...CONTROL_OPTIONS.reason)
    .option(...CONTROL_OPTIONS.by)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples("exec pause 06et5k2m3c9x1w4y7a2b --reason 'the warehouse is down'"))
    .action(async (id: string, given: GivenControl) => {
      const { execControl } = await import('../../commands/exec/controlling.ts');
      end(await execControl('pause', id, controlOf(given), terminal, machine));
    });
}
