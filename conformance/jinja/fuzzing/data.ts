import type { Random } from './random.ts';

/**
 * Random data under fixed names, so that most generated expressions find something to work on. Floats are never
 * integral and keys never look like integers: JSON in JavaScript cannot tell 2.0 from 2, nor keep such keys in order.
 */
export function randomContext(random: Random): Record<string, unknown> {
  return {
    n: randomInt(random),
    k: random.int(-3, 5),
    f: randomFloat(random),
    s: randomText(random),
    t: randomText(random),
    flag: random.chance(0.5),
    nil: null,
    xs: random.many(0, 5, () => random.int(-5, 12)),
    mix: random.many(0, 4, () => randomScalar(random)),
    ws: random.many(0, 5, () => randomWord(random)),
    rows: random.many(0, 4, () => randomRow(random)),
    d: randomDict(random, () => randomInt(random)),
    deep: randomValue(random, 3),
    tree: randomTree(random, 2),
  };
}

export const ROW_KEYS = ['name', 'age', 'score', 'tags', 'g', 'items'] as const;
export const DICT_KEYS = ['a', 'b', 'c', 'key one', 'Zed', 'é', 'items', 'count', 'x-y'] as const;

const WORDS = [
  'pear',
  'Apple',
  'apple',
  'fig',
  'FIG',
  'naïve',
  'straße',
  '日本',
  '😀',
  'x',
  '',
  'a b',
  '10',
  '9',
  'true',
];
const TEXT_BITS = [
  ...['hello', 'World', ' ', '  ', '\n', '\t', '-', '_', '.', ',', "'", '"', '\\', '%', '{}', '<b>', '</b>', '&amp;'],
  ...[
    '&',
    '<',
    '>',
    '1',
    '42',
    '3.5',
    'é',
    'ß',
    'İ',
    'ǆ',
    '日本',
    '😀',
    '👩‍🚀',
    'https://example.test/a?b=1',
    'www.example.test',
  ],
  ...[
    'me@example.test',
    'foo(bar)',
    '%s',
    '%d',
    '\r\n',
    '\u00a0',
    '\u2028',
    'ﬁ',
    'Σς',
    '１２',
    '²',
    '0x1f',
    '1_0',
    '-7',
  ],
];

export function randomInt(random: Random): number {
  return random.pick([
    () => random.int(-3, 3),
    () => random.int(-100, 100),
    () => random.int(0, 1_000_000),
    () => random.pick([9007199254740991, -9007199254740991, 4294967296, 2147483647, 255, 1024, 1000]),
  ])();
}

export function randomFloat(random: Random): number {
  return random.pick([
    () => random.int(-20, 20) + random.pick([0.5, 0.25, 0.125, 0.1, 0.7]),
    () => random.pick([0.1, 0.5, 1.5, 2.5, -0.5, -2.5, 2.71, 1e-7, 1.5e-10, 123456.789, 2.675, 1e300, -1e22]),
    () => random.int(1, 99999) / 1000 + 0.0001,
  ])();
}

export function randomWord(random: Random): string {
  return random.pick(WORDS);
}

export function randomText(random: Random): string {
  return random.many(0, 6, () => random.pick(TEXT_BITS)).join('');
}

function randomScalar(random: Random): unknown {
  return random.pick<() => unknown>([
    () => randomInt(random),
    () => randomFloat(random),
    () => randomWord(random),
    () => random.chance(0.5),
    () => null,
  ])();
}

function randomRow(random: Random): Record<string, unknown> {
  const row: Record<string, unknown> = {
    name: randomWord(random),
    age: random.int(0, 4),
    score: random.chance(0.3) ? null : randomFloat(random),
    tags: random.many(0, 3, () => randomWord(random)),
    g: { k: random.pick(['n', 's', 'N']) },
  };
  if (random.chance(0.3)) row.items = random.many(0, 2, () => random.int(0, 9));
  if (random.chance(0.15)) delete row.age;
  return row;
}

function randomDict(random: Random, value: () => unknown): Record<string, unknown> {
  return Object.fromEntries(random.many(0, 4, () => [random.pick(DICT_KEYS), value()]));
}

function randomTree(random: Random, depth: number): unknown[] {
  return random.many(0, 2, () => ({ v: randomWord(random), kids: depth > 0 ? randomTree(random, depth - 1) : [] }));
}

function randomValue(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.4)) return randomScalar(random);
  if (random.chance(0.5)) return random.many(0, 3, () => randomValue(random, depth - 1));
  return randomDict(random, () => randomValue(random, depth - 1));
}
