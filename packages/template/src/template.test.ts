import { describe, expect, it } from 'vitest';
import { compile, createEngine, Scope, TemplateError } from './index.ts';

const evaluate = (source: string, scope: Record<string, unknown> = {}) => compile(source).evaluate(scope);

describe('value or text (TPL-1)', () => {
  it.each([
    ['{{ 3 }}', 3],
    ['{{ [1, "a"] }}', [1, 'a']],
    ['{{ (1, 2) }}', [1, 2]],
    ['{{ {"a": {"b": none}} }}', { a: { b: null } }],
    ['{{ range(3) }}', [0, 1, 2]],
    ['{{ 6 / 2 }}', 3],
    ['\n{{ 3 }}\n', 3],
    ['{{ 3 }}  \n', 3],
    ['{# note #}{{ 3 }}', 3],
    [' {{ 3 }}', ' 3'],
    ['{{ 3 }}{{ 4 }}', '34'],
    ['a{{ 3 }}', 'a3'],
    ['{% if true %}{{ 3 }}{% endif %}', '3'],
    ["{{ '1' }}", '1'],
    ['', ''],
  ])('%j evaluates to %j', (source, expected) => {
    expect(evaluate(source)).toStrictEqual(expected);
  });

  it('returns data of the scope by reference', () => {
    const rows = [{ id: 1 }];
    expect(evaluate('{{ data.rows }}', { data: { rows } })).toBe(rows);
    expect((evaluate('{{ [data.rows] }}', { data: { rows } }) as unknown[])[0]).toBe(rows);
  });

  it('always renders text on request', () => {
    expect(compile('\n{{ [1, true, none, 2.0, "x"] }}').render({})).toBe("\n[1, True, None, 2.0, 'x']");
  });

  it('keeps integers of any size exact and gives an undefined value as undefined', () => {
    expect(evaluate('{{ 2 ** 64 + 1 }}')).toBe(18446744073709551617n);
    expect(evaluate('{{ missing }}')).toBeUndefined();
  });

  it('gives JSON on request (TPL-8)', () => {
    const json = (source: string) => compile(source, { values: 'json' }).evaluate({});
    expect(json('{{ [2 ** 64, 2.0, 1.5] }}')).toEqual(['18446744073709551616', 2, 1.5]);
    expect(() => json("{{ {'a': 'nan' | float} }}")).toThrow(/nan has no form in JSON/);
    expect(() => json("{{ 'inf' | float }}")).toThrow(/inf has no form in JSON/);
  });

  it('keeps the order of integer-like keys wherever text is made', () => {
    expect(evaluate('a{{ {"2": 1, "1": 2} }}')).toBe("a{'2': 1, '1': 2}");
    expect(evaluate('{{ {"2": 1, "1": 2} | list }}')).toEqual(['2', '1']);
  });
});

describe('x.items (TPL-3)', () => {
  const scope = { d: { items: [5], a: 1 }, e: { a: 1 } };
  it('takes the key where a value is wanted, the method where it is called', () => {
    expect(evaluate('{{ d.items }}', scope)).toEqual([5]);
    expect(evaluate('{{ d.items() | length }}', scope)).toBe(2);
    expect(evaluate('{{ d["items"] }}', scope)).toEqual([5]);
  });
  it('is undefined without a call or a key, and never quietly empty', () => {
    expect(evaluate('{{ e.items is defined }}', scope)).toBe(false);
    expect(evaluate('{{ e.items | default("none") }}', scope)).toBe('none');
    expect(() => evaluate('{{ e.items | length }}', scope)).toThrow(/To call the method write 'e\.items\(\)'/);
  });
});

describe('scope', () => {
  it('looks up lazily, only what is read', () => {
    const read: string[] = [];
    const scope = new Scope(
      (name) => {
        read.push(name);
        return name === 'a' ? 1 : undefined;
      },
      () => ['a', 'b'],
    );
    expect(compile('{{ a }}').evaluate(scope)).toBe(1);
    expect(read).toEqual(['a']);
  });

  it('does not see inherited properties, functions or symbols', () => {
    const scope = Object.assign(Object.create({ inherited: 1 }), {
      f: () => 1,
      s: Symbol('s'),
      o: { toString: 'own' },
    });
    expect(evaluate('{{ inherited is defined }}', scope)).toBe(false);
    expect(evaluate('{{ f is defined }}', scope)).toBe(false);
    expect(evaluate('{{ s is defined }}', scope)).toBe(false);
    expect(evaluate('{{ o.toString }}', scope)).toBe('own');
    expect(evaluate('{{ o.constructor is defined }}', scope)).toBe(false);
  });

  it('treats null as a value', () => {
    expect(evaluate('{{ x is none }}', { x: null })).toBe(true);
  });
});

