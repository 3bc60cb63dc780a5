import { runProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

export interface Ending {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in a world made of strings. `files` may hold `-`, the standard input. */
export async function noetl(args: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<Ending> {
  const said = { stdout: '', stderr: '' };
  const terminal: Terminal = {
    read: async (file) => {
      const text = files[file];
      if (text === undefined) throw new Error(`no such file: ${file}`);
      return text;
    },
    print: (text) => {
      said.stdout += text;
    },
    complain: (text) => {
      said.stderr += text;
    },
    columns: 80,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    elapsed: () => 0,
    seed: () => 1,
  };
  const exitCode = await runProgram(args, '1.2.3', terminal);
  return { exitCode, ...said };
}
