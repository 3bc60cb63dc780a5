import type { Rule, RuleSet } from './grammar.ts';
import { intLiteral, needle, textLiteral } from './literals.ts';
import { expr } from './piece.ts';
import { named } from './scalar-rules.ts';

const PLAIN_FILTERS = [
  ...['upper', 'lower', 'title', 'capitalize', 'trim', 'striptags', 'escape', 'e', 'forceescape', 'safe', 'string'],
  ...[
    'urlencode',
    'urlize',
    'reverse',
    'first',
    'last',
    'tojson',
    'indent',
    'wordwrap',
    'truncate',
    'center',
    'pprint',
  ],
];
const PLAIN_METHODS = [
  ...['upper', 'lower', 'title', 'capitalize', 'swapcase', 'casefold', 'strip', 'lstrip', 'rstrip', 'expandtabs'],
];
const BOOLS = ['true', 'false'];

const filtered: readonly Rule[] = [
  (g, depth) => expr`${g.atom('str', depth)} | ${g.random.pick(PLAIN_FILTERS)}`,
  (g, depth) => expr`${g.atom('str', depth)} | ${g.random.pick(PLAIN_FILTERS)} | ${g.random.pick(PLAIN_FILTERS)}`,
  (g, depth) => expr`(${g.of('any', depth)}) | ${g.random.pick(PLAIN_FILTERS)}`,
  (g, depth) => expr`${g.atom('str', depth)} | replace(${needle(g.random)}, ${g.of('str', depth)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)} | replace(${needle(g.random)}, ${needle(g.random)}, ${g.random.int(-1, 2)})`,
  (g, depth) => expr`${g.atom('str', depth)} | trim(${needle(g.random)})`,
  (g, depth) => expr`${g.atom('str', depth)} | center(${g.random.int(0, 20)})`,
  (g, depth) => expr`${g.atom('str', depth)} | truncate(${g.random.int(0, 12)}, ${g.random.pick(BOOLS)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)} | truncate(${g.random.int(3, 12)}, killwords=${g.random.pick(BOOLS)}, end=${needle(g.random)}, leeway=${g.random.int(0, 3)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)} | wordwrap(${g.random.int(1, 12)}, ${g.random.pick(BOOLS)}, ${needle(g.random)}, ${g.random.pick(BOOLS)})`,
  (g, depth) => expr`${g.atom('str', depth)} | wordwrap(${g.random.int(1, 9)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)} | indent(${g.random.pick(['2', "'> '", '0'])}, ${g.random.pick(BOOLS)}, blank=${g.random.pick(BOOLS)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)} | urlize(${g.random.int(4, 20)}, nofollow=${g.random.pick(BOOLS)}, target='_blank')`,
  (g, depth) => expr`(${g.of('any', depth)}) | tojson`,
  (g, depth) => expr`(${g.of('any', depth)}) | tojson(indent=${g.random.int(0, 3)})`,
  (g, depth) => expr`(${g.of('any', depth)}) | string`,
  (g, depth) => expr`(${g.of('any', depth)}) | default(${g.of('str', depth)})`,
  (g, depth) => expr`(${g.of('any', depth)}) | d(${g.of('str', depth)}, true)`,
  (g, depth) => expr`(${g.of('int', depth)}) | filesizeformat(${g.random.pick(BOOLS)})`,
  (g, depth) => expr`(${g.of('float', depth)}) | filesizeformat`,
  (g, depth) => expr`${g.atom('words', depth)} | join(${needle(g.random)})`,
  (g, depth) => expr`${g.atom('ints', depth)} | join`,
  (g, depth) =>
    expr`${g.atom('rows', depth)} | join(${needle(g.random)}, attribute='${g.random.pick(['name', 'age', 'g.k', 'nope'])}')`,
  (g, depth) =>
    expr`${g.atom('dict', depth)} | ${g.random.pick(['xmlattr', 'urlencode', 'tojson', 'pprint', 'xmlattr(false)'])}`,
  (g, depth) => expr`${g.atom('words', depth)} | ${g.random.pick(['min', 'max', 'first', 'last'])}`,
];

const FORMATS = [
  '%s',
  '%d',
  '%5d',
  '%-6s|',
  '%05d',
  '%+.2f',
  '%x',
  '%X',
  '%o',
  '%e',
  '%g',
  '%r',
  '%c',
  '%%',
  '%i',
  '%#x',
  '% d',
  '%.3s',
  '%10.3f',
  '%a',
];
const FIELDS = [
  '{}',
  '{:>8}',
  '{:<8}|',
  '{:^9}',
  '{:*^9}',
  '{:05d}',
  '{:+d}',
  '{:,}',
  '{:.2f}',
  '{:e}',
  '{:x}',
  '{:#b}',
  '{!r}',
  '{!s:>5}',
  '{:g}',
  '{:%}',
  '{:_}',
  '{{}}',
];

