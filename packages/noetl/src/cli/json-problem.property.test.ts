import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonProblem } from './json-problem.ts';

describe('the first problem of a JSON text', () => {
  it('exists exactly when the parser refuses the text', () => {
    const fragments = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'null',
      'x',
      ' ',
      '\n',
    ];
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...fragments, '')).map(([text, at, fragment]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + fragment + text.slice(place + 1);
    });
    const soup = fc.array(fc.constantFrom(...fragments)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, soup), (text) => {
        expect(findJsonProblem(text) === undefined).toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
