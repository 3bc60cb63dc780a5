import { describe, expect, it } from 'vitest';
import { jsonResult } from './json-result.ts';

describe('what a tool gives is JSON (TPL-8)', () => {
  it.each([
    [{ a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }],
    [{ count: 5n }, { count: 5 }],
    [
      [9007199254740991n, 9007199254740993n, -9007199254740993n],
      [9007199254740991, '9007199254740993', '-9007199254740993'],
    ],
    [undefined, null],
    [{ missing: undefined }, { missing: null }],
  ])('%o is kept as %o', (given, kept) => {
    expect(jsonResult(given)).toEqual({ value: kept });
  });
  it('data that is JSON already is not copied', () => {
    const data = { list: [{ a: 1 }] };
    expect(jsonResult(data)).toEqual({ value: data });
    expect((jsonResult(data) as { value: unknown }).value).toBe(data);
  });
  it.each([[Number.NaN], [{ list: [1, Number.POSITIVE_INFINITY] }], [{ deep: { n: Number.NEGATIVE_INFINITY } }]])(
    '%o is an error',
    (given) => {
      expect(jsonResult(given)).toMatchObject({ error: { kind: 'result.json', retryable: false } });
    },
  );
});
