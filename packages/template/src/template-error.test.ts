import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, TEMPLATE_ERROR_CODES, TemplateError } from './index.ts';

function failure(source: string, scope: Record<string, unknown> = {}): TemplateError {
  try {
    compile(source, { undefined: 'checked' }).evaluate(scope);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`no error: ${source}`);
}

describe('errors say what, where and what to do', () => {
  it.each([
    [
      '{{ ctx.totl }}',
      'NOETL_TEMPLATE_UNDEFINED',
      1,
      4,
      "'ctx.totl' is undefined: a mapping has no 'totl'.",
      "Did you mean 'total'?",
    ],
    ['{{ cxt.total }}', 'NOETL_TEMPLATE_UNDEFINED', 1, 4, "'cxt' is undefined.", "Did you mean 'ctx'?"],
    ['a\nb {{ 1 | uper }}', 'NOETL_TEMPLATE_NAME', 2, 10, "there is no filter 'uper'.", "Did you mean 'upper'?"],
    ['{{ 1 is od }}', 'NOETL_TEMPLATE_NAME', 1, 9, "there is no test 'od'.", "Did you mean 'odd'?"],
    [
      '{{ 1 + }}',
      'NOETL_TEMPLATE_SYNTAX',
      1,
      8,
      "expected an expression, found '}}', the end of the expression.",
      undefined,
    ],
    ['{% fro x in y %}', 'NOETL_TEMPLATE_SYNTAX', 1, 4, "there is no statement 'fro'.", "Did you mean 'for'?"],
    [
      '{% if x %}',
      'NOETL_TEMPLATE_SYNTAX',
      1,
      1,
      "this '{% if %}' is never closed: expected '{% endif %}'.",
      undefined,
    ],
    [
      '{{ "a" + 1 }}',
      'NOETL_TEMPLATE_TYPE',
      1,
      4,
      "'+' does not work between text and an integer.",
      "Join text with '~', or convert it with | int or | float.",
    ],
    ['{{ 1 / 0 }}', 'NOETL_TEMPLATE_VALUE', 1, 4, 'division by zero.', undefined],
    [
      '{{ "x" | truncate(lenght=3) }}',
      'NOETL_TEMPLATE_TYPE',
      1,
      10,
      "the filter 'truncate' has no argument 'lenght'.",
      "Did you mean 'length'?",
    ],
    ['{{ ctx.total() }}', 'NOETL_TEMPLATE_TYPE', 1, 4, "'ctx.total' is an integer and cannot be called.", undefined],
  ])('%s', (source, code, line, column, problem, hint) => {
    const error = failure(source, { ctx: { total: 1 } });
    expect({
      code: error.code,
      line: error.line,
      column: error.column,
      problem: error.problem,
      hint: error.hint,
    }).toEqual({ code, line, column, problem, hint });
  });

  it.each([
    ["{{ 'a'.uper() }}", "Did you mean 'upper'?"],
    ['{{ [].apend(1) }}', "Did you mean 'append'?"],
    ['{% for i in [1] %}{{ loop.inedx }}{% endfor %}', "Did you mean 'index'?"],
    ['{% set total = 1 %}{{ totl }}', "Did you mean 'total'?"],
    ['{% macro greet() %}{% endmacro %}{{ gret() }}', "Did you mean 'greet'?"],
    ['{{ a && b }}', "Write 'and'."],
    ['{{ !a }}', "Write 'not'."],
    ['{% for i in [1] %}{% endif %}', "Expected '{% else %}' or '{% endfor %}' first."],
  ])('%s hints: %s', (source, hint) => {
    expect(failure(source).hint).toBe(hint);
  });

  it('shows the line with a caret', () => {
    expect(failure('first\n{{ nope }}').message).toBe("2:4 'nope' is undefined.\n{{ nope }}\n   ^");
  });

  it('points at the failing operation, not at the last one evaluated', () => {
    expect(failure('{{ (a | upper) ~ (1 / 0) ~ b }}', { a: 'x', b: 'y' }).column).toBe(19);
  });

  it('cuts a long line around the column', () => {
    const error = failure(`${'x'.repeat(5_000)}{{ nope }}`);
    expect(error.column).toBe(5_004);
    expect(error.excerpt.length).toBeLessThan(250);
    const [text = '', caret = ''] = error.excerpt.split('\n');
    expect(text.slice(caret.length - 1, caret.length + 3)).toBe('nope');
  });

  it.each(['include "x"', 'extends "x"', 'import "x" as y', 'from "x" import y', 'block a', 'autoescape true'])(
    '%s is not available',
    (statement) => {
      const error = failure(`{% ${statement} %}`);
      expect(error.code).toBe('NOETL_TEMPLATE_UNAVAILABLE');
      expect(error.problem).toContain('not available in playbooks');
    },
  );

  it('lists all unknown filters and tests on request', () => {
    const { unknownNames } = compile('{{ 1 | frob }}{{ 1 is grob }}{% if false %}{{ 1 | blub }}{% endif %}', {
      collectUnknownNames: true,
    });
    expect(unknownNames.map((error) => error.problem)).toEqual([
      "there is no filter 'frob'.",
      "there is no test 'grob'.",
      "there is no filter 'blub'.",
    ]);
  });

  it('keeps an unknown filter in a branch until it is reached, and lists it', () => {
    const template = compile('{{ (1 | nosuch) if x else 2 }}');
    expect(template.evaluate({ x: false })).toBe(2);
    expect(() => template.evaluate({ x: true })).toThrow(/no filter 'nosuch'/);
    expect(template.unknownNames.map((error) => error.problem)).toEqual(["there is no filter 'nosuch'."]);
  });
});

it('every code has a page, every page a code', () => {
  const pages = readdirSync(new URL('../../../docs/errors', import.meta.url))
    .filter((file) => file.startsWith('NOETL_TEMPLATE_'))
    .map((file) => file.replace('.md', ''));
  expect(pages.sort()).toEqual([...TEMPLATE_ERROR_CODES].sort());
});
