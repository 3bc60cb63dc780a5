import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, TemplateError } from './index.ts';

const json = fc.jsonValue({ maxDepth: 4 });
const evaluate = (source: string, scope: Record<string, unknown>) => compile(source).evaluate(scope);

describe('for any data', () => {
  it('a name evaluates to the very same value, and nothing is changed', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        expect(evaluate('{{ x }}', { x: value })).toBe(value);
        compile('{{ x | tojson }}{{ x }}{{ x | pprint }}').render({ x: value });
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it('tojson and fromjson are inverse', () => {
    fc.assert(
      fc.property(json, (value) => {
        // JSON has one zero.
        const plain = JSON.parse(JSON.stringify(value));
        expect(evaluate('{{ x | tojson | fromjson }}', { x: plain })).toEqual(plain);
      }),
    );
  });

  it('base64 is inverse and sha256 has 64 digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(evaluate('{{ x | b64encode | b64decode }}', { x: text })).toBe(text);
        expect(evaluate('{{ x | b64encode }}', { x: text })).toBe(Buffer.from(text).toString('base64'));
        expect(evaluate('{{ x | sha256 }}', { x: text })).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('integer arithmetic is exact: a == (a // b) * b + a % b', () => {
    const integer = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        fc.pre(b !== 0n);
        expect(evaluate(`{{ (${a} // ${b}) * ${b} + ${a} % ${b} == ${a} }}`, {})).toBe(true);
      }),
    );
  });

  it('sort gives the same items in order, stable', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ k: fc.integer({ min: 0, max: 5 }), i: fc.nat() })), (rows) => {
        const sorted = evaluate("{{ rows | sort(attribute='k') }}", { rows });
        expect(sorted).toEqual([...rows].sort((a, b) => a.k - b.k));
      }),
    );
  });
});

describe('for any source', () => {
  const fragment = fc.constantFrom(
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    ' if ',
    ' for ',
    ' x ',
    ' in ',
    '[',
    ']',
    '(',
    ')',
    '{',
    '}',
    '|',
    '.',
    ',',
    "'",
    '"',
    '\\',
    '1',
    '2.5',
    ' endfor ',
    ' endif ',
    ' set ',
    '=',
    '-',
    '+',
    '~',
    ' raw ',
    ' is ',
    ' not ',
    ' y',
    '\n',
  );
  it('the outcome is a value or a TemplateError inside the source', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (parts) => {
        const source = parts.join('');
        try {
          compile(source).evaluate({ x: [1, 2], y: 'a' });
        } catch (error) {
          expect(error).toBeInstanceOf(TemplateError);
          expect((error as TemplateError).offset).toBeLessThanOrEqual(source.length);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
