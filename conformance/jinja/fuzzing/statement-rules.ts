import type { Grammar, Local, Sort } from './grammar.ts';
import { oddity } from './oddity-rules.ts';
import { commaList, expr, group, optional, type Piece } from './piece.ts';

type StatementRule = (grammar: Grammar, depth: number) => Piece;

const TEXTS = [
  'x',
  ' ',
  '\n',
  '  \n',
  'text ',
  '\n  ',
  '&<>',
  '😀',
  '{ % ',
  '} }',
  "it's",
  '\t',
  'a\nb',
  '\n\n',
  '# ',
  '\r\n',
];
const VALUE_SORTS: readonly Sort[] = ['int', 'float', 'str', 'bool', 'ints', 'words', 'rows', 'dict', 'any'];
const LOOP_FIELDS = [
  ...['index', 'index0', 'revindex', 'revindex0', 'first', 'last', 'length', 'depth', 'depth0', 'previtem', 'nextitem'],
  "cycle('a', 'b', 'c')",
];

/** `{% … %}` with now and then whitespace control on either side. */
function tag(g: Grammar, inside: Piece): Piece {
  const open = g.random.chance(0.85) ? '{%' : g.random.pick(['{%-', '{%+']);
  const close = g.random.chance(0.85) ? '%}' : g.random.pick(['-%}', '+%}']);
  return group`${open} ${inside} ${close}`;
}

function output(g: Grammar, depth: number, sort: Sort = g.random.pick(VALUE_SORTS)): Piece {
  const [open, close] = [g.random.chance(0.9) ? '{{' : '{{-', g.random.chance(0.9) ? '}}' : '-}}'];
  return optional`${open} ${g.of(sort, depth)} ${close}`;
}

export function body(g: Grammar, depth: number): Piece {
  return g.within([], () => group`${g.random.many(1, 4, () => chunk(g, depth))}`);
}

function chunk(g: Grammar, depth: number): Piece {
  const dice = g.random.fraction();
  if (dice < 0.3) return optional`${g.random.pick(TEXTS)}`;
  if (dice < 0.6 || depth <= 0) return output(g, 2);
  return g.random.pick(STATEMENTS)(g, depth - 1);
}

function declared(g: Grammar, prefix: string, sort: Sort): Local {
  return { name: g.freshName(prefix), sort };
}

const ifStatement: StatementRule = (g, depth) => {
  const branches = g.random.many(0, 2, () => optional`${tag(g, group`elif ${g.of('any', 2)}`)}${body(g, depth)}`);
  const last = g.random.chance(0.5) ? [optional`${tag(g, group`else`)}${body(g, depth)}`] : [];
  return optional`${tag(g, group`if ${g.of('bool', 2)}`)}${body(g, depth)}${branches}${last}${tag(g, group`endif`)}`;
};

const forStatement: StatementRule = (g, depth) => {
  const [over, sort] = g.random.pick<[Sort, Sort]>([
    ['ints', 'int'],
    ['words', 'str'],
    ['rows', 'dict'],
    ['str', 'str'],
    ['dict', 'str'],
    ['any', 'any'],
  ]);
  const item = declared(g, 'it', sort);
  const iterated = g.of(over, 2);
  return g.within([item], () => {
    const filter = g.random.chance(0.25) ? [optional` if ${g.of('bool', 2)}`] : [];
    const loop = g.random.many(0, 2, () => optional`{{ loop.${g.random.pick(LOOP_FIELDS)} }}`);
    const changed = g.random.chance(0.1) ? [optional`{{ loop.changed(${item.name}) }}`] : [];
    const otherwise = g.random.chance(0.2) ? [optional`${tag(g, group`else`)}${body(g, depth)}`] : [];
    return optional`${tag(g, group`for ${item.name} in ${iterated}${filter}`)}${loop}${changed}${body(g, depth)}${otherwise}${tag(g, group`endfor`)}`;
  });
};

