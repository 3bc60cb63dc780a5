import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';

/** What commands and workers show to a server: `NOETL_TOKEN`, or what stands in the file that `NOETL_TOKEN_FILE` names. */
export function shownToken({ environment, workingFolder }: Machine): string | undefined {
  const [token, file] = [environment.NOETL_TOKEN?.trim() || undefined, environment.NOETL_TOKEN_FILE || undefined];
  if (token !== undefined && !TOKEN.test(token)) throw unusable('holds characters that no token has', 'NOETL_TOKEN');
  if (file === undefined) return token;
  if (token !== undefined) throw unusable('and NOETL_TOKEN are both set; the token is in one of them');
  const text = readText(resolve(workingFolder, file));
  if (text === '') throw unusable(`names '${file}', which is empty`);
  if (!TOKEN.test(text)) throw unusable(`names '${file}', which holds characters that no token has`);
  return text;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw unusable(`names '${file}', which cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** What can be shown in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

const unusable = (why: string, what = 'NOETL_TOKEN_FILE'): CommandFailure =>
  new CommandFailure(EXIT.usage, `error: ${what} ${why}.`);
