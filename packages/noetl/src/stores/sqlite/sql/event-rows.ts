import { isUtf8 } from 'node:buffer';
import { chainHash } from '../../../ports/chain.ts';
import type { ChainBreak, ChainPlace } from '../../../ports/inspection.ts';

/**
 * A row of `events`: events of an execution that follow one another. Their texts are joined by a comma and a line break,
 * which JSON has nowhere else: so they are a list for whoever puts brackets around them, and can be taken apart again byte
 * for byte. Their hashes, of 64 digits each, stand one behind the other.
 */
export interface EventRow {
  readonly first: number;
  readonly last: number;
  readonly hashes: string;
  readonly bodies: string;
}

export const SEPARATOR = ',\n';
const HASH_LENGTH = 64;

/** Whoever wants one event reads a row: it holds at most so many, and stops growing at so many characters. */
export const MOST_EVENTS = 32;
const MOST_CHARACTERS = 65_536;

/** The rows that texts make behind a position and its hash. */
export function rowsOf(texts: readonly string[], position: number, hash: string): readonly EventRow[] {
  const rows: EventRow[] = [];
  let last = position;
  let newest = hash;
  for (let from = 0; from < texts.length; ) {
    const to = endOfRow(texts, from);
    const piece = texts.slice(from, to);
    let hashes = '';
    for (const text of piece) {
      newest = chainHash(newest, text);
      hashes += newest;
    }
    rows.push({ first: last + 1, last: last + piece.length, hashes, bodies: piece.join(SEPARATOR) });
    last += piece.length;
    from = to;
  }
  return rows;
}

function endOfRow(texts: readonly string[], from: number): number {
  let characters = 0;
  let to = from;
  while (to < texts.length && to - from < MOST_EVENTS && characters < MOST_CHARACTERS) {
    characters += texts[to]?.length ?? 0;
    to++;
  }
  return to;
}

/** The hash of one of its events; undefined for one that it does not have. */
export function hashIn({ first, hashes }: Pick<EventRow, 'first' | 'hashes'>, seq: number): string | undefined {
  const from = (seq - first) * HASH_LENGTH;
  return from < 0 || from + HASH_LENGTH > hashes.length ? undefined : hashes.slice(from, from + HASH_LENGTH);
}

export const lastHashIn = ({ hashes }: EventRow): string => hashes.slice(-HASH_LENGTH);

/** Rows that follow one another, as the inside of one JSON list. */
export const joinedBodies = (bodies: readonly string[]): string => bodies.join(SEPARATOR);

export const textIn = ({ first, bodies }: Pick<EventRow, 'first' | 'bodies'>, seq: number): string =>
  bodies.split(SEPARATOR)[seq - first] ?? 'null';

/** A row as it is found, its texts as bytes. */
export interface FoundRow {
  readonly first: number;
  readonly last: number;
  readonly hashes: Buffer;
  readonly bodies: Buffer;
}

export interface RowBreak extends ChainBreak {
  /** The hash of the text as it is found, where hash and text do not agree. */
  readonly computed?: string;
}

/** A row that was followed through, or where it differs from what was appended behind the place. */
export type CheckedRow = { readonly hash: string; readonly bodies: string } | { readonly broken: RowBreak };

export function checkedRow(row: FoundRow, { position, hash }: ChainPlace): CheckedRow {
  const { first, last } = row;
  if (first !== position + 1) return { broken: misplaced(row, position) };
  const { hashes, bodies } = textsOf(row);
  const texts = bodies.split(SEPARATOR);
  let newest = hash;
  for (let nth = 0; nth < texts.length; nth++) {
    newest = chainHash(newest, texts[nth] ?? '');
    const stored = hashes.slice(nth * HASH_LENGTH, (nth + 1) * HASH_LENGTH);
    if (newest === stored) continue;
    return { broken: { position: first + nth, what: 'event', expected: stored, found: newest, computed: newest } };
  }
  const count = last - first + 1;
  if (texts.length !== count) return { broken: miscounted(row, texts.length) };
  if (hashes.length !== count * HASH_LENGTH) {
    const [expected, found] = [`${count * HASH_LENGTH} digits for ${count} events`, `${hashes.length} digits`];
    return { broken: { position: last, what: 'hash', expected, found } };
  }
  if (isUtf8(row.bodies)) return { hash: newest, bodies };
  // Bytes that are no text read as this character, which may have been there before.
  const nth = texts.findIndex((text) => text.includes('\ufffd'));
  return { broken: { position: first + nth, what: 'text', expected: 'UTF-8', found: 'bytes that are none' } };
}

/** The texts of a row, also where they are damaged. */
export const textsOf = ({ first, last, hashes, bodies }: FoundRow): EventRow => ({
  first,
  last,
  hashes: hashes.toString('latin1'),
  bodies: bodies.toString('utf8'),
});

const misplaced = ({ first, last }: FoundRow, position: number): RowBreak => ({
  position: position + 1,
  what: first > position ? 'missing' : 'extra',
  expected: `event ${position + 1}`,
  found: first === last ? `event ${first}` : `events ${first} to ${last}`,
});

const miscounted = ({ first, last }: FoundRow, texts: number): RowBreak => ({
  position: Math.min(last, first + texts - 1) + 1,
  what: texts < last - first + 1 ? 'missing' : 'extra',
  expected: `events ${first} to ${last}`,
  found: `${texts} texts`,
});
