import { describe, expect, test } from 'vitest';
import { createEngine, TemplateError, type TemplateErrorCode } from './index.ts';

/** Far above what any of these may take; a hang, not a slow machine, goes beyond it. */
const HANG_MS = 10_000;
/** Far above the 64 MB a template may use, for the collector's slack. */
const HEAP_BYTES = 400e6;

interface Ending {
  readonly code: TemplateErrorCode | undefined;
  readonly error: unknown;
}

function endingOf(source: string, scope: Record<string, unknown> = {}): Ending {
  const heapBefore = process.memoryUsage().heapUsed;
  const started = performance.now();
  let error: unknown;
  try {
    createEngine().compile(source).render(scope, { seed: 1 });
  } catch (caught) {
    error = caught;
  }
  expect(performance.now() - started).toBeLessThan(HANG_MS);
  expect(process.memoryUsage().heapUsed - heapBefore).toBeLessThan(HEAP_BYTES);
  if (error !== undefined) expect(error).toBeInstanceOf(TemplateError);
  return { code: error instanceof TemplateError ? error.code : undefined, error };
}

const repeat = (times: number, statement: string) => `{% for i in range(${times}) %}${statement}{% endfor %}`;
const grow = (start: string, next: string, times = 80) =>
  `{% set ns = namespace(v=${start}) %}${repeat(times, `{% set ns.v = ${next} %}`)}{{ ns.v | length }}`;

