import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';

/** What commands and workers show to a server: `NOETL_TOKEN`, or what stands in the file that `NOETL_TOKEN_FILE` names. */
export function shownToken({ environment, workingFolder }: Machine): string | undefined {
  const [token, file] = [environment.NOETL_TOKEN || undefined, environment.NOETL_TOKEN_FILE || undefined];
  if (file === undefined) return token;
  if (token !== undefined) throw unusable('and NOETL_TOKEN are both set; the token is in one of them');
  const text = readText(resolve(workingFolder, file));
  if (text === '') throw unusable(`names '${file}', which is empty`);
  return text;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw unusable(`names '${file}', which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const unusable = (why: string): CommandFailure => new CommandFailure(EXIT.usage, `error: NOETL_TOKEN_FILE ${why}.`);
