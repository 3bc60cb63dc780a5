import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import type { Json } from '@noetl/playbook';
import { parseExactJson } from '../../exact-json.ts';
import { type Keep, KeepProblem, type KeptPart } from '../../ports/keep.ts';
import type { HttpResponse } from './send.ts';
import { TooLarge, unpackers } from './unpack.ts';

export class BodyProblem extends Error {
  /** The body, as far as it can be shown. */
  readonly data: Json;
  constructor(message: string, data: Json) {
    super(message);
    this.data = data;
  }
}

/** The body, unpacked, in pieces; ends with TooLarge as soon as it is over the limit, packed or not. */
async function* bodyPieces({ body, headers }: HttpResponse, limit: number, empty: boolean): AsyncGenerator<Buffer> {
  // What is not there was never packed, and has no length, whatever the headers tell of it.
  if (empty || headers['content-length'] === '0') return await body.dump();
  try {
    if (Number(headers['content-length'] ?? 0) > limit) throw new TooLarge();
    const stages = unpackers(headers['content-encoding'], limit);
    // What breaks ends the pieces with its error; who takes no more of them ends the connection.
    if (stages.length > 0) pipeline([body, ...stages], () => undefined);
    let room = limit;
    for await (const piece of stages.at(-1) ?? body) {
      room -= piece.length;
      if (room < 0) throw new TooLarge();
      yield piece;
    }
  } finally {
    // Nobody listens any more to what it complains about when it is broken off.
    body.on('error', () => undefined).destroy();
  }
}

/** A body as far as memory may hold it, and what is still to come if that is not all. */
export interface Body {
  readonly bytes: Buffer;
  readonly more?: AsyncIterable<Buffer>;
}

/** `empty` says that the answer has no body, in spite of its headers. */
export async function readBody(response: HttpResponse, held: number, limit: number, empty: boolean): Promise<Body> {
  const pieces = bodyPieces(response, limit, empty);
  const chunks: Buffer[] = [];
  for (let size = 0; size <= held; ) {
    const { value, done } = await pieces.next();
    if (done === true) return { bytes: Buffer.concat(chunks) };
    chunks.push(value);
    size += value.length;
  }
  return { bytes: Buffer.concat(chunks), more: pieces };
}

type ResponseType = 'json' | 'text' | 'binary';
const JSON_TYPE = /^(application|text)\/(json|[^;]*\+json)/i;
const TEXT_TYPE = /^text\/|[/+](xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql|csv|sql)\b/i;

/** The body as the task wants it, else as its type says. Throws a BodyProblem. */
export function decodeBody(bytes: Buffer, type: string, wanted: Json | undefined): Json {
  switch (isResponseType(wanted) ? wanted : typeOf(bytes, type)) {
    case 'binary':
      return { base64: bytes.toString('base64'), size: bytes.length };
    case 'text':
      return textIn(bytes, type);
    case 'json': {
      const text = textIn(bytes, type);
      if (text.trim() === '') return null;
      try {
        return parseExactJson(text.replace(/^\uFEFF/, ''));
      } catch {
        throw new BodyProblem('is no JSON', text);
      }
    }
  }
}

/** A body that memory cannot hold goes straight into the result store. Throws a BodyProblem, and what `keep` throws. */
export async function keepBody(
  bytes: Buffer,
  more: AsyncIterable<Buffer>,
  type: string,
  wanted: Json | undefined,
  keep: Keep,
): Promise<{ readonly data: Json; readonly kept: KeptPart }> {
  let size = 0;
  async function* all(): AsyncGenerator<Buffer> {
    size += bytes.length;
    yield bytes;
    for await (const piece of more) {
      size += piece.length;
      yield piece;
    }
  }
  switch (isResponseType(wanted) ? wanted : typeOf(bytes, type, true)) {
    case 'binary': {
      const reference = await keep.binary(all());
      return { data: { base64: null, size }, kept: { path: ['data', 'base64'], reference } };
    }
    case 'text':
      return { data: null, kept: { path: ['data'], reference: await keep.text(decoded(all(), type)) } };
    case 'json':
      try {
        return { data: null, kept: { path: ['data'], reference: await keep.json(withoutMark(decoded(all(), type))) } };
      } catch (error) {
        if (error instanceof KeepProblem && error.kind === 'result.json') {
          throw new BodyProblem(`is no JSON that can be kept: ${error.message.replace(/\.$/, '')}`, null);
        }
        throw error;
      }
  }
}

async function* decoded(pieces: AsyncIterable<Buffer>, type: string): AsyncGenerator<string> {
  const decoder = decoderFor(type);
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new BodyProblem(`is no ${decoder.encoding}`, null);
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

/** The mark of its byte order is no part of JSON. */
async function* withoutMark(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let first = true;
  for await (const text of texts) {
    yield first ? text.replace(/^\uFEFF/, '') : text;
    first = false;
  }
}

const isResponseType = (value: Json | undefined): value is ResponseType =>
  value === 'json' || value === 'text' || value === 'binary';

function typeOf(bytes: Buffer, type: string, cut = false): ResponseType {
  if (bytes.length === 0 || JSON_TYPE.test(type)) return 'json';
  if (TEXT_TYPE.test(type)) return 'text';
  return type === '' && isUtf8(bytes, cut) ? 'text' : 'binary';
}

/** Bytes that mean nothing would be lost without a word. */
function textIn(bytes: Buffer, type: string): string {
  const decoder = decoderFor(type);
  try {
    return decoder.decode(bytes);
  } catch {
    const shown = new TextDecoder(decoder.encoding, { ignoreBOM: true }).decode(bytes);
    throw new BodyProblem(`is no ${decoder.encoding}`, shown);
  }
}

/** As the type says, or as UTF-8 where it names nothing that is known. */
function decoderFor(type: string): TextDecoder {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { ignoreBOM: true, fatal: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
  }
}

function isUtf8(bytes: Buffer, cut: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: cut });
    return true;
  } catch {
    return false;
  }
}
