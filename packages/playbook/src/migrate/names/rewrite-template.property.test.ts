import { compile, TemplateError } from '@noetl/template';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conjunction, disjunction, negated, simplified, templateOf } from './condition.ts';
import { type Rewrite, rewriteTemplate } from './rewrite-template.ts';

/** Expressions over `x`, `y` and `o`, spelled in every way that a template allows. */
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => {
  const inner = tie('expression');
  return {
    atom: fc.constantFrom(
      'x',
      'y',
      'o',
      'o.a',
      "o['a']",
      'o . b',
      'o["b"][0]',
      '1',
      "'x'",
      '"o.a"',
      'true',
      'None',
      '2.5',
    ),
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('atom'),
      inner.map((a) => `(${a})`),
      inner.map((a) => `( ${a} ).a`),
      inner.map((a) => `[${a}][0]`),
      inner.map((a) => `not ${a}`),
      inner.map((a) => `-(${a})`),
      inner.map((a) => `(${a}) | default('x')`),
      inner.map((a) => `(${a}) is not defined`),
      inner.map((a) => `[${a}]is\nnot defined`),
      inner.map((a) => `{'x': ${a}}['x']`),
      inner.map((a) => `o.get('a', ${a})`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a}) ~ (${b})`),
      fc
        .tuple(inner, fc.constantFrom(' and ', ' or ', '==', ' in ', ' != ', '\n or\t'), inner)
        .map((parts) => parts.join('')),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `${a} if ${b} else ${c}`),
      fc.tuple(inner, inner).map(([a, b]) => `(${a}, ${b})`),
    ),
  };
});

const template = fc
  .array(
    fc.oneof(
      expression.map((source) => `{{ ${source} }}`),
      expression.map((source) => `{%- if ${source} -%} a {%- endif %}`),
      expression.map((source) => `{% for x in [${source}] %}{{ x }}{{ y }}{% endfor %}`),
      expression.map((source) => `{% set y = ${source} %}{{ y }}`),
      fc.constantFrom(' x ', '{# x o.a #}', '{% raw %}{{ x }}{% endraw %}', '\n', '"', 'o.a'),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));

/** What a template gives, or the kind of error that it ends in. */
function given(source: string, scope: Readonly<Record<string, unknown>>): unknown {
  try {
    return compile(source, { undefined: 'chainable' }).evaluate(scope);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.code;
  }
}

const parses = (source: string): boolean => {
  try {
    compile(source);
    return true;
  } catch {
    return false;
  }
};

const X = 3;
const O = { a: 'b', b: [7] };

describe('for any template', () => {
  it('nothing is changed where no rule applies', () => {
    fc.assert(
      fc.property(template, (source) => {
        fc.pre(parses(source));
        const rewritten = rewriteTemplate(source, { reference: () => undefined, compared: () => undefined });
        expect(rewritten).toEqual({ text: source, edits: [], changes: [], problem: undefined });
      }),
    );
  });

  it('a name that is replaced by another expression gives the same, whatever stands around it', () => {
    const table: Readonly<Record<string, string>> = { x: 'none or n', y: 'm', o: 'p if true else q' };
    const rewrite: Rewrite = {
      reference: ({ name }) => {
        const text = table[name];
        return text === undefined ? undefined : { text, rule: 'name-vars', covers: 0 };
      },
    };
    fc.assert(
      fc.property(template, (source) => {
        fc.pre(parses(source));
        const { text, problem, changes } = rewriteTemplate(source, rewrite);
        expect(problem).toBeUndefined();
        expect(parses(text)).toBe(true);
        expect(given(text, { n: X, m: 'y', p: O })).toEqual(given(source, { x: X, y: 'y', o: O }));
        if (changes.length === 0) expect(text).toBe(source);
      }),
      { numRuns: 1_000 },
    );
  });

  it('everything outside of what is replaced stays as it is written', () => {
    const rewrite: Rewrite = {
      reference: ({ name }) =>
        ['x', 'y', 'o'].includes(name) ? { text: `new_${name}`, rule: 'name-vars', covers: 0 } : undefined,
    };
    fc.assert(
      fc.property(template, (source) => {
        fc.pre(parses(source));
        const { text, edits } = rewriteTemplate(source, rewrite);
        expect(edits.every(({ start, end }) => /^\w+$/.test(source.slice(start, end)))).toBe(true);
        expect(text.replaceAll(/new_(x|y|o)\b/g, '$1')).toBe(source);
      }),
    );
  });
});

describe('for any conditions', () => {
  const scope = { x: X, y: '', o: O };
  const holds = (condition: string | boolean): boolean =>
    typeof condition === 'boolean'
      ? condition
      : given(`{{ true if (${condition.slice(2, -2)}) else false }}`, scope) === true;
  const sound = fc
    .array(expression, { minLength: 1, maxLength: 3 })
    .map((sources) => sources.map(templateOf))
    .filter((conditions) =>
      conditions.every(
        (one) => parses(one) && typeof given(`{{ 1 if (${one.slice(2, -2)}) else 0 }}`, scope) === 'number',
      ),
    );

  it('joining and negating them means what it says', () => {
    fc.assert(
      fc.property(sound, (conditions) => {
        const [first = ''] = conditions;
        expect(holds(negated(first))).toBe(!holds(first));
        expect(holds(conjunction(conditions))).toBe(conditions.every(holds));
        expect(holds(disjunction(conditions))).toBe(conditions.some(holds));
        expect(holds(simplified(first))).toBe(holds(first));
      }),
    );
  });
});
