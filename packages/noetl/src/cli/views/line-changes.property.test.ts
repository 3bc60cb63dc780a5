import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LineChange, lineChanges } from './line-changes.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 });
const textsOf = (changes: readonly LineChange[], ...kinds: readonly LineChange['kind'][]) =>
  changes.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);

describe('the changes from one text to another', () => {
  it('keep and take away what the one has, keep and add what the other has', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const changes = lineChanges(before, after);
        expect(textsOf(changes, 'kept', 'gone')).toEqual(before);
        expect(textsOf(changes, 'kept', 'new')).toEqual(after);
      }),
    );
  });

  it('are as few as possible', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(textsOf(lineChanges(before, after), 'kept')).toHaveLength(longestCommon(before, after));
      }),
    );
  });

  it('are found for texts that have next to nothing in common, too', () => {
    const before = Array.from({ length: 20_000 }, (_, i) => `old ${i}`);
    const after = ['first', ...before.map((_, i) => `new ${i}`), 'last'];
    const changes = lineChanges(['same', ...before, 'end'], ['same', ...after, 'end']);
    expect(textsOf(changes, 'kept')).toEqual(['same', 'end']);
    expect(textsOf(changes, 'new')).toEqual(after);
  });
});

/** By the book: a table of all pairs. */
function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = after.map(() => 0);
  for (const line of before) {
    const next: number[] = [];
    for (const [i, other] of after.entries()) {
      next.push(line === other ? (row[i - 1] ?? 0) + 1 : Math.max(row[i] ?? 0, next[i - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