describe('work without end stops at a limit', () => {
  test.each([
    ['a loop over 10^9', '{% for i in range(1000000000) %}{% endfor %}'],
    ['a loop over a billion by steps', '{% for i in range(0, 10**12, 1000) %}{% endfor %}'],
    ['a range made to a list', '{{ range(10**9) | list }}'],
    ['the sum of a huge range', '{{ range(10**9) | sum }}'],
    ['3000 loops in 3000 in 3000', repeat(3000, repeat(3000, repeat(3000, '')))],
    ['loops with output', repeat(3000, repeat(3000, '{{ i }}'))],
    ['a loop with a condition never met', '{% for i in range(900000) if false %}{% endfor %}'.repeat(9)],
    ['macro recursion', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
    [
      'two macros that call each other',
      '{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}',
    ],
    ['macro recursion that doubles', '{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}'],
    [
      'shallow recursion, much of it',
      '{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}',
    ],
    ['recursion through caller', '{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}'],
    ['a recursive loop over itself', '{% set l = [1] %}{% for x in l recursive %}{{ loop(l) }}{% endfor %}'],
    [
      'a recursive loop over itself twice',
      '{% set l = [1, 2] %}{% for x in l recursive %}{{ loop(l) }}{{ loop(l) }}{% endfor %}',
    ],
    ['a list that contains itself, as JSON', '{% set l = [] %}{{ l.append(l) }}{{ l | tojson }}'],
    ['a dict that contains itself, as JSON', "{% set d = {} %}{{ d.update({'d': d}) }}{{ d | tojson }}"],
    ['a list that contains itself, printed nicely', '{% set l = [] %}{{ l.append(l) }}{{ l | pprint }}'],
    [
      'two lists that contain themselves, compared',
      '{% set a = [] %}{% set b = [] %}{{ a.append(a) }}{{ b.append(b) }}{{ a == b }}',
    ],
    [
      'two lists that contain themselves, ordered',
      '{% set a = [] %}{% set b = [] %}{{ a.append(a) }}{{ b.append(b) }}{{ a < b }}',
    ],
    ['a list that grows while it is walked', '{% set l = [1] %}{% for x in l %}{{ l.append(x) }}{% endfor %}'],
    ['the search of a needle in a large text', repeat(100000, "{{ ('x' * 100000).find('y') }}")],
  ])('%s', (_name, source) => {
    expect(endingOf(source).code).toBe('NOETL_TEMPLATE_LIMIT');
  });
});

test('a list that contains itself is printed once', () => {
  expect(createEngine().compile('{% set l = [] %}{% set _ = l.append(l) %}{{ l }}').render({})).toBe('[[...]]');
});

describe('one huge value stops at a limit', () => {
  test.each([
    "{{ 'x' * 10**9 }}",
    "{{ 10**9 * 'x' }}",
    "{{ 'ab' * 2**62 }}",
    '{{ [0] * 10**9 }}',
    '{{ (0, 1) * 10**9 }}',
    '{{ 10 ** (10 ** 9) }}',
    '{{ (2 ** 1000) ** (2 ** 1000) }}',
    '{{ 10 ** (9 ** (9 ** 9)) }}',
    "{{ '%1000000000d' % 1 }}",
    "{{ '%.1000000000f' % 1.5 }}",
    "{{ '%0999999999d' | format(7) }}",
    "{{ '%*d' % (1000000000, 1) }}",
    "{{ '{:>1000000000}'.format('x') }}",
    "{{ '{:01000000000d}'.format(1) }}",
    "{{ '{:.1000000000f}'.format(0.1) }}",
    "{{ '{:{}}'.format('x', 10**9) }}",
    "{{ 'x' | center(10**9) }}",
    "{{ 'x'.center(10**9) }}",
    "{{ 'x'.ljust(10**9) }}",
    "{{ 'x'.rjust(10**9, '-') }}",
    "{{ '7'.zfill(10**9) }}",
    "{{ 'a\\tb'.expandtabs(10**9) }}",
    "{{ 'a\\nb' | indent(10**9) }}",
    '{{ [1] | tojson(indent=10**9) }}',
    '{{ [1] | batch(10**9, 0) | list }}',
    '{{ [1] | slice(10**9) | list }}',
    "{{ ('x' * 100000) | replace('x', 'y' * 100000) }}",
    "{{ ('x' * 100000).replace('', 'y' * 100) }}",
    "{{ ('y' * 1000).join(('x' * 100000) | list) }}",
    "{{ ('x' * 100000) | list | join('y' * 1000) }}",
    "{{ ('x' * 1000000) ~ ('x' * 1000000) }}",
    "{{ ('<' * 900000) | e }}",
    "{{ ('é' * 900000) | urlencode }}",
    "{{ [('x' * 900000)] * 9 }}",
    "{{ (['x' * 100000] * 1000) | map('upper') | join }}",
    '{{ (range(100000) | list) * 1000 }}',
    "{{ dict(a='x' * 900000, b='y' * 900000) | urlencode }}",
    "{{ ('a ' * 100000) | wordwrap(1, true, 'x' * 1000) }}",
    "{{ ('a\\n' * 100000) | indent('x' * 1000) }}",
    "{{ '{0}{0}{0}{0}'.format('x' * 900000) }}",
    "{{ '%s%s%s' % ('x' * 900000, 'x' * 900000, 'x' * 900000) }}",
    "{{ 1e308 | round(-400) ~ '%.400000000f' % 1 }}",
    '{{ cycler(*range(10**8)) }}',
    "{{ dict(range(10**9) | map('list')) }}",
    '{{ range(10**9) | join }}',
    '{{ range(10**9) | sort }}',
    '{{ range(10**9) | unique | list }}',
    "{{ range(10**9) | map('string') | list }}",
    "{{ range(10**9) | select('odd') | list }}",
    '{{ range(10**9) | batch(2) | list }}',
    '{{ range(10**9) | reverse | list }}',
    '{{ range(10**9)[::1] | list }}',
  ])('%s', (source) => {
    expect(endingOf(source).code).toBe('NOETL_TEMPLATE_LIMIT');
  });
});

describe('doubling stops at a limit', () => {
  test.each([
    ['~', grow("'x'", 'ns.v ~ ns.v')],
    ['+ on text', grow("'x'", 'ns.v + ns.v')],
    ['*', grow("'x'", 'ns.v * 2')],
    ['+ on lists', grow('[1]', 'ns.v + ns.v')],
    ['* on lists', grow('[1]', 'ns.v * 2')],
    ['join', grow("'xy'", '[ns.v, ns.v] | join')],
    ['join by itself', grow("'xy'", "ns.v.join(['a', 'b', 'c'])")],
    ['replace', grow("'xx'", "ns.v | replace('x', 'xx')")],
    ['the method replace', grow("'xx'", "ns.v.replace('x', 'xx')")],
    ['format', grow("'xx'", "'%s%s' | format(ns.v, ns.v)")],
    ['the method format', grow("'xx'", "'{0}{0}'.format(ns.v)")],
    ['percent', grow("'xx'", "'%s%s' % (ns.v, ns.v)")],
    ['center', grow("'xx'", 'ns.v | center((ns.v | length) * 2)')],
    ['indent', grow("'x\\nx\\n'", 'ns.v | indent(ns.v | length)')],
    ['tojson', grow('[[1, 1]]', '[ns.v, ns.v] | tojson', 80)],
    ['tojson of text', grow("'\\\\\\\\'", 'ns.v | tojson')],
    ['escape', grow("'<&'", '(ns.v ~ ns.v) | forceescape')],
    ['urlencode', grow("'%%'", '(ns.v ~ ns.v) | urlencode')],
    ['string of nested lists', grow('[[]]', '[ns.v | string, ns.v | string]')],
    ['pprint', grow("'\\\\'", '[ns.v, ns.v] | pprint')],
    ['extend', `{% set l = [1] %}${repeat(80, '{{ l.extend(l) }}')}`],
    ['extend of a copy', `{% set l = [1] %}${repeat(80, '{{ l.extend(l.copy()) }}')}`],
    [
      'list of lists shared, printed',
      `{% set ns = namespace(v=[]) %}${repeat(60, '{% set ns.v = [ns.v, ns.v] %}')}{{ ns.v }}`,
    ],
    [
      'list of lists shared, as JSON',
      `{% set ns = namespace(v=[]) %}${repeat(60, '{% set ns.v = [ns.v, ns.v] %}')}{{ ns.v | tojson }}`,
    ],
    [
      'list of lists shared, compared',
      `{% set ns = namespace(v=[], w=[]) %}${repeat(60, '{% set ns.v = [ns.v, ns.v] %}{% set ns.w = [ns.w, ns.w] %}')}{{ ns.v == ns.w }}`,
    ],
    ['set blocks', `{% set v = 'xx' %}${'{% set v %}{{ v }}{{ v }}{% endset %}'.repeat(40)}`],
    ['squares of integers', `{% set ns = namespace(n=3) %}${repeat(60, '{% set ns.n = ns.n * ns.n %}')}{{ ns.n }}`],
    ['powers of integers', `{% set ns = namespace(n=3) %}${repeat(60, '{% set ns.n = ns.n ** 9 %}')}`],
    [
      'sums of text in a loop',
      `{% set ns = namespace(s='') %}${repeat(900000, "{% set ns.s = ns.s ~ 'xxxxxxxxxx' %}")}`,
    ],
    ['list append in a loop', `{% set l = [] %}${repeat(900000, "{% set _ = l.append('x' * 100) %}")}`.repeat(3)],
    ['macro arguments', "{% macro m(s, n) %}{{ m(s ~ s, n + 1) if n < 60 else s }}{% endmacro %}{{ m('xx', 0) }}"],
    ['filter block', `${'{% filter replace("x", "xx") %}'.repeat(60)}x${'{% endfilter %}'.repeat(60)}`],
  ])('by %s', (_name, source) => {
    expect(endingOf(source).code).toBe('NOETL_TEMPLATE_LIMIT');
  });
});

const DEEP = 20_000;
const nest = (open: string, middle: string, close: string, depth = DEEP) =>
  open.repeat(depth) + middle + close.repeat(depth);
/** What still fits into the largest source. */
const FITTING = 3000;

describe('deep nesting and long chains are refused or done, never a crash', () => {
  test.each([
    ['parentheses', `{{ ${nest('(', '1', ')')} }}`],
    ['lists', `{{ ${nest('[', '', ']')} }}`],
    ['dicts', `{{ ${nest("{'a':", '1', '}', 9000)} }}`],
    ['calls', `{{ ${nest('f(', '1', ')')} }}`],
    ['subscripts in subscripts', `{{ ${nest('a[', '1', ']')} }}`],
    ['filter arguments', `{{ ${nest('1|default(', '1', ')', 4000)} }}`],
    ['unary minus', `{{ ${'-'.repeat(DEEP)}1 }}`],
    ['not', `{{ ${'not '.repeat(10_000)}true }}`],
    ['inline if', `{{ ${'1 if x else '.repeat(4000)}2 }}`],
    ['inline if in parentheses', `{{ ${nest('(1 if ', 'x', ')', 6000)} }}`],
    ['if blocks', nest('{% if 1 %}', 'x', '{% endif %}', FITTING)],
    ['for blocks', nest('{% for a in b %}', 'x', '{% endfor %}', 2000)],
    ['macro blocks', nest('{% macro m() %}', 'x', '{% endmacro %}', 2000)],
    ['with blocks', nest('{% with %}', 'x', '{% endwith %}', FITTING)],
    ['filter blocks', nest('{% filter upper %}', 'x', '{% endfilter %}', 1900)],
    ['set blocks', nest('{% set a %}', 'x', '{% endset %}', 2500)],
    ['targets', `{% for ${nest('(', 'a', ',)')} in b %}{% endfor %}`],
  ])('%s', (_name, source) => {
    expect(['NOETL_TEMPLATE_LIMIT', 'NOETL_TEMPLATE_SYNTAX']).toContain(endingOf(source).code);
  });

  test.each([
    ['elif', `{% if 0 %}${'{% elif 0 %}x'.repeat(4000)}{% endif %}`],
    ['sums', `{{ ${'1+'.repeat(DEEP)}1 }}`],
    ['powers', `{{ ${'1**'.repeat(DEEP)}1 }}`],
    ['text joins', `{{ ${"'a'~".repeat(10_000)}'a' }}`],
    ['comparisons', `{{ ${'1<'.repeat(DEEP)}1 }}`],
    ['and', `{{ ${'1 and '.repeat(9000)}1 }}`],
    ['or', `{{ ${'0 or '.repeat(9000)}1 }}`],
    ['filters', `{{ 1${'|abs'.repeat(10_000)} }}`],
    ['attributes', `{{ a${'.b'.repeat(DEEP)} }}`],
    ['subscripts', `{{ a${'[0]'.repeat(DEEP)} }}`],
    ['calls of results', `{{ a${'()'.repeat(DEEP)} }}`],
    ['tests', `{{ 1${' is odd'.repeat(8000)} }}`],
    ['outputs', '{{1}}'.repeat(12_000)],
    ['items of a list', `{{ [${'1,'.repeat(DEEP)}] }}`],
    ['arguments', `{{ dict(${Array.from({ length: 7000 }, (_, i) => `a${i}=1`).join(',')}) }}`],
    ['adjacent strings', `{{ ${"'a'".repeat(15_000)} }}`],
    ['open braces', '{{'.repeat(DEEP)],
    ['open blocks', '{%'.repeat(DEEP)],
    ['open comments', '{#'.repeat(DEEP)],
    ['open raw', '{% raw %}'.repeat(5000)],
    ['a long number', `{{ ${'9'.repeat(60_000)} }}`],
    ['a long exponent', `{{ 1e${'9'.repeat(60_000)} }}`],
    ['a long string', `{{ '${'\\\\'.repeat(30_000)}' }}`],
    ['an unclosed string', `{{ '${'x'.repeat(60_000)} }}`],
    ['many minus signs of whitespace control', '{{-1-}} '.repeat(7000)],
    ['much white space', `a${' \n'.repeat(30_000)}{%- if 1 -%}${' \n'.repeat(1000)}{%- endif %}`],
    ['more source than allowed', 'x'.repeat(10_000_000)],
  ])('a long chain of %s ends soon', (_name, source) => {
    const { error } = endingOf(source);
    if (error !== undefined) expect(error).toBeInstanceOf(TemplateError);
  });
});

describe('text made to be slow for patterns ends soon', () => {
  const large = 200_000;
  test.each([
    ['urlize', 'www.'.repeat(large / 4)],
    ['urlize', `http://${'a'.repeat(large)}`],
    ['urlize', '('.repeat(large)],
    ['urlize', `${'('.repeat(large / 2)}www.a.com${')'.repeat(large / 2)}`],
    ['urlize', `a@${'a.'.repeat(large / 2)}`],
    ['urlize', '&lt;'.repeat(large / 4)],
    ['urlize', `mailto:${'x@'.repeat(large / 2)}`],
    ['urlize', '.,:;'.repeat(large / 4)],
    ['striptags', '<'.repeat(large)],
    ['striptags', '<!--'.repeat(large / 4)],
    ['striptags', '<!--<'.repeat(large / 5)],
    ['striptags', `<${'a '.repeat(large / 2)}`],
    ['striptags', '&'.repeat(large)],
    ['striptags', '&#'.repeat(large / 2)],
    ['striptags', ' '.repeat(large)],
    ['wordwrap(3)', 'a'.repeat(large)],
    ['wordwrap(5)', ' '.repeat(large)],
    ['wordwrap(5)', '-'.repeat(large)],
    ['wordwrap(5)', 'a-'.repeat(large / 2)],
    ['wordcount', ' '.repeat(large)],
    ['wordcount', 'a '.repeat(large / 2)],
    ['title', "a'".repeat(large / 2)],
    ['title', ' -('.repeat(large / 3)],
    ['trim', `a${' '.repeat(large)}b`],
    ['truncate(5)', ' '.repeat(large)],
    ['indent', '\n'.repeat(large)],
    ['int', `${'1_'.repeat(large / 2)}x`],
    ['int', '9'.repeat(large)],
    ['float', '1'.repeat(large)],
    ['float', `${' '.repeat(large)}x`],
    ['fromjson', '['.repeat(large)],
    ['fromjson', '{"a":'.repeat(large / 5)],
    ['fromjson', `"${'\\'.repeat(large)}`],
    ['b64decode', `${'A'.repeat(large)}=`],
    ['pprint', '\'"'.repeat(large / 2)],
    ['format(1)', '%'.repeat(large)],
    ['format(1)', `%${'0'.repeat(large)}d`],
    ['format(1)', `%${'('.repeat(large)}`],
  ])('%s', (filter, text) => {
    const { error } = endingOf(`{{ text | ${filter} }}`, { text });
    if (error !== undefined) expect(error).toBeInstanceOf(TemplateError);
  });

  test.each([
    ["split('')", 'x'.repeat(large)],
    ["split('a')", 'a'.repeat(large)],
    ['split()', ' '.repeat(large)],
    ['rsplit()', ' '.repeat(large)],
    ['splitlines()', '\r\n'.repeat(large / 2)],
    ["rstrip(' ')", `${' '.repeat(large)}x`],
    ["strip('ab')", 'ab'.repeat(large / 2)],
    ["count('aa')", 'a'.repeat(large)],
    [`count('${'a'.repeat(1000)}b')`, 'a'.repeat(large)],
    ["replace('aa', 'a')", 'a'.repeat(large)],
    ['format(1)', '{'.repeat(large)],
    ['format(1)', '{0'.repeat(large / 2)],
    ['format(1)', `{0${'[0]'.repeat(large / 3)}}`],
    ['format(1)', `{0${'.a'.repeat(large / 2)}}`],
    ['format(1)', `{:${'{'.repeat(large)}`],
    ['title()', "a'".repeat(large / 2)],
    ['casefold()', 'İ'.repeat(large)],
    ['upper()', 'ß'.repeat(large)],
    ['expandtabs()', '\t'.repeat(large)],
    ['zfill(5)', '-'.repeat(large)],
    ['isidentifier()', '_'.repeat(large)],
    ['rpartition("b")', 'a'.repeat(large)],
  ])('the method %s', (call, text) => {
    const { error } = endingOf(`{{ text.${call} }}`, { text });
    if (error !== undefined) expect(error).toBeInstanceOf(TemplateError);
  });
});

describe('the wall clock', () => {
  test('ends a template that takes longer than it may', () => {
    let now = 0;
    const clock = () => {
      now += 100;
      return now;
    };
    const template = createEngine({ limits: { milliseconds: 250 } }).compile(repeat(900_000, '{{ 1 if i < 0 }}'));
    expect(() => template.render({}, { clock })).toThrow(expect.objectContaining({ code: 'NOETL_TEMPLATE_LIMIT' }));
  });

  test('is not looked at without a clock', () => {
    const template = createEngine({ limits: { milliseconds: 0 } }).compile('{{ [1, 2] | sum }}');
    expect(template.evaluate({})).toBe(3);
  });
});
