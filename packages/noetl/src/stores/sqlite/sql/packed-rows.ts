import type { Database } from '../driver/database.ts';
import type { FoundRow } from './event-rows.ts';
import { anyTextOf, bytesOf, type StoredText } from './stored-text.ts';

/** Reads rows of an execution behind a position, in their order, at most so many. */
export type ReadRows = (execution: number, position: number, most: number) => readonly FoundRow[];

type StoredRow = Pick<FoundRow, 'first' | 'last'> & Readonly<Record<'hashes' | 'bodies', StoredText>>;
type Pack = Readonly<Record<'sizes' | 'hashes' | 'bodies', StoredText>>;

/**
 * Rows as bytes, so that any damage can be told. They come packed into one: a driver takes longer to hand over a row than
 * to read it, and a log may have hundreds of thousands. A pack that does not add up is read row by row.
 */
export function readingRows(database: Database): ReadRows {
  const stored = `SELECT first, last, CAST(hashes AS BLOB) AS hashes, CAST(bodies AS BLOB) AS bodies FROM events
     WHERE execution = ? AND last > ? ORDER BY last LIMIT ?`;
  const rows = database.prepare<StoredRow>(stored);
  const packs = database.prepare<Pack>(
    `SELECT CAST(group_concat(first || ' ' || last || ' ' || length(hashes) || ' ' || length(bodies)) AS BLOB) AS sizes,
       CAST(group_concat(hashes, '') AS BLOB) AS hashes, CAST(group_concat(bodies, '') AS BLOB) AS bodies FROM (${stored})`,
  );
  return (execution, position, most) => {
    const pack = most === 1 ? undefined : packs.get(execution, position, most);
    return (pack && unpacked(pack)) ?? rows.all(execution, position, most).map(foundRow);
  };
}

const foundRow = ({ first, last, hashes, bodies }: StoredRow): FoundRow => ({
  first,
  last,
  hashes: bytesOf(hashes),
  bodies: bytesOf(bodies),
});

function unpacked(pack: Pack): readonly FoundRow[] | undefined {
  const [sizes, hashes, bodies] = [anyTextOf(pack.sizes), bytesOf(pack.hashes), bytesOf(pack.bodies)];
  const rows: FoundRow[] = [];
  let [hashesTo, bodiesTo] = [0, 0];
  for (const row of sizes === '' ? [] : sizes.split(',')) {
    const [first, last, ofHashes, ofBodies] = row.split(' ').map(Number) as [number, number, number, number];
    const [hashesFrom, bodiesFrom] = [hashesTo, bodiesTo];
    hashesTo += ofHashes;
    bodiesTo += ofBodies;
    const [own, text] = [hashes.subarray(hashesFrom, hashesTo), bodies.subarray(bodiesFrom, bodiesTo)];
    rows.push({ first, last, hashes: own, bodies: text });
  }
  return hashesTo === hashes.length && bodiesTo === bodies.length ? rows : undefined;
}
