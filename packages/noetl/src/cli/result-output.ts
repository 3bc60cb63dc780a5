import { isTagged, type Tagged, tagKey, unescapeTags } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { loadValues } from '../server/load-values.ts';
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
  const plain = await smallResult(result, folder);
  const text = json || plain !== undefined ? undefined : textPieces(result, folder);
  const pieces =
    plain === undefined
      ? text !== undefined && out !== undefined
        ? text
        : ended(text ?? valuePieces(result, folder))
      : only(json ? resultJson(plain) : out === undefined ? resultText(plain) : fileText(plain));
  if (out !== undefined && out !== '-') await saved(out, pieces, terminal);
  else for await (const piece of pieces) terminal.print(piece);
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
  const resolved = async (value: Json): Promise<Json> => {
    if (isTagged(value)) return loaded(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Promise.all(value.map(resolved));
    const entries = Object.entries(value).map(async ([key, item]) => [key, await resolved(item)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  const loaded = async (tagged: Tagged): Promise<Json> => {
    const found = (await loadValues([tagged], { log: store.log, results }, [], budget)).get(tagKey(tagged));
    if (found !== undefined && 'value' in found) return found.value;
    if (budget.left < 0) return null;
    throw new CommandFailure(EXIT.failed, `error: ${found?.problem ?? 'the result is gone.'}`);
  };
  const plain = await resolved(result);
  return budget.left < 0 ? undefined : unescapeTags(plain);
}
