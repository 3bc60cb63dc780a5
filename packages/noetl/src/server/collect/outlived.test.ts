import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lived, outlived } from './outlived.ts';

const lived = (execution: string, endedAt?: number, more: Partial<Lived> = {}): Lived => ({
  execution,
  parent: undefined,
  origin: undefined,
  endedAt,
  ...more,
});
const from = (execution: string) => ({ origin: { execution, position: 3 } });

describe('executions that are needed no more', () => {
  it('ended before the moment', () => {
    expect(outlived([lived('old', 10), lived('new', 20), lived('running')], 20)).toEqual(['old']);
    expect(outlived([], 20)).toEqual([]);
  });

  it('go with all that called each other, or not at all', () => {
    const child = { parent: 'a' };
    expect(outlived([lived('a', 10), lived('a1', 5, child)], 20)).toEqual(['a', 'a1']);
    expect(outlived([lived('a', 30), lived('a1', 5, child)], 20)).toEqual([]);
    expect(outlived([lived('a', 10), lived('a1', undefined, child)], 20)).toEqual([]);
    expect(outlived([lived('orphan', 10, { parent: 'gone' })], 20)).toEqual(['orphan']);
  });

  it('are not what a fork that stays was made from, however many forks lie between (ENG-15)', () => {
    const chain = [
      lived('a', 1),
      lived('a1', 1, { parent: 'a' }),
      lived('b', 2, from('a1')),
      lived('c', 99, from('b')),
    ];
    expect(outlived(chain, 20)).toEqual([]);
    expect(outlived([...chain.slice(0, 3), lived('c', 3, from('b'))], 20)).toEqual(['a', 'a1', 'b', 'c']);
    expect(outlived([lived('a', 99), lived('b', 2, from('a'))], 20)).toEqual(['b']);
  });

  it('never leave one behind that needs them', () => {
    const one = fc.record({
      parent: fc.option(fc.nat(9)),
      origin: fc.option(fc.nat(9)),
      endedAt: fc.option(fc.nat(40)),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 10 }), (drawn) => {
        const all = drawn.map(({ parent, origin, endedAt }, nth) =>
          lived(`e${nth}`, endedAt ?? undefined, {
            ...(parent === null || parent >= nth ? {} : { parent: `e${parent}` }),
            ...(origin === null || origin >= nth ? {} : from(`e${origin}`)),
          }),
        );
        const gone = new Set(outlived(all, 20));
        for (const { execution, parent, origin, endedAt } of all) {
          if (gone.has(execution)) expect(endedAt).toBeLessThan(20);
          else
            for (const needs of [parent, origin?.execution]) expect(needs !== undefined && gone.has(needs)).toBe(false);
        }
      }),
    );
  });
});
