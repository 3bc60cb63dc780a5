import { describe, expect, it } from 'vitest';
import { entryOf, offsetInFile, type ScalarNode, type YamlNode } from './node.ts';
import { readYaml } from './read-yaml.ts';

function nodeOf(source: string): YamlNode {
  const result = readYaml(source);
  if ('error' in result) throw result.error;
  return result.node;
}

function at(source: string, ...path: readonly (string | number)[]): YamlNode {
  return path.reduce<YamlNode>((node, key) => {
    const child =
      node.kind === 'map'
        ? entryOf(node, String(key))?.value
        : node.kind === 'list'
          ? node.items[Number(key)]
          : undefined;
    if (child === undefined) throw new Error(`nothing at ${key}`);
    return child;
  }, nodeOf(source));
}

const textAt = (source: string, node: YamlNode) => source.slice(node.span.start, node.span.end);

describe('DOC-11: every node knows its place', () => {
  const source = `# c
a: one two  # c
b:
  - "x \\" y"
  - 'z'
  - [1, {k: v}]
  -
c: |
  text
  more

d: *no
`.replace('*no', 'end');

  it.each<[readonly (string | number)[], string]>([
    [['a'], 'one two'],
    [['b', 0], '"x \\" y"'],
    [['b', 1], "'z'"],
    [['b', 2], '[1, {k: v}]'],
    [['b', 2, 1], '{k: v}'],
    [['b', 2, 1, 'k'], 'v'],
    [['b', 3], ''],
    [['b'], '- "x \\" y"\n  - \'z\'\n  - [1, {k: v}]\n  -'],
    [['c'], '|\n  text\n  more'],
    [['d'], 'end'],
  ])('%j', (path, text) => {
    const node = at(source, ...path);
    if (path.at(-1) === 3) expect(node.span.start).toBe(node.span.end);
    else expect(textAt(source, node).startsWith(text.slice(0, -1))).toBe(true);
    if (node.kind === 'scalar' && text !== '') expect(textAt(source, node)).toBe(text);
  });

  it('also of keys', () => {
    const text = '"a b": 1\nc d : {e: 2}\n';
    const root = nodeOf(text);
    if (root.kind !== 'map') throw new Error('no map');
    expect(root.entries.map(({ keySpan }) => text.slice(keySpan.start, keySpan.end))).toEqual(['"a b"', 'c d']);
  });

  it('an alias stands where its anchor does', () => {
    const text = 'a: &x [1]\nb: *x\n';
    expect(textAt(text, at(text, 'b'))).toBe('[1]');
  });
});

describe('offsetInFile finds the characters of a text in the file', () => {
  it.each<[string, string]>([
    ['plain', 'a: one two'],
    ['plain over lines', 'a: one\n    two\n\n    three'],
    ['single quotes', "a: 'it''s {{ x }} here'"],
    ['double quotes', 'a: "x\\n\\u0041 {{ y }} z"'],
    ['double quotes over lines', 'a: "x\n   {{ y }}\\\n   z"'],
    ['a literal block', 'a: |\n    one\n      two {{ x }}\n\n    three\n'],
    ['a folded block', 'a: >-\n    one\n    two {{ x }}\n\n    three\n'],
    ['Windows line ends', 'a: |\r\n  one\r\n  two\r\n'],
    ['flow', 'a: [b, "c d", e\n  f]'],
  ])('%s', (_name, source) => {
    for (const node of scalarsOf(nodeOf(source))) {
      const value = String(node.value);
      for (let i = 0; i < value.length; i++) {
        const character = value[i] ?? '';
        const found = source[offsetInFile(node.segments, i)] ?? '';
        // Line breaks and escapes are written differently; everything else stands in the file as it is.
        if (/[\w{}|]/.test(character) && found !== '\\') expect(`${i}:${found}`).toBe(`${i}:${character}`);
        else expect(offsetInFile(node.segments, i)).toBeGreaterThanOrEqual(node.span.start);
      }
    }
  });

  it('of a text with many lines, in a time that does not grow with them', () => {
    const [node] = scalarsOf(nodeOf(`|\n${'  line\n'.repeat(20_000)}`));
    if (node === undefined) throw new Error('no scalar');
    const started = process.cpuUsage();
    for (let i = 0; i < 100_000; i++) offsetInFile(node.segments, i);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(1_000);
  });
});

function scalarsOf(node: YamlNode): readonly ScalarNode[] {
  if (node.kind === 'scalar') return [node];
  if (node.kind === 'list') return node.items.flatMap(scalarsOf);
  return node.entries.flatMap(({ value }) => scalarsOf(value));
}
