import { DICT_KEYS, ROW_KEYS } from './data.ts';
import type { Grammar, Rule, RuleSet } from './grammar.ts';
import { floatLiteral, intLiteral, needle } from './literals.ts';
import { expr, type Piece } from './piece.ts';

/** A name of the data or of a variable in scope. */
export function named(sort: 'int' | 'float' | 'str' | 'bool' | 'ints' | 'words' | 'rows' | 'dict' | 'any'): Rule {
  const names = {
    int: ['n', 'k'],
    float: ['f'],
    str: ['s', 't'],
    bool: ['flag'],
    ints: ['xs'],
    words: ['ws'],
    rows: ['rows'],
    dict: ['d'],
    any: ['deep', 'mix', 'nil', 'missing', 'tree', 'd.missing', 'deep.a', 'rows', 'd', 's', 'n'],
  }[sort];
  return (g) => expr`${(g.random.chance(0.5) ? g.local(sort) : undefined) ?? g.random.pick(names)}`;
}

const ARITHMETIC = ['+', '-', '*', '//', '%'];

function parenthesised(g: Grammar, piece: Piece): Piece {
  return g.random.chance(0.3) ? expr`(${piece})` : piece;
}

export const intRules: RuleSet = {
  leaves: [named('int'), (g) => intLiteral(g.random), (g) => expr`-${intLiteral(g.random)}`],
  compounds: [
    (g, depth) => parenthesised(g, expr`${g.of('int', depth)} ${g.random.pick(ARITHMETIC)} ${g.of('int', depth)}`),
    (g, depth) => parenthesised(g, expr`${g.of('int', depth)}${g.random.pick(ARITHMETIC)}${g.of('int', depth)}`),
    (g, depth) => parenthesised(g, expr`${g.of('int', depth)} ** ${g.random.int(0, 6)}`),
    (g, depth) => expr`${g.random.pick(['-', '+', '- '])}${g.of('int', depth)}`,
    (g, depth) => expr`(${g.of('int', depth)}) | abs`,
    (g, depth) => expr`(${g.of('any', depth)}) | int`,
    (g, depth) => expr`${g.atom('str', depth)} | int(${g.of('int', 0)})`,
    (g) =>
      expr`${g.random.pick(["'ff'", "'0b11'", "'z'", "'0x1A'", "'17'", "'0o7'"])} | int(-1, ${g.random.pick([2, 8, 10, 16, 36, 0])})`,
    (g, depth) =>
      expr`${g.atom(g.random.pick(['str', 'ints', 'words', 'rows', 'dict']), depth)} | ${g.random.pick(['length', 'count'])}`,
    (g, depth) => expr`${g.atom('ints', depth)} | ${g.random.pick(['sum', 'min', 'max', 'first', 'last'])}`,
    (g, depth) => expr`${g.atom('ints', depth)} | sum(start=${g.of('int', 0)})`,
    (g, depth) => expr`${g.atom('rows', depth)} | sum(attribute='age')`,
    (g, depth) => expr`${g.atom('ints', depth)}[${g.random.int(-2, 3)}]`,
    (g, depth) => expr`${g.atom('ints', depth)}.${g.random.int(0, 2)}`,
    (g, depth) => expr`${g.atom('rows', depth)}[${g.random.int(-1, 2)}].age`,
    (g, depth) => expr`${g.atom('dict', depth)}['${g.random.pick(DICT_KEYS)}']`,
    (g, depth) => expr`${g.atom('dict', depth)}.get('${g.random.pick(DICT_KEYS)}', ${g.of('int', depth)})`,
    (g, depth) =>
      expr`${g.atom('str', depth)}.${g.random.pick(['find', 'rfind', 'count', 'index', 'rindex'])}(${needle(g.random)})`,
    (g, depth) =>
      expr`${g.atom('str', depth)}.${g.random.pick(['find', 'count'])}(${needle(g.random)}, ${g.random.int(-2, 3)}, ${g.random.int(-1, 9)})`,
    (g, depth) => expr`${g.atom('ints', depth)}.${g.random.pick(['index', 'count'])}(${g.of('int', 0)})`,
    (g, depth) => expr`${g.atom('str', depth)} | wordcount`,
    (g, depth) => expr`${g.of('int', depth)} if ${g.of('bool', depth)} else ${g.of('int', depth)}`,
    (g, depth) => expr`(${g.of('float', depth)}) | round | int`,
    (g, depth) => expr`(${g.of('bool', depth)}) + ${g.of('int', depth)}`,
  ],
};

