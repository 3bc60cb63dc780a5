import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Json, JsonMap } from '@noetl/playbook';
import { isMap, textOf } from '../checked-fields.ts';

/** A body that can be sent again, as after a redirect. */
export interface StreamedBody {
  readonly type: string;
  readonly length: number;
  open(): Readable;
}

/** Something about `files` that its author can mend. */
export class UploadProblem extends Error {}

interface Part {
  readonly head: string;
  readonly length: number;
  readonly content: Buffer | { readonly file: string };
}

/**
 * `files` as a multipart form: under each name a path relative to the playbook, `{path, filename, type}`,
 * `{content | base64, filename, type}`, or a list of these. Files are read while they are sent. Rejects with an
 * UploadProblem.
 */
export async function multipartBody(files: Json, folder: string): Promise<StreamedBody> {
  if (!isMap(files)) throw new UploadProblem('is no mapping of names to files.');
  const boundary = `noetl-${randomUUID()}`;
  const parts: Part[] = [];
  for (const [name, given] of Object.entries(files)) {
    for (const one of Array.isArray(given) ? (given as readonly Json[]) : [given]) {
      parts.push(await partOf(name, typeof one === 'string' ? { path: one } : one, folder, boundary));
    }
  }
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part.head) + part.length + 2, end.length);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length,
    open: () => Readable.from(bytesOf(parts, end), { objectMode: false }),
  };
}

const KEYS: ReadonlySet<string> = new Set(['path', 'content', 'base64', 'filename', 'type']);
const SOURCES = ['path', 'content', 'base64'] as const;

async function partOf(name: string, given: Json, folder: string, boundary: string): Promise<Part> {
  const where = `has under '${name}'`;
  if (!isMap(given)) throw new UploadProblem(`${where} neither a path nor a mapping.`);
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined) {
    throw new UploadProblem(`${where} the key '${unknown}', expected one of ${[...KEYS].join(', ')}.`);
  }
  const sources = SOURCES.filter((key) => given[key] !== undefined);
  if (sources.length !== 1) throw new UploadProblem(`${where} not exactly one of ${SOURCES.join(', ')}.`);
  const source = await sourceOf(given, folder, where);
  // Content without the name of a file is a field of the form.
  const filename = given.filename ?? ('file' in source.content ? basename(source.content.file) : null);
  const type = given.type ?? (filename === null ? null : 'application/octet-stream');
  if (typeof type === 'string' && /[^\x20-\x7e]/.test(type)) throw new UploadProblem(`${where} a type that is none.`);
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${quoted(name)}"${filename === null ? '' : `; filename="${quoted(textOf(filename))}"`}`,
    ...(type === null ? [] : [`Content-Type: ${textOf(type)}`]),
  ];
  return { head: `${head.join('\r\n')}\r\n\r\n`, ...source };
}

async function sourceOf(given: JsonMap, folder: string, where: string): Promise<Pick<Part, 'length' | 'content'>> {
  const { path, content, base64 } = given;
  if (path !== undefined) {
    if (typeof path !== 'string') throw new UploadProblem(`${where} a path that is no text.`);
    const file = resolve(folder, path);
    return { content: { file }, length: await sizeOf(file, where) };
  }
  if (base64 !== undefined && (typeof base64 !== 'string' || !isBase64(base64))) {
    throw new UploadProblem(`${where} something under base64 that is none.`);
  }
  const bytes = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(textOf(content ?? null));
  return { content: bytes, length: bytes.length };
}

/** Opened once to see that it can be read, before anything is sent. */
async function sizeOf(file: string, where: string): Promise<number> {
  try {
    const handle = await open(file, 'r');
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new UploadProblem(`${where} '${file}', which is no file.`);
      return stat.size;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof UploadProblem) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new UploadProblem(
      code === 'ENOENT'
        ? `${where} '${file}', and there is no such file.`
        : `${where} '${file}', which cannot be read (${code ?? error}).`,
    );
  }
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]*={0,2}$/.test(text.replace(/\s/g, ''));

/** As browsers write names into a header. */
const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

async function* bytesOf(parts: readonly Part[], end: Buffer): AsyncGenerator<Buffer> {
  for (const { head, content, length } of parts) {
    yield Buffer.from(head);
    // What a file has gained since its size was taken is not sent.
    if (Buffer.isBuffer(content)) yield content;
    else if (length > 0) yield* createReadStream(content.file, { end: length - 1 });
    yield Buffer.from('\r\n');
  }
  yield end;
}
