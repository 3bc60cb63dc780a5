import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainHash } from '../../../ports/chain.ts';
import {
  checkedRow,
  type EventRow,
  type FoundRow,
  joinedBodies,
  lastHashIn,
  MOST_EVENTS,
  rowsOf,
  textIn,
} from './event-rows.ts';

const text = fc.oneof(
  { weight: 9, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.integer({ min: 30_000, max: 90_000 }).map((length) => `"${'x'.repeat(length)}"`) },
);
const texts = fc.array(text, { maxLength: 100, size: 'max' });

const asFound = ({ first, last, hashes, bodies }: EventRow): FoundRow => ({
  first,
  last,
  hashes: Buffer.from(hashes),
  bodies: Buffer.from(bodies),
});

describe('rows of events', () => {
  it('hold every event once, byte for byte, without gaps, and none too many', () => {
    fc.assert(
      fc.property(texts, fc.nat(1_000), (all, position) => {
        const rows = rowsOf(all, position, 'before');
        const read = rows.flatMap((row) =>
          Array.from({ length: row.last - row.first + 1 }, (_, nth) => textIn(row, row.first + nth)),
        );
        expect(read).toEqual(all);
        expect(JSON.parse(`[${joinedBodies(rows.map(({ bodies }) => bodies))}]`)).toEqual(
          all.map((one) => JSON.parse(one)),
        );
        let last = position;
        for (const row of rows) {
          expect(row.first).toBe(last + 1);
          expect(row.last - row.first).toBeLessThan(MOST_EVENTS);
          last = row.last;
        }
        expect(last).toBe(position + all.length);
      }),
      { numRuns: 60 },
    );
  });

  it('are whole, until one byte of one event is changed', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (all, nth) => {
        fc.pre(all.length > 0);
        const rows = rowsOf(all, 0, '');
        let hash = '';
        for (const row of rows) {
          const place = { position: row.first - 1, hash };
          expect(checkedRow(asFound(row), place)).toEqual({ hash: lastHashIn(row), bodies: row.bodies });
          hash = lastHashIn(row);
        }
        expect(hash).toBe(all.reduce(chainHash, ''));

        const seq = 1 + (nth % all.length);
        const changed = rows.findIndex(({ last }) => last >= seq);
        const row = rows[changed] as EventRow;
        const before = changed === 0 ? '' : lastHashIn(rows[changed - 1] ?? row);
        const place = { position: row.first - 1, hash: before };
        const bodies = row.bodies.split(',\n').with(seq - row.first, `${textIn(row, seq)} `);
        const found = (change: Partial<EventRow>) => checkedRow(asFound({ ...row, ...change }), place);
        const expectBroken = (change: Partial<EventRow>, broken: object) =>
          expect(found(change)).toMatchObject({ broken });
        expectBroken({ bodies: bodies.join(',\n') }, { position: seq, what: 'event' });
        expectBroken({ first: row.first + 1 }, { position: row.first, what: 'missing' });
        expectBroken({ first: row.first - 1 }, { position: row.first, what: 'extra' });
        expectBroken({ last: row.last + 1 }, { position: row.last + 1, what: 'missing' });
        expectBroken({ last: row.last - 1 }, { position: row.last, what: 'extra' });
        expectBroken({ hashes: `${row.hashes}0` }, { position: row.last, what: 'hash' });
      }),
      { numRuns: 60 },
    );
  });
});
