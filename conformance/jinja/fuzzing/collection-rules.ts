import { DICT_KEYS, ROW_KEYS } from './data.ts';
import type { Grammar, Rule, RuleSet, Sort } from './grammar.ts';
import { intLiteral, needle, textLiteral } from './literals.ts';
import { commaList, expr, type Piece } from './piece.ts';
import { named } from './scalar-rules.ts';

const BOOLS = ['true', 'false'];
const slice = (g: Grammar) =>
  `${g.random.pick(['', '1', '-2', '0'])}:${g.random.pick(['', '3', '-1'])}${g.random.pick(['', '', ':-1', ':2', ':-2'])}`;

/** What works alike on every list. */
function sequenceRules(sort: Sort): Rule[] {
  return [
    (g, depth) => expr`${g.of(sort, depth)} + ${g.of(sort, depth)}`,
    (g, depth) => expr`${g.of(sort, depth)} * ${g.random.int(-1, 2)}`,
    (g, depth) => expr`${g.atom(sort, depth)}[${slice(g)}]`,
    (g, depth) => expr`${g.atom(sort, depth)} | list`,
    (g, depth) => expr`${g.atom(sort, depth)} | reverse | list`,
    (g, depth) => expr`${g.atom(sort, depth)} | reverse`,
    (g, depth) =>
      expr`${g.atom(sort, depth)} | batch(${g.random.int(1, 3)}${g.random.pick(['', ", 'x'", ', none', ', 0'])}) | list`,
    (g, depth) =>
      expr`${g.atom(sort, depth)} | slice(${g.random.int(1, 3)}${g.random.pick(['', ", 'x'", ', 0'])}) | list`,
    (g, depth) => expr`${g.of(sort, depth)} if ${g.of('bool', depth)} else ${g.of(sort, depth)}`,
    (g, depth) => expr`${g.atom(sort, depth)} | default(${g.of(sort, depth)}, true)`,
    (g, depth) => expr`${g.atom(sort, depth)}.copy()`,
    (g, depth) => expr`(${g.of(sort, depth)})`,
    (g, depth) => expr`(${g.of('any', depth)}) | list`,
  ];
}

const INT_TESTS = [
  "'odd'",
  "'even'",
  "'gt', 2",
  "'ge', 0",
  "'in', [1, 2]",
  "'divisibleby', 3",
  "'defined'",
  "'<', 3",
  "'none'",
];

const listOf =
  (sort: Sort): Rule =>
  (g, depth) =>
    expr`[${commaList(g.some(sort, 0, 4, depth))}]`;
const tupleOf =
  (sort: Sort): Rule =>
  (g, depth) => {
    const items = g.some(sort, 0, 3, depth);
    return items.length === 1 ? expr`(${items},)` : expr`(${commaList(items)})`;
  };

export const intsRules: RuleSet = {
  leaves: [
    named('ints'),
    (g) => expr`[${commaList(g.random.many(0, 4, () => intLiteral(g.random)))}]`,
    () => expr`[3, 1, 2]`,
  ],
  compounds: [
    ...sequenceRules('ints'),
    listOf('int'),
    tupleOf('int'),
    (g) => expr`range(${g.random.int(0, 5)}) | list`,
    (g) => expr`range(${g.random.int(-3, 3)}, ${g.random.int(-3, 9)}, ${g.random.pick([1, 2, -1, 3, 0])}) | list`,
    (g) => expr`range(${g.random.int(0, 4)})`,
    (g, depth) => expr`${g.atom('ints', depth)} | sort${g.random.pick(['', '(true)', '(reverse=true)'])}`,
    (g, depth) => expr`${g.atom('ints', depth)} | unique | list`,
    (g, depth) =>
      expr`${g.atom('ints', depth)} | ${g.random.pick(['select', 'reject'])}(${g.random.pick(INT_TESTS)}) | list`,
    (g, depth) => expr`${g.atom('ints', depth)} | ${g.random.pick(['select', 'reject'])} | list`,
    (g, depth) =>
      expr`${g.atom('ints', depth)} | map('${g.random.pick(['abs', 'string', 'float', 'int', 'nope', 'round'])}') | list`,
    (g, depth) => expr`${g.atom('words', depth)} | map('length') | list`,
    (g, depth) => expr`${g.atom('rows', depth)} | map(attribute='age') | list`,
    (g, depth) => expr`${g.atom('rows', depth)} | map(attribute='age', default=${g.random.int(0, 9)}) | list`,
    (g, depth) => expr`${g.atom('dict', depth)}.values() | list`,
    (g, depth) => expr`${g.atom('dict', depth)}.values()`,
  ],
};

