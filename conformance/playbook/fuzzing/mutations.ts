import type { Random } from '../../jinja/fuzzing/random.ts';

/** Changes a document a little, or ruins it. */
export type Mutation = (text: string, random: Random, others: readonly string[]) => string;

const place = (text: string, random: Random): number => random.int(0, text.length);

function insert(text: string, random: Random, piece: string): string {
  const at = place(text, random);
  return text.slice(0, at) + piece + text.slice(at);
}

/** A stretch of the text, mostly short. */
function stretch(text: string, random: Random): readonly [number, number] {
  const start = place(text, random);
  const length = random.chance(0.8) ? random.int(1, 12) : random.int(1, 400);
  return [start, Math.min(text.length, start + length)];
}

function changeLine(text: string, random: Random, change: (line: string) => string): string {
  const lines = text.split('\n');
  const at = random.int(0, lines.length - 1);
  lines[at] = change(lines[at] ?? '');
  return lines.join('\n');
}

const TOKENS: readonly string[] = [
  ...[
    '- ',
    ': ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '#',
    ' # ',
    '|',
    '>',
    '&a ',
    '*a',
    '!',
    '!!js/function ',
    '%',
    '@',
    '`',
  ],
  ...['?', '? ', '---\n', '...\n', '<<: *a', '\\', '\t', '\r', '\r\n', '\n', '\n\n', '  ', '\ufeff', '|2-\n', '>+\n'],
  ...['__proto__: {polluted: true}', 'constructor: {prototype: {polluted: true}}', '"__proto__": 1', 'toString: 1'],
  ...[
    '9007199254740993',
    '-9007199254740993',
    '1e999',
    '.nan',
    '-.inf',
    '0x1fffffffffffff9',
    'null',
    '~',
    'true',
    '1.0',
  ],
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{#',
    '#}',
    '{{ }}',
    '{{ x',
    '{{ a.b[ }}',
    '{% for x in y %}',
    '{{ 1/0 }}',
    '{{ x | nofilter }}',
  ],
  ...[
    '{{ keychain.a }}',
    '{{ outcome }}',
    '{{ "a" * 999999999 }}',
    '{{ ((((((((((1)))))))))) }}',
    '{{ lipsum() }}',
    '{%- raw -%}',
  ],
  ...['\0', '\ud800', '\udc00', '\ufffd', '\ufffe', '\u2028', '\x85', '\x1b[31m', 'é', '😀', '"\\ud800"', '"\\x0"'],
  ...[
    'when: ',
    'do: ',
    'then: ',
    'step: start',
    'loop: ',
    'tool: ',
    'spec: ',
    'policy: ',
    'next: ',
    'rules: ',
    'join: all',
    'args: ',
  ],
];

const BOMBS: readonly ((random: Random) => string)[] = [
  (random) => '['.repeat(random.int(50, 5_000)),
  (random) => '{a: '.repeat(random.int(50, 3_000)),
  (random) => '- '.repeat(random.int(50, 5_000)),
  (random) => '&a '.repeat(random.int(2, 3_000)),
  (random) => `${'('.repeat(random.int(50, 3_000))}`,
  (random) => `"{{ ${'['.repeat(random.int(50, 3_000))} }}"`,
  (random) => `"{{ ${'a and '.repeat(random.int(50, 2_000))}a }}"`,
  (random) => 'x'.repeat(random.int(1_000, 50_000)),
  (random) => ' '.repeat(random.int(1_000, 50_000)),
  (random) => '\n'.repeat(random.int(1_000, 20_000)),
  (random) => '9'.repeat(random.int(16, 5_000)),
  (random) =>
    `\nz0: &z0 [1, 1, 1, 1]\n${Array.from({ length: random.int(3, 12) }, (_, i) => `z${i + 1}: &z${i + 1} [*z${i}, *z${i}, *z${i}, *z${i}, *z${i}]\n`).join('')}`,
  (random) => Array.from({ length: random.int(100, 1_500) }, (_, i) => `\n${' '.repeat(i % 200)}k${i}:`).join(''),
];

export const MUTATIONS: readonly Mutation[] = [
  (text, random) => insert(text, random, random.pick(TOKENS)),
  (text, random) => insert(text, random, random.pick(TOKENS)),
  (text, random) => insert(text, random, random.pick(TOKENS) + random.pick(TOKENS)),
  function remove(text, random) {
    const [start, end] = stretch(text, random);
    return text.slice(0, start) + text.slice(end);
  },
  function replaceByToken(text, random) {
    const [start, end] = stretch(text, random);
    return text.slice(0, start) + random.pick(TOKENS) + text.slice(end);
  },
  function duplicate(text, random) {
    const [start, end] = stretch(text, random);
    return (
      text.slice(0, end) + text.slice(start, end).repeat(random.chance(0.9) ? 1 : random.int(2, 50)) + text.slice(end)
    );
  },
  function moveStretch(text, random) {
    const [start, end] = stretch(text, random);
    return insert(text.slice(0, start) + text.slice(end), random, text.slice(start, end));
  },
  function spliceOther(text, random, others) {
    const other = random.pick(others);
    const [start, end] = stretch(other, random);
    return insert(text, random, other.slice(start, end));
  },
  function crossOver(text, random, others) {
    const other = random.pick(others);
    return text.slice(0, place(text, random)) + other.slice(place(other, random));
  },
  function flipBits(text, random) {
    const bytes = Buffer.from(text);
    for (let i = random.int(1, 4); i > 0 && bytes.length > 0; i--) {
      const at = random.int(0, bytes.length - 1);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
    }
    return bytes.toString('utf8');
  },
  (text, random) => insert(text, random, String.fromCharCode(random.int(0, 0xffff))),
  (text, random) => changeLine(text, random, (line) => ' '.repeat(random.int(1, 4)) + line),
  (text, random) => changeLine(text, random, (line) => line.slice(random.int(1, 4))),
  (text, random) => changeLine(text, random, (line) => `\t${line}`),
  (text, random) => changeLine(text, random, (line) => `${line}\n${line}`),
  (text, random) => changeLine(text, random, () => ''),
  (text, random) => changeLine(text, random, (line) => line.replace(/:.*/, `: ${random.pick(TOKENS)}`)),
  (text) => text.replaceAll('\n', '\r\n'),
  (text, random) => text.slice(0, place(text, random)),
];

const LONG: readonly string[] = [
  '{{ q }}',
  '{{ workload.x }}',
  '{{ 1 | nofilter }}',
  '{{ [1, 2] }}',
  'x',
  'long text ',
];

/** A workload in which aliases repeat one long text or template. */
function repetition(random: Random): string {
  const long = random.pick(LONG).repeat(random.int(1, 9_000));
  const uses = (name: string) => `[${`*${name}, `.repeat(random.int(1, 12))}]`;
  const lists = Array.from({ length: random.int(1, 5) }, (_, i) => `  z${i + 1}: &z${i + 1} ${uses(`z${i}`)}\n`);
  return `\nworkload:\n  z0: &z0 "${long}"\n${lists.join('')}`;
}

/** Expensive for the reader, so used now and then. */
export const bomb: Mutation = (text, random) =>
  random.chance(0.2) ? text + repetition(random) : insert(text, random, random.pick(BOMBS)(random));
