import { normalize } from 'node:path';
import type { Machine } from './machine.ts';
import { runProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { thisMachine } from './this-machine.ts';

export interface Ending {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Files = Record<string, string | Uint8Array>;

interface World {
  readonly color?: boolean;
  readonly environment?: Machine['environment'];
  /** What a person types who is asked. */
  readonly answers?: readonly (string | undefined)[];
}

/**
 * Runs one command line in a world made of strings. `files` may hold `-`, the standard input; what the command writes
 * is added to them. A folder exists if a file is in it.
 */
export async function noetl(
  args: readonly string[],
  files: Files = {},
  { color = false, environment, answers }: World = {},
): Promise<Ending> {
  const typed = [...(answers ?? [])];
  const said = { stdout: '', stderr: '' };
  const terminal: Terminal = {
    read: async (file) => new TextDecoder().decode(bytesOf(file, files)),
    readBytes: async (file) => bytesOf(file, files),
    look: async (path) => {
      if (files[normalize(path)] !== undefined) return 'file';
      return pathsIn(path, files).length > 0 ? 'folder' : undefined;
    },
    list: async (folder) => {
      const entries = pathsIn(folder, files).map(([name = '', ...rest]) => [name, rest.length === 0] as const);
      return [...new Map(entries)].map(([name, isFile]) => ({ name, kind: isFile ? 'file' : 'folder' }));
    },
    write: async (file, text, { replace }) => {
      if (files[file] !== undefined && !replace) return false;
      files[file] = text;
      return true;
    },
    save: async (file, pieces) => {
      let text = '';
      for await (const piece of pieces) text += piece;
      files[file] = text;
    },
    ask:
      answers === undefined
        ? undefined
        : async (question, { hidden }) => {
            said.stderr += `${question}${hidden ? '(hidden)' : ''}\n`;
            return typed.shift();
          },
    print: (text) => {
      said.stdout += text;
    },
    complain: (text) => {
      said.stderr += text;
    },
    columns: 80,
    color,
    watched: false,
    watchedInColor: false,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    elapsed: () => 0,
    seed: () => 1,
  };
  const exitCode = await runProgram(
    args,
    '1.2.3',
    terminal,
    environment === undefined ? thisMachine : { ...thisMachine, environment },
  );
  return { exitCode, ...said };
}

function bytesOf(file: string, files: Files): Uint8Array {
  const content = files[normalize(file)];
  if (content === undefined) throw new Error(`no such file: ${file}`);
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

/** The paths below a folder, as names. */
function pathsIn(folder: string, files: Files): string[][] {
  const prefix = normalize(`${folder}/`) === './' ? '' : normalize(`${folder}/`);
  return Object.keys(files).flatMap((file) =>
    file !== '-' && file.startsWith(prefix) ? [file.slice(prefix.length).split('/')] : [],
  );
}
