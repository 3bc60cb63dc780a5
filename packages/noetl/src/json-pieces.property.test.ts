import { storedKey } from '@noetl/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';
import { createJsonPieces, type JsonChange, JsonProblem } from './json-pieces.ts';

const SAME: JsonChange = { key: (key) => key, exact: true };

/** What leaves when a text comes in pieces of these lengths, again and again. */
function passed(text: string, lengths: readonly number[], change: JsonChange = SAME) {
  const pieces = createJsonPieces(change);
  let out = '';
  for (let at = 0, nth = 0; at < text.length; nth++) {
    const length = lengths[nth % lengths.length] ?? 1;
    out += pieces.take(text.slice(at, at + length));
    at += length;
  }
  return { out: out + pieces.end(), hint: pieces.hint() };
}

const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

describe('JSON that passes by in pieces', () => {
  it('is the same behind as before, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), lengths, fc.constantFrom(0, 2), (value, cuts, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const { out } = passed(text, cuts);
        if (/\d{16}/.test(text)) expect(JSON.parse(out)).toEqual(parseExactJson(text));
        else expect(out).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('is JSON exactly if JSON.parse takes it, but for numbers that are too large', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '0.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '\t"',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 9 }), lengths, (fragments, cuts) => {
        const text = fragments.join('');
        const read = (): unknown =>
          JSON.parse(text, (_, value) => {
            if (Math.abs(value) === Number.POSITIVE_INFINITY) throw new SyntaxError('too large');
            return value;
          });
        expect(isTaken(() => passed(text, cuts))).toBe(isTaken(read));
      }),
      { numRuns: 5_000, examples: [[['0.5', 'e3', '1', '1'], [1]]] },
    );
  });

  const isTaken = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      expect(error instanceof JsonProblem || error instanceof SyntaxError).toBe(true);
      return false;
    }
  };

  it('keeps integers that a number cannot hold, as any other result does (TPL-8)', () => {
    const integer = fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n });
    fc.assert(
      fc.property(fc.array(integer), lengths, (integers, cuts) => {
        const text = `{"list": [${integers.join(', ')}]}`;
        expect(JSON.parse(passed(text, cuts).out)).toEqual(parseExactJson(text));
      }),
    );
  });

  it('gets keys and texts changed, however they are written', () => {
    const change: JsonChange = { key: storedKey, text: (text) => text.replaceAll('secret', '***') };
    const text = '{"$noetl": "a secret", "\\u0024noetl" :["\\u0073ecret", "$noetl", {"secret": 1}]}';
    expect(JSON.parse(passed(text, [3], change).out)).toEqual({
      $$noetl: ['***', '$noetl', { secret: 1 }],
    });
  });

  it.each([
    ['[]', 'list[0]'],
    ['[[1,2],{"a":[3]},4]', 'list[3]'],
    ['{"b":{"c":1},"a":[]}', 'object{b,a}'],
    ['{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0}', 'object{a,b,c,d,e,f,g,h,…}'],
    ['"x"', 'string'],
    ['1.5', 'number'],
    ['null', 'null'],
    ['false', 'boolean'],
  ])('of the shape %s is hinted at as %s', (text, hint) => {
    expect(passed(text, [2]).hint).toBe(hint);
  });

  it.each([
    ['1e999', 'is too large'],
    [`${'['.repeat(501)}`, 'nested more than 500 levels'],
    ['{"a": 1} x', '"x" where it should not be'],
    ['[1, 2', 'ends in the middle'],
  ])('that cannot be kept is refused with a reason: %s', (text, reason) => {
    expect(() => passed(text, [5])).toThrow(reason);
  });
});
