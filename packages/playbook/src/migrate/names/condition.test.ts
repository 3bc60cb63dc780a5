import { describe, expect, it } from 'vitest';
import { conjunction, disjunction, expressionOf, negated, templateOf } from './condition.ts';

describe('expressionOf and templateOf', () => {
  it.each([
    ['{{ a.b }}', 'a.b'],
    ['  {{-  a or b -}}\n', 'a or b'],
    ['{{ (a or b) }}', 'a or b'],
    ['{{ (a or b).c }}', '(a or b).c'],
    ["{{ {'a': 1} }}", "{'a': 1}"],
    [true, 'true'],
    ['{{ a }} and {{ b }}', undefined],
    ['{% if a %}b{% endif %}', undefined],
    ['a == b', undefined],
    ['{{ a', undefined],
  ])('%j is the expression %j', (condition, expression) => {
    expect(expressionOf(condition)).toBe(expression);
  });

  it('are each the other way round', () => {
    expect(expressionOf(templateOf("{'a': {}}"))).toBe("{'a': {}}");
  });
});

describe('negated', () => {
  it.each([
    ['{{ a }}', '{{ not a }}'],
    ['{{ not a }}', '{{ a }}'],
    ['{{ not (a or b) }}', '{{ a or b }}'],
    ['{{ a or b }}', '{{ not (a or b) }}'],
    ['{{ not a and b }}', '{{ not (not a and b) }}'],
    ['{{ a == b }}', '{{ a != b }}'],
    ["{{ (a or b) != 'x' }}", "{{ (a or b) == 'x' }}"],
    ['{{ a in [1, 2] }}', '{{ a not in [1, 2] }}'],
    ['{{ a not in b }}', '{{ a in b }}'],
    ['{{ a == (b or c) }}', '{{ a != (b or c) }}'],
    ['{{ a < b }}', '{{ not (a < b) }}'],
    ['{{ a == b == c }}', '{{ not (a == b == c) }}'],
    ['{{ a.b is defined }}', '{{ a.b is not defined }}'],
    ['{{ a is not none }}', '{{ a is none }}'],
    ['{{ a | default(false) }}', '{{ not a | default(false) }}'],
    ['{{ (a)is\tnot none }}', '{{ (a) is none }}'],
    ['{{ a if b else c }}', '{{ not (a if b else c) }}'],
    ['{{ true }}', '{{ false }}'],
  ])('%s → %s', (condition, expected) => {
    expect(negated(condition)).toBe(expected);
  });

  it('leaves a name that Jinja reads behind an operator only', () => {
    expect(negated('{{ x in not [x][0] }}')).toBe('{{ x not in not [x][0] }}');
  });

  it('of a boolean is the other one', () => {
    expect([negated(true as boolean | string), negated(false as boolean | string)]).toEqual([false, true]);
  });
});

describe('conjunction and disjunction', () => {
  it('keep together what belongs together', () => {
    expect(conjunction(['{{ a or b }}', '{{ not c }}', '{{ d == 1 }}'])).toBe('{{ (a or b) and not c and d == 1 }}');
    expect(disjunction(['{{ a and b }}', '{{ c if d else e }}'])).toBe('{{ a and b or (c if d else e) }}');
  });

  it('leave out what changes nothing', () => {
    expect(conjunction([true, '{{ a }}', '{{ true }}', '{{ a }}'])).toBe('{{ a }}');
    expect(disjunction(['{{ a }}', false, '{{ b }}'])).toBe('{{ a or b }}');
    expect(conjunction(['{{ a or b }}'])).toBe('{{ a or b }}');
  });

  it('are constant where one part decides, or none is there', () => {
    expect(conjunction(['{{ a }}', '{{ false }}'])).toBe(false);
    expect(disjunction(['{{ a }}', true])).toBe(true);
    expect([conjunction([]), disjunction([])]).toEqual([true, false]);
  });

  it('refuse what is no condition', () => {
    expect(() => conjunction(['{{ a }}', 'b'])).toThrow("a condition is to be one '{{ … }}', found 'b'");
  });
});