const forPairs: StatementRule = (g, depth) => {
  const [key, value] = [declared(g, 'key', 'str'), declared(g, 'val', 'any')];
  const pairs = g.random.pick([
    () => expr`${g.atom('dict', 1)}.items()`,
    () => expr`${g.atom('dict', 1)} | dictsort`,
    () => expr`${g.atom('dict', 1)} | items`,
    () => expr`[(1, 'a'), (2, 'b')]`,
    () => expr`${g.atom('ints', 1)} | batch(2)`,
    () => expr`${g.atom('rows', 1)} | groupby('name')`,
  ])();
  return g.within(
    [key, value],
    () =>
      optional`${tag(g, group`for ${key.name}, ${value.name} in ${pairs}`)}${body(g, depth)}${tag(g, group`endfor`)}`,
  );
};

const forRecursive: StatementRule = (g) =>
  optional`${tag(g, group`for node in tree recursive`)}{{ node.v }}{{ loop.depth }}${optional`({{ loop(node.kids) }})`}${tag(g, group`endfor`)}`;

const setStatement: StatementRule = (g) => {
  const variable = declared(g, 'v', g.random.pick(VALUE_SORTS));
  const value = g.of(variable.sort, 2);
  g.declare(variable);
  return optional`${tag(g, group`set ${variable.name} = ${value}`)}`;
};

const setPair: StatementRule = (g) => {
  const [first, second] = [declared(g, 'v', 'int'), declared(g, 'v', 'any')];
  const value = g.random.chance(0.8) ? expr`${g.of('int', 1)}, ${g.of('any', 1)}` : g.of('any', 1);
  g.declare(first);
  g.declare(second);
  return optional`${tag(g, group`set ${first.name}, ${second.name} = ${value}`)}`;
};

const setBlock: StatementRule = (g, depth) => {
  const variable = declared(g, 'v', 'str');
  const filter = g.random.chance(0.4)
    ? [optional` | ${g.random.pick(['upper', 'trim', "replace('x', 'y')", 'title', 'length'])}`]
    : [];
  const inner = body(g, depth);
  g.declare(variable);
  return optional`${tag(g, group`set ${variable.name}${filter}`)}${inner}${tag(g, group`endset`)}`;
};

const macroStatement: StatementRule = (g, depth) => {
  const name = g.freshName('mac');
  const parameters = [declared(g, 'p', 'int'), declared(g, 'p', 'any'), declared(g, 'p', 'str')].slice(
    0,
    g.random.int(0, 3),
  );
  const defaults = g.random.int(0, 3);
  const signature = parameters.map((parameter, index) =>
    index < defaults ? group`${parameter.name}` : group`${parameter.name}=${g.of(parameter.sort, 1)}`,
  );
  const extra = g.random.chance(0.3)
    ? [optional`{{ ${g.random.pick(['varargs', 'kwargs', 'caller is defined', 'varargs | length'])} }}`]
    : [];
  const inner = g.within(parameters, () => body(g, depth));
  const calls = g.random.many(1, 2, () => {
    const positional = parameters.slice(0, g.random.int(0, 3)).map((parameter) => g.of(parameter.sort, 1));
    const keyword = g.random.chance(0.2)
      ? [expr`${g.random.pick([parameters[0]?.name ?? 'zz', 'zz'])}=${g.of('any', 1)}`]
      : [];
    const surplus = g.random.chance(0.1) ? [expr`9`] : [];
    return optional`{{ ${name}(${commaList([...positional, ...surplus, ...keyword])}) }}`;
  });
  return optional`${tag(g, group`macro ${name}(${commaList(signature)})`)}${extra}${inner}${tag(g, group`endmacro`)}${calls}`;
};

const callStatement: StatementRule = (g, depth) => {
  const [name, given] = [g.freshName('mac'), declared(g, 'c', 'any')];
  const inner = g.within([given], () => body(g, depth));
  return optional`{% macro ${name}(a, b=2) %}[{{ a }}{{ caller(${g.of('any', 1)}) }}{{ b }}]{% endmacro %}${tag(g, group`call(${given.name}) ${name}(${g.of('any', 1)})`)}${inner}${tag(g, group`endcall`)}`;
};

const filterBlock: StatementRule = (g, depth) => {
  const filter = g.random.pick([
    'upper',
    'lower',
    'trim',
    'title',
    "replace('x', '-')",
    'indent',
    'indent(3, true)',
    'e',
    'trim | upper',
    'wordcount',
    'center(20)',
    'striptags',
  ]);
  return optional`${tag(g, group`filter ${filter}`)}${body(g, depth)}${tag(g, group`endfilter`)}`;
};