describe('extensions', () => {
  const options = {
    filters: { twice: ([value]: readonly unknown[]) => Number(value) * 2 },
    tests: {
      short: ([value]: readonly unknown[], { than }: Readonly<Record<string, unknown>>) =>
        String(value).length < Number(than),
    },
    globals: { greet: ([name]: readonly unknown[]) => ({ text: `hi ${name}` }), version: '1.0' },
  };
  it('registers filters, tests and globals', () => {
    const run = (source: string) => compile(source, options).evaluate({});
    expect(run('{{ 4 | twice }}')).toBe(8);
    expect(run("{{ [1, 2] | map('twice') | list }}")).toEqual([2, 4]);
    expect(run("{{ 'ab' is short(than=3) }}")).toBe(true);
    expect(run("{{ greet('Ada').text ~ version }}")).toBe('hi Ada1.0');
  });

  it('never lets a function of the caller become a value', () => {
    const leaking = { filters: { leak: () => () => 1 }, globals: { make: () => Symbol('s') } };
    expect(compile('{{ 1 | leak }}', leaking).evaluate({})).toBeNull();
    expect(compile('{{ make() }}', leaking).evaluate({})).toBeNull();
    expect(compile('{{ now() }}').evaluate({}, { now: () => () => 1 })).toBeNull();
  });

  it('gives a failure of such a function a place', () => {
    const failing = {
      filters: {
        boom: () => {
          throw new Error('no luck');
        },
      },
    };
    expect(() => compile('{{ 1 | boom }}', failing).evaluate({})).toThrow(TemplateError);
    expect(() => compile('{{ 1 | boom }}', failing).evaluate({})).toThrow(/1:8 no luck/);
  });

  it('quotes identifiers by the hook', () => {
    expect(evaluate(`{{ 'a"b' | ident }}`)).toBe('"a""b"');
    const mysql = { quoteIdentifier: (name: string) => `\`${name}\`` };
    expect(compile("{{ 'a' | ident }}", mysql).evaluate({})).toBe('`a`');
  });
});

describe('what the engine never takes by itself', () => {
  it('needs a time for now() and a seed for random', () => {
    expect(() => evaluate('{{ now() }}')).toThrow(/none was passed/);
    expect(() => evaluate('{{ [1, 2] | random }}')).toThrow(/needs a seed/);
    expect(compile('{{ now() }}').evaluate({}, { now: () => '2026-01-01T00:00:00.000Z' })).toBe(
      '2026-01-01T00:00:00.000Z',
    );
  });

  it('draws the same numbers from the same seed', () => {
    const template = compile('{% for i in range(20) %}{{ [1, 2, 3, 4] | random }}{% endfor %}');
    expect(template.render({}, { seed: 7 })).toBe(template.render({}, { seed: 7 }));
    expect(template.render({}, { seed: 7 })).not.toBe(template.render({}, { seed: 8 }));
  });
});

describe('the cache', () => {
  it('knows options by what they say', () => {
    expect(compile('{{ 1 }}', { undefined: 'checked' })).toBe(compile('{{ 1 }}', { undefined: 'checked' }));
    expect(compile('{{ 1 }}', { undefined: 'checked' })).not.toBe(compile('{{ 1 }}', { undefined: 'strict' }));
  });

  it('gives the same template for the same source, and forgets the oldest', () => {
    const engine = createEngine();
    const first = engine.compile('{{ 0 }}');
    expect(engine.compile('{{ 0 }}')).toBe(first);
    for (let i = 1; i <= 1_000; i++) engine.compile(`{{ ${i} }}`);
    expect(engine.compile('{{ 0 }}')).not.toBe(first);
  });
});

describe('what a template made, it may change; what it was given, not', () => {
  it('appends to its own list', () => {
    expect(evaluate('{% set l = [] %}{% for i in range(3) %}{% set _ = l.append(i) %}{% endfor %}{{ l }}')).toBe(
      '[0, 1, 2]',
    );
  });
  it.each(['nums.append(1)', 'nums.sort()', 'd.update(a=1)', 'd.pop("k")', 'd.setdefault("z", 1)'])(
    'refuses %s',
    (call) => {
      const scope = { nums: [2, 1], d: { k: 1 } };
      expect(() => evaluate(`{{ ${call} }}`, scope)).toThrow(/read-only/);
      expect(scope).toEqual({ nums: [2, 1], d: { k: 1 } });
    },
  );
});
