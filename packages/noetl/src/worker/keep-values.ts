import { escapeTags, isTooDeep, type ResultReference, storedKey, tooDeepMessage } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { createJsonPieces, JsonProblem } from '../json-pieces.ts';
import { type Keep, KeepProblem } from '../ports/keep.ts';
import type { ResultStore } from '../ports/result-store.ts';
import { jsonResult } from './json-result.ts';
import type { WorkSecrets } from './work-secrets.ts';

/** Bytes of a value as the tool gives it (SPEC 9). */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Bytes that are written at a time. */
const PIECE = 256 * 1024;

/** Items that are written at a time, however many a tool gives. */
const ITEMS = 500;

/** Keeps values for tools: as JSON, without secrets and with their tags escaped, never whole in memory. */
export function createKeep(
  results: Pick<ResultStore, 'putPieces'>,
  secrets: WorkSecrets,
  mostBytes = MOST_BYTES,
): Keep {
  const put = (texts: AsyncIterable<string>, hint: () => string): Promise<ResultReference> =>
    results.putPieces(joined(texts), hint);

  const counted = async function* <T extends string | Uint8Array>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += Buffer.byteLength(piece);
      if (bytes > mostBytes) {
        throw new KeepProblem('limit.result', `the result has more than ${mostBytes} bytes, the most that is stored.`);
      }
      yield piece;
    }
  };

  function itemText(item: unknown): string {
    if (isTooDeep(item)) throw new KeepProblem('result.json', tooDeepMessage('an item of the result'));
    const json = jsonResult(item);
    if ('error' in json) throw new KeepProblem('result.json', json.error.message);
    return JSON.stringify(escapeTags(secrets.redact(json.value)));
  }

  async function* redacted(pieces: AsyncIterable<string>): AsyncGenerator<string> {
    const passing = secrets.redacting?.();
    if (passing === undefined) {
      yield* pieces;
      return;
    }
    for await (const piece of pieces) yield passing.take(piece);
    yield passing.end();
  }

  const text = (pieces: AsyncIterable<string>): Promise<ResultReference> =>
    put(quoted(redacted(pieces)), () => 'string');

  return {
    list(batches) {
      let count = 0;
      async function* texts(): AsyncGenerator<string> {
        yield '[';
        for await (const batch of batches) {
          for (let from = 0; from < batch.length; from += ITEMS) {
            const items = batch.slice(from, from + ITEMS).map(itemText);
            yield `${count === 0 ? '' : ','}${items.join(',')}`;
            count += items.length;
          }
        }
        yield ']';
      }
      return put(counted(texts()), () => `list[${count}]`);
    },
    text: (pieces) => text(counted(pieces)),
    binary: (pieces) => text(encoded(counted(pieces))),
    async json(pieces) {
      const passing = createJsonPieces({
        exact: true,
        key: (key) => storedKey(secrets.redact(key) as string),
        ...(secrets.redacting === undefined ? {} : { text: (value: string) => secrets.redact(value) as string }),
      });
      async function* texts(): AsyncGenerator<string> {
        for await (const piece of counted(pieces)) yield passing.take(piece);
        yield passing.end();
      }
      try {
        return await put(texts(), passing.hint);
      } catch (error) {
        throw error instanceof JsonProblem ? new KeepProblem('result.json', `${error.message}.`) : error;
      }
    },
  };
}

/** A text as JSON writes it. A character that is cut in two is written as two halves, which mean the same. */
async function* quoted(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** Every three bytes are four characters: what is left over waits for the next piece. */
async function* encoded(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let left = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = Buffer.concat([left, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.subarray(0, whole).toString('base64');
    left = bytes.subarray(whole);
  }
  yield left.toString('base64');
}

async function* joined(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    if (waiting.length < PIECE) continue;
    yield Buffer.from(waiting);
    waiting = '';
  }
  if (waiting !== '') yield Buffer.from(waiting);
}

/** The value with what was kept at its places. */
export function withKept(value: Json, path: readonly string[], reference: ResultReference): Json {
  const [key, ...rest] = path;
  if (key === undefined) return reference;
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const inner = (entries as { readonly [key: string]: Json })[key] ?? null;
  return { ...entries, [key]: withKept(inner, rest, reference) };
}