const withStatement: StatementRule = (g, depth) => {
  const [first, second] = [declared(g, 'w', 'any'), declared(g, 'w', 'int')];
  const bindings = commaList([expr`${first.name} = ${g.of('any', 2)}`, expr`${second.name} = ${g.of('int', 1)}`]);
  return g.within(
    [first, second],
    () => optional`${tag(g, group`with ${bindings}`)}${body(g, depth)}${tag(g, group`endwith`)}`,
  );
};

const rawBlock: StatementRule = (g) =>
  optional`${tag(g, group`raw`)}${g.random.pick([' {{ x }} ', '{% if %}', '\n{#\n', 'plain'])}${tag(g, group`endraw`)}`;

const comment: StatementRule = (g) =>
  optional`${g.random.pick(['{# a #}', '{#- b -#}', '{# {{ x }} #}', '{#\n#}\n', '  {#+ c #}'])}`;

const namespaceLoop: StatementRule = (g) => {
  const name = g.freshName('ns');
  return optional`{% set ${name} = namespace(a=${g.of('int', 1)}) %}{% for i in ${g.of('ints', 1)} %}{% set ${name}.a = ${name}.a ${g.random.pick(['+', '~', '*'])} i %}{% endfor %}{{ ${name}.a }}{{ ${name}.b }}`;
};

const helpers: StatementRule = (g) =>
  g.random.pick([
    () =>
      optional`{% set cy = cycler(${commaList(g.some('any', 1, 3, 1))}) %}{{ cy.next() }}{{ cy.current }}{{ cy.next() }}{% set _ = cy.reset() %}{{ cy.next() }}`,
    () =>
      optional`{% set jo = joiner(${g.random.pick(['', "' | '", "'-'"])}) %}{% for i in ${g.of('ints', 1)} %}{{ jo() }}{{ i }}{% endfor %}`,
    () =>
      optional`{% set li = [${commaList(g.some('any', 0, 3, 1))}] %}{{ li.${g.random.pick(['append(1)', 'extend([1, 2])', 'insert(0, 9)', 'pop()', 'pop(0)', 'reverse()', 'clear()', 'sort()', 'remove(1)', 'pop(5)', 'sort(reverse=true)'])} }}{{ li }}`,
    () =>
      optional`{% set di = {'a': ${g.of('any', 1)}, 'z': 1} %}{{ di.${g.random.pick(["update({'b': 2})", 'update(c=3)', "pop('a')", "pop('q')", "pop('q', 0)", "setdefault('a', 1)", "setdefault('n', [])", 'popitem()', 'clear()', "setdefault('n')"])} }}{{ di }}`,
    () =>
      optional`{{ ${g.random.pick(['xs.append(1)', 'd.update(a=1)', 'd.pop("a", 1)', 'ws.sort()', 'xs.clear()', 'd.clear()', 'xs.extend([])'])} }}{{ xs }}`,
  ])();

const scopes: StatementRule = (g, depth) => {
  const name = g.random.pick(['n', 's', 'fresh', 'xs']);
  const inner = g.random.pick([
    () => group`{% for i in [1, 2] %}{% set ${name} = i %}{{ ${name} }}{% endfor %}`,
    () => group`{% if ${g.of('bool', 1)} %}{% set ${name} = 1 %}{% endif %}`,
    () => group`{% with %}{% set ${name} = 2 %}{{ ${name} }}{% endwith %}`,
    () => group`{% macro sc() %}{{ ${name} }}{% endmacro %}{{ sc() }}{% set ${name} = 5 %}{{ sc() }}`,
    () => group`{% for ${name} in [7] %}{{ ${name} }}{% endfor %}`,
  ])();
  return optional`{{ ${name} }}${inner}${body(g, depth - 1)}{{ ${name} }}`;
};

const STATEMENTS: readonly StatementRule[] = [
  ...[
    ifStatement,
    ifStatement,
    forStatement,
    forStatement,
    forPairs,
    forRecursive,
    setStatement,
    setStatement,
    setPair,
  ],
  ...[setBlock, macroStatement, callStatement, filterBlock, withStatement, rawBlock, comment, namespaceLoop, helpers],
  ...[scopes, oddity, oddity],
];
