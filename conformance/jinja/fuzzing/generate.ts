import { anyRules, dictRules, intsRules, rowsRules, wordsRules } from './collection-rules.ts';
import { randomContext } from './data.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { Grammar, type RuleSet, SORTS, type Sort } from './grammar.ts';
import { expr, group, type Piece, sourceOf } from './piece.ts';
import { Random } from './random.ts';
import { boolRules, floatRules, intRules } from './scalar-rules.ts';
import { body } from './statement-rules.ts';
import { textRules } from './text-rules.ts';

const RULES: ReadonlyMap<Sort, RuleSet> = new Map([
  ['int', intRules],
  ['float', floatRules],
  ['str', textRules],
  ['bool', boolRules],
  ['ints', intsRules],
  ['words', wordsRules],
  ['rows', rowsRules],
  ['dict', dictRules],
  ['any', anyRules],
]);

/** How often a source is damaged, to compare what the two parsers refuse. */
const DAMAGED = 0.04;

/** The case of a seed and an index: always the same one. */
export function generateCase(seed: number, index: number): FuzzCase {
  const random = new Random(seed, index);
  const grammar = new Grammar(random, RULES);
  const context = randomContext(random);
  const undefinedMode = random.chance(0.7) ? 'default' : random.pick(['strict', 'chainable'] as const);
  if (random.chance(0.55)) {
    const piece = expr`{{ ${grammar.of(random.pick(SORTS), random.int(1, 4))} }}`;
    return { mode: 'expr', piece, context, undefined: undefinedMode, options: {} };
  }
  const whole = body(grammar, random.int(1, 3));
  const piece = random.chance(DAMAGED) ? damaged(random, whole) : whole;
  return { mode: 'string', piece, context, undefined: undefinedMode, options: randomOptions(random) };
}

function randomOptions(random: Random): FuzzCase['options'] {
  return {
    ...(random.chance(0.25) ? { trim_blocks: true } : {}),
    ...(random.chance(0.25) ? { lstrip_blocks: true } : {}),
    ...(random.chance(0.15) ? { keep_trailing_newline: true } : {}),
  };
}

const TOKENS = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '|',
  '.',
  '=',
  '==',
  ' is ',
  ' in ',
  ' not ',
  ' if ',
  "'",
  '"',
  '%}',
  '{{',
  '}}',
  '-',
  '*',
  '**',
  ' else ',
  '1',
  'x',
  '!',
  '~',
  ' and ',
];

function damaged(random: Random, piece: Piece): Piece {
  const points = [...sourceOf(piece)];
  const at = random.int(0, Math.max(0, points.length - 1));
  const change = random.pick([
    () => points.splice(at, 1),
    () => points.splice(at, 0, random.pick(TOKENS)),
    () => points.splice(at, 1, random.pick(TOKENS)),
    () => points.splice(at, random.int(1, 6)),
  ]);
  change();
  return group`${points.join('')}`;
}
