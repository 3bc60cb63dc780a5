import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';

describe('exact JSON', () => {
  it('keeps an integer beyond 2^53 as its decimal string (TPL-8)', () => {
    expect(parseExactJson('[9007199254740991, 9007199254740992, -9007199254740993, 12345678901234567890]')).toEqual([
      9007199254740991,
      '9007199254740992',
      '-9007199254740993',
      '12345678901234567890',
    ]);
  });

  it('leaves floats and strings alone, whatever digits they have', () => {
    const source = '["9007199254740993", "a \\" 9007199254740993", 0.12345678901234567, 1e30, 1234567890123456.5]';
    expect(parseExactJson(source)).toEqual(JSON.parse(source));
  });

  it('gives an object no prototype but the usual one', () => {
    const value = parseExactJson('{"__proto__": {"polluted": 9007199254740993}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
  });

  it('reads a string of a million characters', () => {
    const source = JSON.stringify([`${'x'.repeat(1_000_000)}`, '\\"'.repeat(100_000), '9007199254740993']);
    expect(parseExactJson(source)).toEqual(JSON.parse(source));
  });
});
