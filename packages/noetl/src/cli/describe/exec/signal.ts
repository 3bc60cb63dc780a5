import type { Command } from 'commander';
import {
  CONTROL_OPTIONS,
  type CommandLine,
  DATA,
  dataOf,
  examples,
  type GivenData,
  SERVER_INSTEAD,
} from '../command-line.ts';

/** `noetl exec signal`. */
export function describeExecSignal(exec: Command, { terminal, machine, end }: CommandLine): void {
  exec
    .command('signal')
    .summary('send a signal, or answer an approval')
    .description(
      'Send an execution a signal that it waits for, or answer an approval. A signal that comes before the wait is kept. ' +
        'Who sent it and when is recorded, and part of the result of the wait.',
    )
    .argument('<id>', 'the execution')
    .argument('<name>', 'the name that the task waits for')
    .option(...DATA)
    .option(...SERVER_INSTEAD)
    .option('--payload <json>', 'what the wait gets: JSON, @FILE, or - for standard input (default: null)')
    .option(...CONTROL_OPTIONS.by)
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      examples(
        'exec signal 06et5k2m3c9x1w4y7a2b go',
        `exec signal 06et5k2m3c9x1w4y7a2b release --by ada --payload '{"approved": true}'`,
      ),
    )
    .action(async (id: string, name: string, given: GivenData & { payload?: string; by?: string }) => {
      const { execSignal } = await import('../../commands/exec/signal.ts');
      const { payload, by } = given;
      end(await execSignal(id, name, { ...dataOf(given), payload, by }, terminal, machine));
    });
}
