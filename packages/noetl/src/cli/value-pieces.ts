import { StringDecoder } from 'node:string_decoder';
import { isTagged, type ResultManifest, type ResultReference, TAG, type Tagged, usersKey } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { createJsonPieces } from '../json-pieces.ts';
import { ResultLost } from '../ports/result-store.ts';
import { splitTags } from '../results/scan-tags.ts';
import { manifestItems } from '../server/load-values.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';

/** Where values are. */
type StoredValues = Pick<DataFolder, 'store' | 'results'>;

/**
 * The JSON of a value as users know it, in pieces: references are followed and keys are as they were written, and the
 * whole is never in memory. What is lost ends with a CommandFailure.
 */
export function valuePieces(value: Json, folder: StoredValues): AsyncIterable<string> {
  return together(smallPieces(value, folder));
}

/** Characters of a piece, more or less: each costs whoever writes it as much as a long one, and loops have a million items. */
const PIECE = 64 * 1024;

async function* together(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = [];
  let characters = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    characters += piece.length;
    if (characters < PIECE) continue;
    yield waiting.join('');
    waiting = [];
    characters = 0;
  }
  if (characters > 0) yield waiting.join('');
}

async function* smallPieces(value: Json, folder: StoredValues): AsyncGenerator<string> {
  const split = splitTags();
  yield* plainPieces([...split.take(JSON.stringify(value)), split.end()], folder);
}

/** The text of a value that is one, without quotes; undefined if it is something else. */
export function textPieces(value: Json, folder: StoredValues): AsyncIterable<string> | undefined {
  const { [TAG]: tag, schema_hint } = isTagged(value) ? (value as JsonMap) : {};
  return tag === 'reference' && schema_hint === 'string' ? unquoted(smallPieces(value, folder)) : undefined;
}

async function* plainPieces(
  parts: Iterable<string | Tagged> | AsyncIterable<string | Tagged>,
  folder: StoredValues,
): AsyncGenerator<string> {
  const passing = createJsonPieces({ key: usersKey });
  for await (const part of parts) {
    if (typeof part === 'string') yield passing.take(part);
    else {
      // For the text around it, it is some value.
      passing.take('null');
      yield* taggedPieces(part, folder);
    }
  }
  yield passing.end();
}

async function* taggedPieces(tagged: Tagged, folder: StoredValues): AsyncGenerator<string> {
  if (tagged[TAG] === 'reference') {
    yield* plainPieces(storedParts(tagged as ResultReference, folder), folder);
    return;
  }
  yield '[';
  let first = true;
  for await (const item of itemsOf(tagged as ResultManifest, folder)) {
    if (!first) yield ',';
    first = false;
    yield* smallPieces(item, folder);
  }
  yield ']';
}

async function* itemsOf(manifest: ResultManifest, { store, results }: StoredValues): AsyncGenerator<Json> {
  const sizes = await Promise.all(manifest.sources.map((source) => store.inspection.sourceSize(source)));
  const whole = sizes.reduce((sum, size) => sum + size, 0) >= manifest.ok + manifest.failed;
  yield* manifestItems(manifest, { log: store.log, results }, whole ? 'index' : 'logs');
}

async function* storedParts(reference: ResultReference, { results }: StoredValues): AsyncGenerator<string | Tagged> {
  const decoder = new StringDecoder('utf8');
  const split = splitTags();
  try {
    for await (const piece of results.read(reference)) yield* split.take(decoder.write(piece as Buffer));
  } catch (error) {
    if (!(error instanceof ResultLost)) throw error;
    throw new CommandFailure(EXIT.failed, `error: ${error.message}`);
  }
  yield* split.take(decoder.end());
  yield split.end();
}

/** What a backslash begins may be cut: it is at most six characters long. */
const CUT = /\\(?:u[0-9a-fA-F]{0,3})?$/;

async function* unquoted(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let open = false;
  for await (const piece of pieces) {
    let text = rest + piece;
    if (!open) {
      const start = text.indexOf('"');
      if (start < 0) continue;
      text = text.slice(start + 1);
      open = true;
    }
    const cut = cutIn(text);
    rest = text.slice(cut);
    yield JSON.parse(`"${text.slice(0, cut)}"`) as string;
  }
}

/** Where what must wait begins: an escape that is not whole, or the quote at the end. */
function cutIn(text: string): number {
  const body = text.replace(/"\s*$/, '');
  const begun = CUT.exec(body);
  if (begun === null) return body.length;
  let backslashes = 0;
  while (body[begun.index - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1 ? begun.index : body.length;
}
