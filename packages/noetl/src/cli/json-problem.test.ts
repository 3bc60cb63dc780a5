import { describe, expect, it } from 'vitest';
import { findJsonProblem } from './json-problem.ts';

describe('the first problem of a JSON text', () => {
  it('has a place, what was expected and what was found', () => {
    expect(findJsonProblem('{"a": tru}')).toEqual({ offset: 6, expected: 'a value', found: 'tru' });
    expect(findJsonProblem('{"a" 1}')).toEqual({ offset: 5, expected: "':'", found: '1' });
    expect(findJsonProblem('{a: 1}')).toEqual({ offset: 1, expected: "a name in double quotes or '}'", found: 'a' });
    expect(findJsonProblem('[1, 2')).toEqual({ offset: 5, expected: "',' or ']'", found: 'the end of the text' });
    expect(findJsonProblem('[1, ]')).toEqual({ offset: 4, expected: 'a value', found: ']' });
    expect(findJsonProblem('{"a": 1, }')).toEqual({ offset: 9, expected: 'a name in double quotes', found: '}' });
    expect(findJsonProblem('{} {}')).toEqual({ offset: 3, expected: 'the end of the text', found: '{' });
    expect(findJsonProblem('')).toEqual({ offset: 0, expected: 'a value', found: 'the end of the text' });
    expect(findJsonProblem('["a\nb"]')).toMatchObject({ offset: 1, found: expect.stringContaining('never ends') });
  });

  it('is found at any depth', () => {
    expect(findJsonProblem('['.repeat(1_000_000))).toMatchObject({ offset: 1_000_000, expected: "a value or ']'" });
  });
});
