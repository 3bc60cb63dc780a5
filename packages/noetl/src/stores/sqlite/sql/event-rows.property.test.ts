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

const asFound = (row: EventRow): FoundRow => ({ ...row, bytes: Buffer.byteLength(row.bodies) });

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
          expect(checkedRow(asFound(row), { position: row.first - 1, hash })).toBe(lastHashIn(row));
          hash = lastHashIn(row);
        }
        expect(hash).toBe(all.reduce(chainHash, ''));

        const seq = 1 + (nth % all.length);
        const changed = rows.findIndex(({ last }) => last >= seq);
        const row = rows[changed] as EventRow;
        const before = changed === 0 ? '' : lastHashIn(rows[changed - 1] ?? row);
        const place = { position: row.first - 1, hash: before };
        const bodies = row.bodies.split(',\n').with(seq - row.first, `${textIn(row, seq)} `);
        const broken = (change: Partial<FoundRow>) => checkedRow({ ...asFound(row), ...change }, place);
        expect(broken({ bodies: bodies.join(',\n') })).toMatchObject({ position: seq, what: 'event' });
        expect(broken({ first: row.first + 1 })).toMatchObject({ position: row.first, what: 'missing' });
        expect(broken({ first: row.first - 1 })).toMatchObject({ position: row.first, what: 'extra' });
        expect(broken({ last: row.last + 1 })).toMatchObject({ position: row.last + 1, what: 'missing' });
        expect(broken({ last: row.last - 1 })).toMatchObject({ position: row.last, what: 'extra' });
        expect(broken({ hashes: `${row.hashes}0` })).toMatchObject({ position: row.last, what: 'hash' });
        expect(broken({ bytes: asFound(row).bytes + 1 })).toMatchObject({ position: row.last, what: 'text' });
      }),
      { numRuns: 60 },
    );
  });
});
