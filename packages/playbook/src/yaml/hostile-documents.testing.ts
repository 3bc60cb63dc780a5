/** Documents made to hurt a reader, by name; each at most as long as a playbook may be. */
export const HOSTILE_DOCUMENTS: Readonly<Record<string, () => string>> = {
  'nested lists': () => '['.repeat(10_000),
  'nested mappings': () => '{a: '.repeat(10_000),
  'nested items': () => '- '.repeat(500_000),
  'nested blocks': () => Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
  'alias bomb': () =>
    [
      'a: &a [1,1,1,1,1,1,1,1,1,1]',
      ...'bcdefghijk'.split('').map((name, i) => bombLine(name, 'abcdefghijk'[i] ?? 'a')),
    ].join('\n'),
  'nesting by aliases': () =>
    [
      'a0: &a0 x',
      ...Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} ${'['.repeat(90)}*a${i}${']'.repeat(90)}`),
    ].join('\n'),
  'a long template behind aliases': () => repeatedByAliases(`"${'{{ q }}'.repeat(9_000)}"`),
  'a long template of known names behind aliases': () => repeatedByAliases(`"${'{{ workload.x }}'.repeat(3_900)}"`),
  'a long text behind aliases': () => repeatedByAliases('x'.repeat(1_000_000)),
  'a hundred templates behind aliases': () => {
    const names = Array.from({ length: 100 }, (_, i) => `a${i}`);
    const anchors = names.map((name) => `  ${name}: &${name} "${name}${'{{ q }}'.repeat(1_400)}"\n`);
    const uses = `[${names.map((name) => `*${name}`).join(',')}]`;
    return `${PLAYBOOK}workload:\n${anchors.join('')}  z: [${`${uses},`.repeat(90)}]\n`;
  },
  'a long task behind aliases': () => {
    const step = (name: string) => `  - { step: ${name}, tool: [${'*t,'.repeat(199)}] }\n`;
    const steps = Array.from({ length: 30 }, (_, i) => step(`s${i}`));
    const task = `&t { kind: noop, result: "${'{{ q }}'.repeat(9_000)}" }`;
    return `${PLAYBOOK}workflow:\n  - { step: start, tool: ${task} }\n${steps.join('')}`;
  },
  'an alias to itself': () => 'a: &a [*a]',
  'many anchors on one value': () => `a: ${'&a '.repeat(300_000)}x`,
  'anchors line by line': () => '&a\n'.repeat(300_000),
  'duplicate keys': () => 'a: 1\n'.repeat(90_000),
  __proto__: () => '{a: {__proto__: {polluted: true}}}',
  'constructor.prototype': () => 'constructor: {prototype: {polluted: true}}\n',
  'a tag': () => 'a: !!js/function "function () {}"',
  '2^53 + 1': () => 'a: 9007199254740993',
  'not a number': () => 'a: .nan',
  'a number of a million digits': () => `a: ${'9'.repeat(1_000_000)}`,
  'more than 1 MiB': () => `a: ${'x'.repeat(1_048_576)}`,
  NUL: () => `a: ${'x'.repeat(500_000)}\0`,
  'a lone surrogate': () => `a: ${'x'.repeat(500_000)}\ud800`,
  'a quoted text of many lines': () => `"${'a\n'.repeat(300_000)}"`,
  'a quoted text of blanks': () => `"${' '.repeat(500_000)}x\ny"`,
  'a quoted text that never ends': () => `a: "${'\\n'.repeat(500_000)}`,
  'quotes in every line': () => '"a\n'.repeat(300_000),
  'a plain text of many lines': () => 'a\n'.repeat(500_000),
  'a line of blanks': () => `a: ${' '.repeat(1_000_000)}b`,
  'blank lines': () => `a:${'\n'.repeat(1_000_000)}  b`,
  comments: () => `${'#\n'.repeat(500_000)}a: 1`,
  'a block of many lines': () => `a: |\n${' x\n'.repeat(300_000)}`,
  'many values': () => '- a\n'.repeat(250_000),
  'many flow values': () => `[${'1,'.repeat(500_000)}]`,
  colons: () => ':'.repeat(1_000_000),
  'colons and blanks': () => ': '.repeat(500_000),
  'unquoted templates': () => '{{'.repeat(500_000),
  backslashes: () => `"${'\\'.repeat(999_999)}"`,
};

const PLAYBOOK = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x }\n';

/** Few values, but 72,000 uses of one that is long. */
function repeatedByAliases(value: string): string {
  const lists = [...'bcde'].map((name, i) => `  ${bombLine(name, 'abcd'[i] ?? 'a')}\n`);
  return `${PLAYBOOK}workload:\n  x: 1\n  a: &a ${value}\n${lists.join('')}  f: [${'*e,'.repeat(7)}]\nworkflow:\n  - { step: start, tool: { kind: noop } }\n`;
}

function bombLine(name: string, before: string): string {
  return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`;
}
