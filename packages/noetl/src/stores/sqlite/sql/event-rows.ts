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

const SEPARATOR = ',\n';
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

/** A row as it is found. */
export interface FoundRow extends EventRow {
  /** Bytes of `bodies`: those that nobody reads count too. */
  readonly bytes: number;
}

export type RowBreak = Omit<ChainBreak, 'what'> & {
  readonly what: ChainBreak['what'];
  /** The hash of the text as it is found, where hash and text do not agree. */
  readonly computed?: string;
};

/** The hash of a row's last event, or where the row differs from what was appended behind the place. */
export function checkedRow(row: FoundRow, { position, hash }: ChainPlace): string | RowBreak {
  const { first, last, hashes, bodies, bytes } = row;
  if (first !== position + 1) return misplaced(row, position);
  if (typeof bodies !== 'string' || typeof hashes !== 'string') {
    return { position: first, what: 'event', expected: 'texts', found: 'bytes that are no text' };
  }
  let newest = hash;
  const texts = bodies.split(SEPARATOR);
  for (let nth = 0; nth < texts.length; nth++) {
    newest = chainHash(newest, texts[nth] ?? '');
    const stored = hashes.slice(nth * HASH_LENGTH, (nth + 1) * HASH_LENGTH);
    if (newest === stored) continue;
    return { position: first + nth, what: 'event', expected: stored, found: newest, computed: newest };
  }
  const count = last - first + 1;
  if (texts.length !== count) return miscounted(row, texts.length);
  if (hashes.length !== count * HASH_LENGTH) {
    const found = `${hashes.length} digits`;
    return { position: last, what: 'hash', expected: `${count * HASH_LENGTH} digits for ${count} events`, found };
  }
  const read = Buffer.byteLength(bodies);
  if (bytes === read) return newest;
  return {
    position: last,
    what: 'text',
    expected: `${read} bytes`,
    found: `${bytes} bytes, some of which no reader sees`,
  };
}

const misplaced = ({ first, last }: EventRow, position: number): RowBreak => ({
  position: position + 1,
  what: first > position ? 'missing' : 'extra',
  expected: `event ${position + 1}`,
  found: first === last ? `event ${first}` : `events ${first} to ${last}`,
});

const miscounted = ({ first, last }: EventRow, texts: number): RowBreak => ({
  position: Math.min(last, first + texts - 1) + 1,
  what: texts < last - first + 1 ? 'missing' : 'extra',
  expected: `events ${first} to ${last}`,
  found: `${texts} texts`,
});
