import { describe, expect, it } from 'vitest';
import { CommandFailure } from './command-failure.ts';
import { parseScope } from './scope-file.ts';

function complaint(source: string): string {
  try {
    parseScope(source, 'scope.json');
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error('the scope was accepted');
}

describe('a scope file', () => {
  it('is a JSON object', () => {
    expect(parseScope('{"a": 1, "b": {"c": [null]}}', 'scope.json')).toEqual({ a: 1, b: { c: [null] } });
  });

  it('that is something else is refused, saying what was found and what was expected', () => {
    const expected = 'but a scope is a JSON object such as {"user": "Ada"}';
    expect(complaint('[1]')).toBe(`error: scope.json holds a list, ${expected}`);
    expect(complaint('null')).toBe(`error: scope.json holds null, ${expected}`);
    expect(complaint('"x"')).toBe(`error: scope.json holds a string, ${expected}`);
  });

  it('that is not JSON is refused with line, column and a caret', () => {
    const [first, excerpt, caret] = complaint('{\n  "a": 1,\n  "b": tru\n}').split('\n');
    expect(first).toBe('error: scope.json:3:8 is not valid JSON: expected a value, found tru');
    expect(excerpt).toBe('  "b": tru');
    expect(caret).toBe('       ^');
  });

  it('that ends too early is refused at its end', () => {
    expect(complaint('{"a": 1')).toMatch(/^error: scope\.json:1:8 is not valid JSON: .*\n\{"a": 1\n {7}\^$/);
    expect(complaint('')).toMatch(/^error: scope\.json:1:1 is not valid JSON: /);
  });

  it('with a very long line is quoted only around the problem', () => {
    const [, excerpt = '', caret = ''] = complaint(`{"a": "${'x'.repeat(5_000)}" "b": 2}`).split('\n');
    expect(excerpt.length).toBeLessThanOrEqual(100);
    expect(excerpt[caret.length - 1]).toBe('"');
  });
});