export const floatRules: RuleSet = {
  leaves: [named('float'), (g) => floatLiteral(g.random), (g) => expr`-${floatLiteral(g.random)}`],
  compounds: [
    (g, depth) =>
      parenthesised(g, expr`${g.of('float', depth)} ${g.random.pick([...ARITHMETIC, '/'])} ${g.of('float', depth)}`),
    (g, depth) => parenthesised(g, expr`${g.of('int', depth)} / ${g.of('int', depth)}`),
    (g, depth) => parenthesised(g, expr`${g.of('float', depth)} ${g.random.pick(ARITHMETIC)} ${g.of('int', depth)}`),
    (g, depth) => expr`${g.of('int', depth)} ** ${g.random.pick(['-1', '0.5', '-2', '2.0', '1.5'])}`,
    (g, depth) => expr`(${g.of('float', depth)}) | round`,
    (g, depth) => expr`(${g.of('float', depth)}) | round(${g.random.int(-2, 4)})`,
    (g, depth) =>
      expr`(${g.of('float', depth)}) | round(${g.random.int(0, 3)}, ${g.random.pick(["'ceil'", "'floor'", "'common'", "method='floor'", "'odd'"])})`,
    (g, depth) => expr`(${g.of('int', depth)}) | round(${g.random.int(-2, 2)})`,
    (g, depth) => expr`(${g.of('any', depth)}) | float`,
    (g, depth) => expr`${g.atom('str', depth)} | float(${g.of('float', 0)})`,
    (g, depth) => expr`(${g.of('float', depth)}) | abs`,
    (g, depth) => expr`${g.atom('rows', depth)} | map(attribute='score') | select | sum`,
    (g, depth) => expr`${g.of('float', depth)} if ${g.of('bool', depth)} else ${g.of('float', depth)}`,
  ],
};

const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const PLAIN_TESTS = [
  ...['defined', 'undefined', 'none', 'boolean', 'true', 'false', 'integer', 'float', 'number', 'string', 'mapping'],
  ...['sequence', 'iterable', 'callable', 'lower', 'upper', 'odd', 'even', 'escaped', 'filter', 'test'],
];
const BINARY_TESTS = [...['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equalto', 'lessthan', 'greaterthan', 'divisibleby']];
const TEXT_CHECKS = [
  'isdigit',
  'isalpha',
  'isalnum',
  'isspace',
  'isupper',
  'islower',
  'istitle',
  'isnumeric',
  'isdecimal',
  'isidentifier',
  'isascii',
  'isprintable',
];

export const boolRules: RuleSet = {
  leaves: [named('bool'), (g) => expr`${g.random.pick(['true', 'false', 'True', 'False'])}`],
  compounds: [
    (g, depth) => {
      const sort = g.random.pick(['int', 'float', 'str', 'ints', 'words', 'any'] as const);
      return parenthesised(g, expr`${g.of(sort, depth)} ${g.random.pick(COMPARISONS)} ${g.of(sort, depth)}`);
    },
    (g, depth) =>
      expr`${g.of('int', depth)} ${g.random.pick(COMPARISONS)} ${g.of('float', depth)} ${g.random.pick(COMPARISONS)} ${g.of('int', depth)}`,
    (g, depth) => expr`${g.of('any', depth)} ${g.random.pick(['==', '!='])} ${g.of('any', depth)}`,
    (g, depth) => expr`${g.of('int', depth)} ${g.random.pick(['in', 'not in'])} ${g.of('ints', depth)}`,
    (g, depth) =>
      expr`${g.of('str', depth)} ${g.random.pick(['in', 'not in'])} ${g.of(g.random.pick(['str', 'words', 'dict']), depth)}`,
    (g, depth) => expr`(${g.of('any', depth)}) is ${g.random.pick(['', 'not '])}${g.random.pick(PLAIN_TESTS)}`,
    (g, depth) => expr`${g.of('int', depth)} is ${g.random.pick(BINARY_TESTS)}(${g.of('int', depth)})`,
    (g) => expr`${intLiteral(g.random)} is ${g.random.pick(BINARY_TESTS)} ${intLiteral(g.random)}`,
    (g, depth) => expr`${g.of('int', depth)} is in(${g.of('ints', depth)})`,
    (g, depth) => expr`(${g.of('any', depth)}) is sameas(${g.random.pick(['none', 'true', 'false'])})`,
    (g) => expr`'${g.random.pick(['upper', 'nope', 'odd', 'd', 'in', '=='])}' is ${g.random.pick(['filter', 'test'])}`,
    (g, depth) => expr`not ${g.of('any', depth)}`,
    (g, depth) => parenthesised(g, expr`${g.of('bool', depth)} ${g.random.pick(['and', 'or'])} ${g.of('bool', depth)}`),
    (g, depth) => expr`${g.atom('str', depth)}.${g.random.pick(['startswith', 'endswith'])}(${needle(g.random)})`,
    (g, depth) => expr`${g.atom('str', depth)}.startswith((${needle(g.random)}, ${needle(g.random)}))`,
    (g, depth) => expr`${g.atom('str', depth)}.${g.random.pick(TEXT_CHECKS)}()`,
    (g, depth) => expr`${g.atom('rows', depth)} | map(attribute='${g.random.pick(ROW_KEYS)}') | first is defined`,
  ],
};
