import { describe, expect, it } from 'vitest';
import { compile, DEFAULT_LIMITS, TemplateError } from './index.ts';

/** A tenth of what a template has: what is proved is that steps count, and they count alike. */
const FEW_STEPS = { ...DEFAULT_LIMITS, steps: DEFAULT_LIMITS.steps / 10 };

function codeOf(source: string, scope: Record<string, unknown> = {}, limits = FEW_STEPS): string | undefined {
  try {
    compile(source, { limits }).render(scope, { seed: 1 });
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.code;
    throw error;
  }
}

const HEAVY = '{% for a in range(60) %}{% for b in range(6000) %}{% endfor %}{% endfor %}';

describe('no argument switches the budget off or gives some of it back', () => {
  it.each([
    '{% set x = [] * 10**400 %}',
    '{% set x = () * 10**400 %}',
    "{% set x = '' * 10**400 %}",
    '{% set x = lipsum(n=1, min=-1000000000, max=-999999999) %}',
    "{% set x = 'a' | center(-10**400) %}",
    "{% set x = 'a'.ljust(-10**9) %}",
    "{% set x = 'a' | indent(-10**9) %}",
    '{% set x = [1] | batch(-10**9) | list %}',
    '{% set x = [1] | slice(-10**9) | list %}',
    "{% set x = 'a'.expandtabs(-10**9) %}",
    "{% set x = 'a'.zfill(-10**9) %}",
    '{% set x = [1] | tojson(indent=-10**9) %}',
    '{% set x = [1] * -10**9 %}',
  ])('%s', (prefix) => {
    expect(codeOf(`${prefix}${HEAVY}`)).toBe('NOETL_TEMPLATE_LIMIT');
  });

  it.each([
    'lipsum(n=1, min=10**400, max=10**400)',
    "'a' | center(10**400)",
    "'a'.ljust(10**400)",
    '[1] | batch(10**400, 0)',
    '[1] * 10**400',
  ])('%s is over a limit', (expression) => {
    expect(codeOf(`{{ ${expression} }}`)).toBe('NOETL_TEMPLATE_LIMIT');
  });
});

describe('going through long text counts', () => {
  const operations = [
    's[0]',
    's[-1]',
    's[1:2]',
    's[::2]',
    's | int',
    's | float',
    's | wordcount',
    's | upper',
    's | title',
    's | capitalize',
    's | pprint',
    's.casefold()',
    's.swapcase()',
    's.title()',
    's < t',
    "'z' in s",
    's is upper',
    "s.find('z')",
    's | length',
    's.isalpha()',
    "s | replace('q', 'r')",
    's | striptags',
    's | urlize',
    's | escape',
    's | urlencode',
    's | tojson',
    's | list',
    "s.split('q')",
    's.strip()',
    's | trim',
    's | reverse',
    's | sha256',
    's | b64encode',
    's | truncate(9)',
    "'%s' % s",
    "'{}'.format(s)",
  ];
  it.each(operations)('%s', (operation) => {
    const loop = `{% set t = s ~ 'b' %}{% for i in range(10000) %}{% set y = ${operation} %}{% endfor %}`;
    expect(codeOf(loop, { s: 'aé'.repeat(100_000) })).toBe('NOETL_TEMPLATE_LIMIT');
  });
});

describe('no text makes a single operation slow', () => {
  const texts = [
    '9'.repeat(500_000),
    `${'9'.repeat(400_000)}x`,
    '1_'.repeat(200_000),
    '%('.repeat(200_000),
    '<'.repeat(400_000),
    '@.'.repeat(200_000),
    ' '.repeat(400_000),
    '-'.repeat(400_000),
    'a-'.repeat(200_000),
    '{'.repeat(400_000),
    '&'.repeat(400_000),
    '😀'.repeat(200_000),
  ];
  const filters = [
    'float',
    'int',
    'filesizeformat',
    'urlize',
    'striptags',
    'wordwrap',
    'title',
    'trim',
    'wordcount',
    'fromjson',
    'b64decode',
    'indent',
    'truncate',
    'escape',
    'urlencode',
  ];
  it.each(filters)('%s', (filter) => {
    for (const s of texts) {
      const started = performance.now();
      codeOf(`{{ s | ${filter} }}`, { s }, DEFAULT_LIMITS);
      // A hang bound, not a measurement: a quadratic step would take minutes.
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });
  it.each([
    's % {}',
    "'%(a' * 200000 % {}",
    's.split()',
    's.title()',
    's.expandtabs()',
    's.splitlines()',
    's.format()',
    's.rsplit(none, 5)',
  ])('%s', (expression) => {
    for (const s of texts) {
      const started = performance.now();
      codeOf(`{{ ${expression} }}`, { s }, DEFAULT_LIMITS);
      expect(performance.now() - started).toBeLessThan(10_000);
    }
  });
});
