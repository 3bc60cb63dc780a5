import { type Duplex, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { Json } from '@noetl/playbook';
import { parseExactJson } from '../../exact-json.ts';
import type { HttpResponse } from './send.ts';

export class TooLarge extends Error {}
export class BodyProblem extends Error {
  /** The body, as far as it can be shown. */
  readonly data: Json;
  constructor(message: string, data: Json) {
    super(message);
    this.data = data;
  }
}

/** The whole body, unpacked; rejects with TooLarge as soon as it is over the limit, packed or not. */
export async function readBody({ body, headers }: HttpResponse, limit: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > limit) {
    body.destroy();
    throw new TooLarge();
  }
  const chunks: Buffer[] = [];
  let room = limit;
  try {
    await pipeline(body, unpacker(headers['content-encoding']), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        room -= chunk.length;
        if (room < 0) return;
        chunks.push(chunk);
      }
    });
  } catch (error) {
    // Leaving early ends the pipeline with an error of its own.
    throw room < 0 ? new TooLarge() : error;
  }
  if (room < 0) throw new TooLarge();
  return Buffer.concat(chunks);
}

function unpacker(encoding: string | string[] | undefined): Duplex {
  switch (String(encoding ?? '').toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip();
    case 'br':
      return createBrotliDecompress();
    default:
      return new PassThrough();
  }
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

const isResponseType = (value: Json | undefined): value is ResponseType =>
  value === 'json' || value === 'text' || value === 'binary';

function typeOf(bytes: Buffer, type: string): ResponseType {
  if (bytes.length === 0 || JSON_TYPE.test(type)) return 'json';
  if (TEXT_TYPE.test(type)) return 'text';
  return type === '' && isUtf8(bytes) ? 'text' : 'binary';
}

function textIn(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