export const wordsRules: RuleSet = {
  leaves: [named('words'), (g) => expr`[${commaList(g.random.many(0, 3, () => textLiteral(g.random)))}]`],
  compounds: [
    ...sequenceRules('words'),
    listOf('str'),
    tupleOf('str'),
    (g, depth) =>
      expr`${g.atom('str', depth)}.split(${g.random.pick(['', "','", "' '", "'a'", "',', 1", 'none, 1', "''"])})`,
    (g, depth) => expr`${g.atom('str', depth)}.rsplit(${g.random.pick(['', "','", "' ', 1", 'none, 1'])})`,
    (g, depth) => expr`${g.atom('str', depth)}.splitlines(${g.random.pick(['', 'true'])})`,
    (g, depth) => expr`${g.atom('str', depth)}.${g.random.pick(['partition', 'rpartition'])}(${needle(g.random)})`,
    (g, depth) =>
      expr`${g.atom('words', depth)} | sort(${g.random.pick(['', 'true', 'case_sensitive=true', 'reverse=true, case_sensitive=true', "attribute='length'"])})`,
    (g, depth) =>
      expr`${g.atom('words', depth)} | unique${g.random.pick(['', '(true)', '(case_sensitive=true)'])} | list`,
    (g, depth) =>
      expr`${g.atom('words', depth)} | map('${g.random.pick(['upper', 'lower', 'title', 'trim', 'first', 'capitalize', 'e'])}') | list`,
    (g, depth) => expr`${g.atom('words', depth)} | map('replace', ${needle(g.random)}, ${needle(g.random)}) | list`,
    (g, depth) =>
      expr`${g.atom('words', depth)} | ${g.random.pick(['select', 'reject'])}(${g.random.pick(["'string'", "'upper'", "'eq', 'fig'", "'in', 'figs'"])}) | list`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | map(attribute='${g.random.pick(['name', 'g.k', 'tags.0', 'nope', 'name.0'])}') | list`,
    (g, depth) => expr`${g.atom('dict', depth)} | list`,
    (g, depth) => expr`${g.atom('dict', depth)}.keys() | list`,
    (g, depth) => expr`${g.atom('dict', depth)} | sort`,
    (g, depth) => expr`${g.atom('str', depth)} | list`,
  ],
};

const ROW_TESTS = [
  "'age'",
  "'tags'",
  "'nope'",
  "'age', 'gt', 1",
  "'name', 'eq', 'fig'",
  "'score', 'none'",
  "'g.k', 'in', ['n']",
  "'items', 'defined'",
];

export const rowsRules: RuleSet = {
  leaves: [named('rows'), () => expr`[]`],
  compounds: [
    ...sequenceRules('rows'),
    listOf('dict'),
    (g, depth) =>
      expr`${g.atom('rows', depth)} | ${g.random.pick(['selectattr', 'rejectattr'])}(${g.random.pick(ROW_TESTS)}) | list`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | sort(attribute='${g.random.pick(['name', 'age', 'g.k', 'age,name', 'score', 'nope'])}'${g.random.pick(['', ', reverse=true', ', case_sensitive=true'])})`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | unique(attribute='${g.random.pick(['name', 'age', 'g.k'])}'${g.random.pick(['', ', case_sensitive=true'])}) | list`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | ${g.random.pick(['selectattr', 'rejectattr'])}(${g.random.pick(ROW_TESTS)})`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | groupby('${g.random.pick(['name', 'age', 'g.k', 'nope'])}'${g.random.pick(['', ', default=0', ", default=''", ', case_sensitive=true'])})`,
  ],
};

function dictLiteral(g: Grammar, depth: number): Piece {
  const entries = g.random.many(0, 3, () => expr`'${g.random.pick(DICT_KEYS)}': ${g.of('any', depth)}`);
  return expr`{${commaList(entries)}}`;
}

export const dictRules: RuleSet = {
  leaves: [named('dict'), () => expr`{}`, (g) => expr`{'${g.random.pick(DICT_KEYS)}': ${intLiteral(g.random)}}`],
  compounds: [
    dictLiteral,
    (g, depth) => expr`{${g.of('str', depth)}: ${g.of('any', depth)}}`,
    (g, depth) => expr`{${intLiteral(g.random)}: ${g.of('any', depth)}, ${intLiteral(g.random)}: 1}`,
    (g, depth) => expr`dict(a=${g.of('int', depth)}, b=${g.of('any', depth)})`,
    (g, depth) => expr`dict(${g.of('dict', depth)}, c=${g.of('int', depth)})`,
    (g, depth) => expr`dict([('a', ${g.of('any', depth)}), ('b', 2)])`,
    (g, depth) => expr`dict(${g.of('dict', depth)}.items())`,
    (g, depth) => expr`${g.atom('rows', depth)}[${g.random.int(-1, 1)}]`,
    (g, depth) =>
      expr`${g.atom('rows', depth)} | ${g.random.pick(['first', 'last', "max(attribute='age')", "min(attribute='name')"])}`,
    (g, depth) => expr`${g.atom('dict', depth)}.copy()`,
    (g, depth) => expr`${g.of('dict', depth)} if ${g.of('bool', depth)} else ${g.of('dict', depth)}`,
    (g, depth) => expr`${g.atom('rows', depth)}[0].g`,
  ],
};

const SCALAR_SORTS: readonly Sort[] = ['int', 'float', 'str', 'bool', 'ints', 'words', 'rows', 'dict'];
const anyOf: Rule = (g, depth) => g.of(g.random.pick(SCALAR_SORTS), depth);

export const anyRules: RuleSet = {
  leaves: [named('any'), named('any'), anyOf, () => expr`none`],
  compounds: [
    anyOf,
    anyOf,
    listOf('any'),
    tupleOf('any'),
    (g, depth) =>
      expr`${g.atom('dict', depth)} | dictsort(${g.random.pick(['', 'true', "by='value'", "false, 'value', true", "by='nope'", `reverse=${g.random.pick(BOOLS)}`])})`,
    (g, depth) => expr`${g.atom('dict', depth)} | items | list`,
    (g, depth) => expr`${g.atom('dict', depth)} | items`,
    (g, depth) => expr`${g.atom('dict', depth)}.items()${g.random.pick([' | list', ''])}`,
    (g, depth) =>
      expr`${g.atom('dict', depth)}.${g.random.pick(['items', 'a', 'count', 'keys', 'Zed', 'nope', 'values'])}`,
    (g, depth) => expr`${g.atom('rows', depth)}[0].${g.random.pick(ROW_KEYS)}`,
    (g, depth) => expr`(${g.of('any', depth)}).${g.random.pick(['a', 'upper', 'nope', 'name', '0', 'items'])}`,
    (g, depth) => expr`(${g.of('any', depth)})[${g.of('any', depth)}]`,
    (g, depth) => expr`(${g.of('any', depth)}) | attr('${g.random.pick(['a', 'nope', '__class__'])}')`,
    (g, depth) =>
      expr`(${g.of('any', depth)}) | default(${g.of('any', depth)}${g.random.pick(['', ', true', ', boolean=false'])})`,
    (g, depth) =>
      expr`(${g.of('any', depth)}) | ${g.random.pick(['first', 'last', 'min', 'max', 'length', 'sum', 'sort', 'unique', 'items', 'abs'])}`,
    (g, depth) => expr`${g.of('any', depth)} ${g.random.pick(['and', 'or'])} ${g.of('any', depth)}`,
    (g, depth) =>
      expr`(${g.of('any', depth)}) ${g.random.pick(['+', '-', '*', '/', '%', '//', '<', '~', 'in'])} (${g.of('any', depth)})`,
    (g, depth) =>
      expr`(${g.of('any', depth)}).${g.random.pick(['upper', 'get', 'nope', 'a', 'count'])}(${commaList(g.some('any', 0, 2, depth))})`,
    (g, depth) => expr`${g.of('any', depth)} if ${g.of('any', depth)}`,
  ],
};
