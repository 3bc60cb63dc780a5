import { describe, expect, it } from 'vitest';
import { compile, type UndefinedMode } from '../index.ts';

const MODES = ['default', 'strict', 'chainable', 'checked'] as const;
const outcome = (source: string, mode: UndefinedMode): unknown => {
  try {
    return compile(source, { undefined: mode }).evaluate({ ctx: { a: 1 } });
  } catch {
    return 'error';
  }
};

describe('undefined modes (TPL-4)', () => {
  it.each([
    ['{{ x is defined }}', [false, false, false, false]],
    ['{{ x | default(1) }}', [1, 1, 1, 1]],
    ['{{ x.y.z | default(1) }}', ['error', 'error', 1, 1]],
    ['{{ ctx.b | default(1) }}', [1, 1, 1, 1]],
    ['{{ 1 if x else 2 }}', [2, 'error', 2, 2]],
    ['{{ x == 1 }}', [false, 'error', false, false]],
    ['{{ x }}', [undefined, 'error', undefined, 'error']],
    ['a{{ x }}', ['a', 'error', 'a', 'error']],
    ['{{ [x] | length }}', [1, 1, 1, 1]],
    ['{{ x | length }}', [0, 'error', 0, 'error']],
    ['{{ x | list }}', [[], 'error', [], 'error']],
    ['{{ x | upper }}', ['', 'error', '', 'error']],
    ['{{ x + 1 }}', ['error', 'error', 'error', 'error']],
    ['{{ x < 1 }}', ['error', 'error', 'error', 'error']],
    ['{{ x() }}', ['error', 'error', 'error', 'error']],
    ['{{ 1 in x }}', [false, 'error', false, 'error']],
    ['{{ x in range(2) }}', [false, 'error', false, false]],
    ['{{ x in range(0) }}', [false, false, false, false]],
    ['{{ [1][7] }}', [undefined, 'error', undefined, 'error']],
    ['{{ [] | first }}', [undefined, 'error', undefined, 'error']],
    ['{{ not x }}', [true, 'error', true, true]],
    ['{{ x or 3 }}', [3, 'error', 3, 3]],
  ])('%s', (source, expected) => {
    expect(MODES.map((mode) => outcome(source, mode))).toEqual(expected);
  });

  it('never lets an undefined leave inside a list or mapping when checked', () => {
    expect(outcome('{{ [x] }}', 'checked')).toBe('error');
    expect(outcome('{{ {"a": [x.y]} }}', 'checked')).toBe('error');
  });
});
