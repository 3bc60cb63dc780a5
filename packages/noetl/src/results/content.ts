import { createHash } from 'node:crypto';
import { type ResultReference, TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { type Fetched, type InspectedResult, ResultLost } from '../ports/result-store.ts';
import { objectHint } from '../schema-hint.ts';
import { scanTags } from './scan-tags.ts';

/** A value as stores keep it, and the reference to it: the text of its JSON, named by its hash. */
export function contentOf(store: string, value: Json): { readonly text: string; readonly reference: ResultReference } {
  const text = JSON.stringify(value);
  return { text, reference: referenceTo(store, sha256(text), Buffer.byteLength(text), schemaHint(value)) };
}

export const referenceTo = (store: string, key: string, size: number, schema_hint: string): ResultReference => ({
  [TAG]: 'reference',
  store,
  key,
  checksum: `sha256:${key}`,
  size,
  schema_hint,
});

/** What has passed by: its name and its size. */
export interface Measured {
  readonly key: string;
  readonly size: number;
}

/** Passes pieces on, and knows afterwards what they were. */
export function measuring(pieces: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    },
    measured: (): Measured => ({ key: hash.digest('hex'), size }),
  };
}

/** RES-2: pieces of what a reference names; ends with a ResultLost if they are not what was put. */
export async function* checkedPieces(
  pieces: AsyncIterable<Uint8Array>,
  reference: ResultReference,
): AsyncGenerator<Uint8Array> {
  const passing = measuring(pieces);
  yield* passing.pieces();
  if (`sha256:${passing.measured().key}` !== reference.checksum) throw new ResultLost(reference, 'corrupt');
}

/** RES-2: what a store found under a reference's key, checked. */
export function fetchedFrom(text: string | undefined, { checksum }: ResultReference): Fetched {
  if (text === undefined) return { kind: 'missing' };
  return `sha256:${sha256(text)}` === checksum ? { kind: 'value', value: JSON.parse(text) } : { kind: 'corrupt' };
}

/** RES-2: the same from the pieces in which a store reads it, in their order. */
export async function inspectedFrom(
  pieces: AsyncIterable<Uint8Array>,
  { checksum, size }: ResultReference,
  place: string,
): Promise<InspectedResult> {
  const hash = createHash('sha256');
  const scan = scanTags();
  let bytes = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    scan.take(piece);
    bytes += piece.length;
  }
  if (bytes !== size) {
    return { kind: 'changed', place, what: 'size', expected: `${size} bytes`, found: `${bytes} bytes` };
  }
  const found = `sha256:${hash.digest('hex')}`;
  if (found === checksum) return { kind: 'intact', tags: scan.tags() };
  return { kind: 'changed', place, what: 'checksum', expected: checksum, found };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a person who meets the reference wants to know: `list[20000]`, `object{a,b,…}`, `string`. */
function schemaHint(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `list[${value.length}]`;
  if (typeof value !== 'object') return typeof value;
  return objectHint(Object.keys(value));
}
