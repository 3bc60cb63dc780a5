import { InvalidArgumentError } from 'commander';
import { wholeNumber } from '../command-line.ts';

export function portNumber(value: string): number {
  const number = wholeNumber(value);
  if (number <= 65_535) return number;
  throw new InvalidArgumentError('expected a port, from 0 to 65535.');
}

/** The option of commands about a server that runs. */
export const PORT = ['--port <n>', 'only if it listens on this port (default: any)', portNumber] as const;
