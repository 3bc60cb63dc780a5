import type { Grammar } from './grammar.ts';
import { optional, type Piece } from './piece.ts';

/** Corners of the language that random composition seldom meets: scopes, macros' signatures, loops' leftovers. */
export function oddity(g: Grammar): Piece {
  const any = () => g.of('any', 1);
  const ints = () => g.of('ints', 1);
  return g.random.pick([
    () => optional`{% for x in ${ints()} %}{{ x }}{% endfor %}{{ x }}{{ loop }}`,
    () =>
      optional`{% for x in ${ints()} %}{% for y in ${ints()} if y > x %}{{ y }}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}`,
    () => optional`{% macro om(a, b=a) %}{{ a }}/{{ b }}{% endmacro %}{{ om(${any()}) }}`,
    () => optional`{% macro om(a, b=a ~ '!', c=b) %}{{ a }}/{{ b }}/{{ c }}{% endmacro %}{{ om(${any()}) }}{{ om() }}`,
    () =>
      optional`{% macro om(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ om(*${ints()}, **${g.of('dict', 1)}) }}`,
    () => optional`{% macro om(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ om(**{'b': ${any()}}) }}{{ om(b=1, *[2]) }}`,
    () =>
      optional`{% macro om(caller=none) %}{{ caller is none }}{% endmacro %}{{ om() }}{% call om() %}x{% endcall %}`,
    () =>
      optional`{% macro om() %}{{ caller is defined }}{% if caller %}{{ caller() }}{% endif %}{% endmacro %}{{ om() }}{% call om() %}x{{ ${any()} }}{% endcall %}`,
    () => optional`{% macro om() %}x{% endmacro %}{% call om() %}y{% endcall %}`,
    () => optional`{% macro om(x) %}{% set n = x %}{{ n }}{% endmacro %}{{ om(${any()}) }}{{ n }}`,
    () =>
      optional`{% macro outer() %}{% macro inner(x) %}[{{ x }}]{% endmacro %}{{ inner(${any()}) }}{% endmacro %}{{ outer() }}{{ inner }}`,
    () =>
      optional`{% macro om(n) %}{{ n }}{% if n > 0 %}{{ om(n - 1) }}{% endif %}{% endmacro %}{{ om(3) }}{{ om.name }}{{ om.arguments }}{{ om.catch_kwargs }}{{ om.caller }}`,
    () => optional`{% set v = ${any()} %}{% for x in [1, 2] %}{{ v }}{% set v = x %}{{ v }}{% endfor %}{{ v }}`,
    () =>
      optional`{% for x in [1] %}{% set q = x %}{% endfor %}{{ q is defined }}{% if true %}{% set q = 2 %}{% endif %}{{ q }}`,
    () => optional`{% set n = n %}{{ n }}{% with n = ${any()} %}{{ n }}{% set n = 3 %}{{ n }}{% endwith %}{{ n }}`,
    () => optional`{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}`,
    () => optional`{% set d.a = 1 %}{{ d }}`,
    () => optional`{% set ns = namespace({'a': ${any()}}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns.c }}{{ ns['a'] }}`,
    () => optional`{% set ns = namespace() %}{% set ns.a, ns.b = 1, 2 %}{{ ns.a }}`,
    () => optional`{% set x %}${optional`<a>`}{% endset %}{{ x is string }}{{ x is escaped }}{{ x | length }}`,
    () => optional`{% for a, b in [[1, 2], (3, 4), 'xy'] %}{{ a }}{{ b }}{% endfor %}`,
    () => optional`{% for a, (b, c) in [(1, (2, ${any()}))] %}{{ a }}{{ b }}{{ c }}{% endfor %}`,
    () => optional`{% for a, b in ${any()} %}{{ a }}{{ b }}{% endfor %}`,
    () => optional`{% for x in ${ints()} %}{{ loop.cycle(${any()}, ${any()}) }}{{ loop.changed(x, 1) }}{% endfor %}`,
    () =>
      optional`{% for x in ${any()} recursive %}{{ x }}{{ loop.depth0 }}{% if loop.depth < 3 and x is iterable and x is not string %}{{ loop(x) }}{% endif %}{% endfor %}`,
    () => optional`{% for x in xs if loop.index > 1 %}{{ x }}{% endfor %}`,
    () => optional`{{ caller() }}`,
    () => optional`{{ dict(**${g.of('dict', 1)}) }}{{ dict(*[[('a', ${any()})]]) }}`,
    () => optional`{{ ${any()} is not none and ${any()} is defined }}`,
    () => optional`{{ ${g.of('int', 1)} is divisibleby ${g.random.int(0, 4)} }}{{ 3 is not odd == true }}`,
    () => optional`{{ not ${any()} is defined }}{{ not ${any()} in ${ints()} }}`,
    () =>
      optional`{{ -${g.random.int(0, 9)} ** ${g.random.int(0, 3)} }}{{ -${g.random.int(0, 9)} | abs }}{{ 2 ** 3 ** ${g.random.int(0, 2)} }}`,
    () => optional`{{ [1, 2, 3][${g.random.int(-4, 4)}:][0] }}{{ 'abc'[1:][::-1] }}{{ (1, 2)[0] }}`,
    () => optional`{{ {'a': {'b': [${any()}]}}.a.b[0] }}{{ {1: 2, 1.0: 3, true: 4} }}{{ {none: 1, (1, 2): 3} }}`,
    () =>
      optional`{% filter join('-') %}abc{% endfilter %}{% filter replace(${g.of('str', 1)}, 'z') %}a-b{% endfilter %}`,
    () => optional`{% if ${any()} %}{% else %}{% endif %}{% for x in [] %}{% else %}{{ loop is defined }}{% endfor %}`,
    () => optional`{{ ${any()} if ${any()} else ${any()} if ${any()} else ${any()} }}`,
    () => optional`{{ 1 in [1] in [[1], true] }}{{ 1 < 2 in [2] }}{{ 1 == 1 != 2 not in [3] }}`,
    () => optional`{{ ${any()}, ${any()} }}{{ (${any()},) }}{% set p = ${any()}, %}{{ p }}`,
  ])();
}