const formatted: readonly Rule[] = [
  (g, depth) => expr`'${g.random.pick(FORMATS)}' % ${g.of(g.random.pick(['int', 'float', 'str']), depth)}`,
  (g, depth) =>
    expr`'${g.random.pick(FORMATS)} ${g.random.pick(FORMATS)}' % (${g.of('int', depth)}, ${g.of('any', depth)})`,
  (g, depth) => expr`'${g.random.pick(FORMATS)}' | format(${g.of(g.random.pick(['int', 'float', 'str']), depth)})`,
  (g, depth) =>
    expr`'%(a)s-%(b)${g.random.pick(['s', 'd', 'r'])}' | format(a=${g.of('any', depth)}, b=${g.of('int', depth)})`,
  (g, depth) => expr`'${g.random.pick(FIELDS)}'.format(${g.of(g.random.pick(['int', 'float', 'str']), depth)})`,
  (g, depth) =>
    expr`'{1}${g.random.pick(FIELDS.slice(1, 12)).replace('{', '{0')}'.format(${g.of('int', depth)}, ${g.of('str', depth)})`,
  (g, depth) => expr`'{a[name]}{b.k}{c}'.format(a=rows[0], b=d, c=${g.of('any', depth)})`,
  (g, depth) => expr`'{x:{w}}'.format(x=${g.of('str', depth)}, w=${g.random.int(0, 9)})`,
];

const methods: readonly Rule[] = [
  (g, depth) => expr`${g.atom('str', depth)}.${g.random.pick(PLAIN_METHODS)}()`,
  (g, depth) => expr`(${g.of('str', depth)}).${g.random.pick(PLAIN_METHODS)}()`,
  (g, depth) => expr`${g.atom('str', depth)}.replace(${needle(g.random)}, ${needle(g.random)})`,
  (g, depth) => expr`${g.atom('str', depth)}.replace(${needle(g.random)}, ${needle(g.random)}, ${g.random.int(-1, 2)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)}.${g.random.pick(['strip', 'lstrip', 'rstrip', 'removeprefix', 'removesuffix'])}(${needle(g.random)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)}.${g.random.pick(['center', 'ljust', 'rjust'])}(${g.random.int(0, 12)}${g.random.pick(['', ", '*'", ", '😀'", ", 'ab'"])})`,
  (g, depth) => expr`${g.atom('str', depth)}.zfill(${g.random.int(0, 9)})`,
  (g, depth) => expr`${g.atom('str', depth)}.expandtabs(${g.random.int(0, 9)})`,
  (g, depth) => expr`${needle(g.random)}.join(${g.of('words', depth)})`,
  (g, depth) =>
    expr`${g.atom('str', depth)}.${g.random.pick(['partition', 'rpartition'])}(${needle(g.random)})[${g.random.int(0, 2)}]`,
];

const operators: readonly Rule[] = [
  (g, depth) => expr`${g.of('any', depth)} ~ ${g.of('any', depth)}`,
  (g, depth) => expr`(${g.of('str', depth)} ~ ${g.of('int', depth)} ~ ${g.of('float', depth)})`,
  (g, depth) => expr`${g.of('str', depth)} + ${g.of('str', depth)}`,
  (g, depth) => expr`${g.of('str', depth)} * ${g.random.int(-1, 3)}`,
  (g, depth) => expr`${g.atom('str', depth)}[${g.random.int(-3, 3)}]`,
  (g, depth) => expr`${g.atom('str', depth)}[${g.random.pick(['', '1', '-2'])}:${g.random.pick(['', '3', '-1'])}]`,
  (g, depth) =>
    expr`(${g.of('str', depth)})[${g.random.pick(['', '2', '-1'])}:${g.random.pick(['', '5', '-4'])}:${g.random.pick(['-1', '2', '-2', '', '0'])}]`,
  (g, depth) => expr`${g.of('str', depth)} if ${g.of('bool', depth)} else ${g.of('str', depth)}`,
  (g, depth) => expr`${g.of('str', depth)} if ${g.of('bool', depth)}`,
  (g, depth) => expr`${g.of('str', depth)} ${g.random.pick(['or', 'and'])} ${g.of('str', depth)}`,
  (g, depth) => expr`${g.atom('rows', depth)}[${g.random.int(0, 1)}].name`,
  (g) => expr`(${intLiteral(g.random)}) ~ ''`,
];

export const textRules: RuleSet = {
  leaves: [named('str'), (g) => textLiteral(g.random), (g) => textLiteral(g.random)],
  compounds: [...filtered, ...formatted, ...methods, ...operators],
};
