import { describe, expect, it } from 'vitest';
import { firstDifference } from './first-difference.ts';

describe('the first difference of two values', () => {
  it('is none where they are the same', () => {
    expect(firstDifference({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBeUndefined();
  });

  it.each([
    ['a value', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, { path: 'a.b[1]', expected: 2, found: 3 }],
    ['a key that is missing', { a: 1, b: 2 }, { a: 1 }, { path: 'b', expected: 2, found: undefined }],
    ['a key that is too many', { a: 1 }, { a: 1, b: 2 }, { path: 'b', expected: undefined, found: 2 }],
    ['a list that is too long', [1], [1, 2], { path: '[1]', expected: undefined, found: 2 }],
    ['another kind', { a: [] }, { a: {} }, { path: 'a', expected: [], found: {} }],
    ['the whole', 1, '1', { path: '', expected: 1, found: '1' }],
    [
      'the order of keys',
      { o: { a: 1, b: 2 } },
      { o: { b: 2, a: 1 } },
      { path: 'o', expected: ['a', 'b'], found: ['b', 'a'] },
    ],
  ])('names %s', (_, expected, found, difference) => {
    expect(firstDifference(expected, found)).toEqual(difference);
  });
});
