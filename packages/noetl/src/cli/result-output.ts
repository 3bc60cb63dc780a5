import type { Json } from '@noetl/playbook';
import { plainValue } from '../server/load-values.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { textPieces, valuePieces } from './value-pieces.ts';
import { resultJson, resultText } from './views/result.ts';

interface ResultOptions {
  /** As one line of JSON, also if it is a text. */
  readonly json: boolean;
  /** The file that it is written to; standard output otherwise. */
  readonly out?: string | undefined;
}

/** So many bytes are laid out for people; what is larger is written as it comes. */
const LAID_OUT = 8 * 1024 * 1024;

/** Prints a result as users know it, or writes it to a file, however large it is. */
export async function printResult(
  result: Json,
  { json, out }: ResultOptions,
  folder: DataFolder,
  terminal: Terminal,
): Promise<void> {
  const pieces = (await smallPieces(result, { json, out }, folder)) ?? largePieces(result, { json, out }, folder);
  if (out !== undefined && out !== '-') await saved(out, pieces, terminal);
  else for await (const piece of pieces) terminal.print(piece);
}

async function smallPieces(
  result: Json,
  { json, out }: ResultOptions,
  folder: DataFolder,
): Promise<AsyncIterable<string> | undefined> {
  const plain = await smallResult(result, folder);
  if (plain === undefined) return undefined;
  if (json) return only(resultJson(plain));
  return only(out === undefined ? resultText(plain) : fileText(plain));
}

function largePieces(result: Json, { json, out }: ResultOptions, folder: DataFolder): AsyncIterable<string> {
  const text = json ? undefined : textPieces(result, folder);
  if (text === undefined) return ended(valuePieces(result, folder));
  return out === undefined ? ended(text) : text;
}

/** In a file nothing needs to be made visible. */
const fileText = (value: Json): string =>
  typeof value === 'string' ? value : `${JSON.stringify(value, undefined, 2)}\n`;

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

async function* ended(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield* pieces;
  yield '\n';
}

async function saved(file: string, pieces: AsyncIterable<string>, terminal: Terminal): Promise<void> {
  try {
    await terminal.save(file, pieces);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new CommandFailure(EXIT.failed, `error: ${file} cannot be written (${code}).`);
  }
}

/** The result with what its references stand for; undefined if it is large. */
async function smallResult(result: Json, { store, results }: DataFolder): Promise<Json | undefined> {
  const budget = { left: LAID_OUT };
  const plain = await plainValue(result, { log: store.log, results }, budget);
  if (budget.left < 0) return undefined;
  if ('value' in plain) return plain.value;
  throw new CommandFailure(EXIT.failed, `error: ${plain.problem}`);
}
