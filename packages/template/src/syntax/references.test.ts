import { expect, it } from 'vitest';
import { compile, Scope } from '../index.ts';

const reads = (source: string) =>
  compile(source)
    .references()
    .map(({ name, path }) => [name, ...path].join('/'));

it.each([
  ['{{ workload.items[0].id }}', ['workload/items/0/id']],
  ["{{ ctx['a'].b ~ args.c }}", ['ctx/a/b', 'args/c']],
  ['{{ ctx[key].b }}', ['ctx', 'key']],
  ['{{ d.items() | list }}', ['d']],
  ['{{ f(x.y, z=w.v) }}', ['f', 'x/y', 'w/v']],
  ['{{ a if b.c else d }}', ['a', 'b/c', 'd']],
  ['{{ a[1:n] }}', ['a', 'n']],
  ['{{ x | default(y.z) is eq(w) }}', ['x', 'y/z', 'w']],
  [
    '{% for row in ctx.rows if row.ok and flag %}{{ row.id }}{{ loop.index }}{{ other }}{% else %}{{ row }}{% endfor %}',
    ['ctx/rows', 'flag', 'other', 'row'],
  ],
  ['{{ x }}{% set x = y %}{{ x }}', ['x', 'y']],
  ['{% if a %}{% set b = 1 %}{% endif %}{{ b }}', ['a', 'b']],
  ['{% if a %}{% set b = 1 %}{% else %}{% set b = 2 %}{% endif %}{{ b }}', ['a']],
  ['{% macro m(p, q=r.s) %}{{ p }}{{ q }}{{ t }}{% endmacro %}{{ m(u) }}', ['r/s', 't', 'u']],
  ['{% with a = b, c = d %}{{ a }}{{ c }}{% endwith %}{{ a }}', ['b', 'd', 'a']],
  ['{% call(v) m(w) %}{{ v }}{{ x }}{% endcall %}', ['m', 'w', 'x']],
  ['{% call(v=secret.token) m() %}{{ v }}{% endcall %}', ['secret/token', 'm']],
  ['{% macro m(a=b, b=c) %}{{ a }}{% endmacro %}{{ m() }}', ['c']],
  ['{% set ns = namespace(i=0) %}{% set ns.i = ns.i + k %}', ['namespace', 'k']],
  ['{% filter replace(a, b) %}{{ c }}{% endfilter %}', ['a', 'b', 'c']],
  ['{{ -outcome.http.status }}', ['outcome/http/status']],
  ['plain', []],
])('%s reads %j', (source, expected) => {
  expect(reads(source)).toEqual(expected);
});

it('knows where each reference stands', () => {
  const source = 'a {{ ctx.total + x }}';
  expect(
    compile(source)
      .references()
      .map(({ at, end }) => source.slice(at, end)),
  ).toEqual(['ctx.total', 'x']);
});

it('knows which references the template provides for', () => {
  const source =
    '{{ a.b | default(c) }}{{ d is defined }}{{ e | upper | default(1) }}{{ f or 1 }}{{ g if g is defined else 2 }}';
  const optional = compile(source)
    .references()
    .filter((reference) => reference.optional)
    .map(({ name }) => name);
  expect(optional).toEqual(['a', 'd', 'f', 'g', 'g']);
});

it('lists every name that an evaluation looks up', () => {
  const sources = [
    '{% macro m(a=b, b=1) %}{{ a }}{{ c }}{% endmacro %}{{ m() }}',
    '{% macro m() %}{{ caller() }}{% endmacro %}{% call(x=d.e) m() %}{{ x }}{{ f }}{% endcall %}',
    '{% for i in g if h %}{{ i }}{{ loop.index }}{{ k }}{% else %}{{ l }}{% endfor %}',
    '{% with a = b %}{{ a }}{{ b }}{% endwith %}{{ a }}',
    '{% set x %}{{ y }}{% endset %}{{ x }}{% filter replace(n, o) %}{{ p }}{% endfilter %}',
    '{{ [q, {r: s}, (t, u)[0]] ~ (v if w else z) }}',
  ];
  for (const source of sources) {
    const read = new Set<string>();
    const scope = new Scope(
      (name) => {
        read.add(name);
        return undefined;
      },
      () => [],
    );
    const template = compile(source, { undefined: 'chainable' });
    template.render(scope);
    const listed = template.references().map(({ name }) => name);
    expect([...read].filter((name) => !listed.includes(name))).toEqual([]);
  }
});
