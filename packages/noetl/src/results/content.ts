import { createHash } from 'node:crypto';
import { type ResultReference, TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { Fetched, InspectedResult } from '../ports/result-store.ts';
import { scanTags } from './scan-tags.ts';

/** A value as stores keep it, and the reference to it: the text of its JSON, named by its hash. */
export function contentOf(store: string, value: Json): { readonly text: string; readonly reference: ResultReference } {
  const text = JSON.stringify(value);
  const key = sha256(text);
  return {
    text,
    reference: {
      [TAG]: 'reference',
      store,
      key,
      checksum: `sha256:${key}`,
      size: Buffer.byteLength(text),
      schema_hint: schemaHint(value),
    },
  };
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

const NAMES = 8;
const NAME_LENGTH = 32;

/** What a person who meets the reference wants to know: `list[20000]`, `object{a,b,…}`, `string`. */
function schemaHint(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `list[${value.length}]`;
  if (typeof value !== 'object') return typeof value;
  const names = Object.keys(value);
  const shown = names.slice(0, NAMES).map(abridged);
  return `object{${[...shown, ...(names.length > NAMES ? ['…'] : [])].join(',')}}`;
}

function abridged(name: string): string {
  const characters = [...name.slice(0, 2 * NAME_LENGTH + 1)];
  return characters.length <= NAME_LENGTH ? name : `${characters.slice(0, NAME_LENGTH).join('')}…`;
}
