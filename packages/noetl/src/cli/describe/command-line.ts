import { InvalidArgumentError } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { isServer } from '../data-option.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
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

/** The option of every command that can ask a server instead. */
export const SERVER_INSTEAD = [
  '--server <url>',
  'the server that has them, instead (default: NOETL_SERVER)',
  serverAddress,
] as const;

/** What such a command is given. */
export interface GivenData {
  readonly data?: string;
  readonly server?: string;
  readonly json?: boolean;
}

export const dataOf = (given: GivenData) => ({ data: placeOf(given), json: given.json ?? false });

/** The folder, or the server instead of one. */
export function placeOf({ data, server }: GivenData): string | undefined {
  if (data === undefined || server === undefined) return server ?? data;
  throw new CommandFailure(
    EXIT.usage,
    'error: --data names a folder of this machine, and --server another place. Give one of them.',
  );
}

function serverAddress(value: string): string {
  if (URL.canParse(value) && isServer(value)) return value.replace(/\/+$/, '');
  throw new InvalidArgumentError('expected an address such as http://127.0.0.1:8082.');
}

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
  // Number reads what is empty as 0: `--port "$PORT"` without one would be any port.
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('expected a whole number.');
}
