import { describe, expect, it } from 'vitest';
import { openDatabase } from '../driver/open-database.ts';
import type { FoundRow } from './event-rows.ts';
import { type ReadRows, readingRows } from './packed-rows.ts';

/** What a row may hold after damage, as SQL. */
const BODIES: readonly (readonly [what: string, sql: string])[] = [
  ['a text', `'{"a":1},' || char(10) || '{"b":2}'`],
  ['no text', `''`],
  ['a NUL', `'a' || char(0) || 'b'`],
  ['bytes that are no UTF-8', `CAST(x'c3287bff' AS TEXT)`],
  ['bytes', `x'00ff'`],
  ['a number', '17'],
  ['a fraction', '1.5'],
];

describe('rows of events that are read packed', () => {
  it('are what each is by itself, whatever they hold', async () => {
    const database = await openDatabase(':memory:');
    database.exec('CREATE TABLE events (gid INTEGER PRIMARY KEY, execution, first, last, hashes, bodies)');
    for (const [nth, [, body]] of BODIES.entries()) {
      database.exec(`INSERT INTO events (execution, first, last, hashes, bodies)
        VALUES (1, ${nth * 2 + 1}, ${nth * 2 + 2}, 'hash${nth}', ${body}), (2, ${nth + 1}, ${nth + 1}, ${body}, 'x')`);
    }
    const rows = readingRows(database);
    for (const execution of [1, 2]) {
      const single = oneByOne(rows, execution);
      expect(single).toHaveLength(BODIES.length);
      expect(rows(execution, 0, 50)).toEqual(single);
      expect(rows(execution, 0, 3)).toEqual(single.slice(0, 3));
    }
    expect(rows(3, 0, 50)).toEqual([]);
    database.close();
  });

  it('are read one by one where they do not add up', async () => {
    const database = await openDatabase(':memory:');
    database.exec('CREATE TABLE events (gid INTEGER PRIMARY KEY, execution, first, last, hashes, bodies)');
    database.exec(`INSERT INTO events (execution, first, last, hashes, bodies)
      VALUES (1, 1, 1, 'a', 'A'), (1, NULL, 2, 'b', 'B'), (1, 3, 3, NULL, 'C')`);
    const rows = readingRows(database);
    expect(rows(1, 0, 50)).toEqual(oneByOne(rows, 1));
    expect(rows(1, 0, 50).map(({ bodies }) => String(bodies))).toEqual(['A', 'B', 'C']);
    database.close();
  });
});

function oneByOne(rows: ReadRows, execution: number): readonly FoundRow[] {
  const found: FoundRow[] = [];
  for (let position = 0; ; position = found.at(-1)?.last ?? 0) {
    const [row] = rows(execution, position, 1);
    if (row === undefined) return found;
    found.push(row);
  }
}
