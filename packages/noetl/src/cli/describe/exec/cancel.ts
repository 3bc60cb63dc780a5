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

/** `noetl exec cancel`. */
export function describeExecCancel(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('cancel')
    .summary('end an execution and those it waits for')
    .description(
      'End an execution now, with the child executions that it waits for. What runs is stopped: requests are broken off, processes end with everything they started.',
    )
    .argument('<id>', 'the execution')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option(...CONTROL_OPTIONS.reason)
    .option(...CONTROL_OPTIONS.by)
    .option('--json', 'print one line of JSON')
    .addHelpText('after', examples("exec cancel 06et5k2m3c9x1w4y7a2b --reason 'wrong list'"))
    .action(async (id: string, given: GivenControl) => {
      const { execCancel } = await import('../../commands/exec/cancel.ts');
      end(await execCancel(id, controlOf(given), terminal, machine));
    });
}
