import { InvalidArgumentError } from 'commander';
import type { ExitCode } from '../exit-code.ts';
import type { Machine } from '../machine.ts';
import type { Terminal } from '../terminal.ts';

/** What a command is given beside its options. */
export interface CommandLine {
  readonly terminal: Terminal;
  readonly machine: Machine;
  /** Of this program. */
  readonly version: string;
  /** Called by a command that has nothing to complain about, and yet may be no success. */
  end(code: ExitCode): void;
}

/** The option of every command that looks at a data folder. */
export const DATA = ['--data <folder>', 'where executions are kept (default: NOETL_DATA, or .noetl)'] as const;

/** What such a command is given. */
export interface GivenData {
  readonly data?: string;
  readonly json?: boolean;
}

export const dataOf = ({ data, json = false }: GivenData) => ({ data, json });

/** Options of commands that ask something of an execution. */
export const CONTROL_OPTIONS = {
  reason: ['--reason <text>', 'why; it is recorded'],
  by: ['--by <who>', 'who asks for it; it is recorded (default: your user name)'],
} as const;

export interface GivenControl extends GivenData {
  readonly reason?: string;
  readonly by?: string;
}

export const controlOf = (given: GivenControl) => ({ ...dataOf(given), reason: given.reason, by: given.by });

/** The end of a help text. */
export const examples = (...commands: readonly string[]): string =>
  `\nExamples:\n${commands.map((command) => `  $ noetl ${command}`).join('\n')}`;

/** An option that may be given several times. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function positiveInteger(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('expected a whole number from 1 on.');
}

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('expected a whole number.');
}
