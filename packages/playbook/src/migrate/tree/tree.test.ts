import { describe, expect, it } from 'vitest';
import { readYaml } from '../../yaml/read-yaml.ts';
import { entry, flow, item, list, map, scalar } from './build.ts';
import { entryOf, fieldOf, mapScalars, rekeyed, renamedEntry, replacedValue, withEntry, without } from './edit.ts';
import { grow } from './grow.ts';
import { print } from './print.ts';
import { respelled } from './respell.ts';
import { edited, grown, touched } from './tree.testing.ts';
import type { MapTree, ScalarTree } from './tree.ts';

const TEXT = `# A report
name: report   # shown in lists
tool:
  # asks the server
  kind: http
  url: 'https://example.com' # fixed

steps:
- step: one
  code: |
    first
      second

    third
- # the second
  step: two
  args: {a: 1, b: [x, "y"]}
- - nested
  - "quoted \\"text\\""

# the end
`;

const inside = (root: MapTree, key: string, edit: (value: MapTree) => MapTree): MapTree => {
  const value = fieldOf(root, key);
  return value?.kind === 'map' ? replacedValue(root, key, edit(value)) : root;
};

describe('a document that is rewritten', () => {
  it('is printed byte for byte if nothing was changed', () => {
    expect(edited(TEXT, (root) => root)).toBe(TEXT);
  });

  it('keeps its comments and its values if everything was changed', () => {
    const text = edited(TEXT, touched);
    expect(text).toBe(TEXT.replace('- # the second\n  step: two', '# the second\n- step: two'));
  });

  it('has a text for nothing in brackets', () => {
    expect(edited('a: [&x , 1, {b: , c}]\n', touched)).toBe('a: [null, 1, {b: null, c: null}]\n');
  });

  it('changes only the line whose key was renamed', () => {
    const text = edited(TEXT, (root) => inside(root, 'tool', (tool) => renamedEntry(tool, 'url', 'endpoint')));
    expect(text).toBe(TEXT.replace('  url:', '  endpoint:'));
  });

  it('keeps the comments above an entry that is taken out', () => {
    const text = edited(TEXT, (root) => inside(root, 'tool', (tool) => without(tool, 'kind')));
    expect(text).toBe(TEXT.replace('  kind: http\n', ''));
  });

  it('moves an entry with its comments, further right or left', () => {
    const text = edited('a: 1\ntool:\n  # why\n  code: |\n    x\n      y\n  b: 2\n', (root) => {
      const tool = fieldOf(root, 'tool') as MapTree;
      const code = entryOf(tool, 'code');
      if (code === undefined) return root;
      return withEntry(
        inside(root, 'tool', (value) => without(value, 'code')),
        entry('deep', map(entry('deeper', map(code), 0)), 0),
      );
    });
    expect(text).toBe('a: 1\ntool:\n  # why\n  b: 2\ndeep:\n  deeper:\n    # why\n    code: |\n      x\n        y\n');
  });

  it('writes what is new in the style of playbooks', () => {
    const text = edited('a: 1\n', (root) =>
      withEntry(
        root,
        entry(
          'next',
          map(
            entry('spec', flow(map(entry('mode', 'inclusive', 0))), 0),
            entry(
              'arcs',
              list(item(map(entry('step', 'b', 0), entry('when', "{{ x == 'y' }}", 0)), 0), item('plain text', 0)),
              0,
            ),
            entry(
              'texts',
              list(item('true', 0), item('say "hi"', 0), item('a\nb\n', 0), item('', 0), item(null, 0)),
              0,
            ),
            entry('none', map(), 0),
          ),
          0,
        ),
      ),
    );
    expect(text).toBe(
      `a: 1\nnext:\n  spec: { mode: inclusive }\n  arcs:\n    - step: b\n      when: "{{ x == 'y' }}"\n    - plain text\n  texts:\n    - "true"\n    - 'say "hi"'\n    - |\n      a\n      b\n    - ""\n    - null\n  none: {}\n`,
    );
  });

  it('tells from which line each of its lines comes', () => {
    const { root, document } = grown('a: 1\nb:\n  c: |\n    x\n    y\nd: 2\n');
    const moved = fieldOf(root, 'b') as MapTree;
    const c = entryOf(moved, 'c');
    if (c === undefined) throw new Error('no c');
    const { text, origins } = print(withEntry(without(root, 'b'), rekeyed(c, 'code')), document);
    expect(text).toBe('a: 1\nd: 2\ncode: |\n  x\n  y\n');
    expect(origins.map(({ line }) => line)).toEqual([1, 6, 3, 4, 5, 7]);
  });

  it('is not there for a document with anchors', () => {
    for (const text of ['a: &x 1\nb: *x\n', 'a: &x {q: 1}\nb: *x\n', 'a: &x\n  q: 1\nb: *x\n']) {
      const yaml = readYaml(text);
      if ('error' in yaml || yaml.node.kind !== 'map') throw new Error('unreadable');
      expect(grow(text, yaml.node), text).toBeUndefined();
    }
  });
});

describe('a scalar whose text is edited', () => {
  const respell = (text: string, from: string, to: string): string =>
    edited(
      text,
      (root) =>
        mapScalars(root, (tree: ScalarTree) => {
          const at = typeof tree.value === 'string' ? tree.value.indexOf(from) : -1;
          return at < 0 ? tree : respelled(tree, [{ start: at, end: at + from.length, text: to }]);
        }) as MapTree,
    );

  it.each([
    ['plain', 'a: before vars.x after # note\n', 'a: before ctx.x after # note\n'],
    ['double quotes', 'a: "say \\"{{ vars.x }}\\"\\n"   # note\n', 'a: "say \\"{{ ctx.x }}\\"\\n"   # note\n'],
    ['single quotes', "a: 'it''s {{ vars.x }}'\n", "a: 'it''s {{ ctx.x }}'\n"],
    ['a block', 'a: |\n  one {{ vars.x }}\n\n    two\nb: 1\n', 'a: |\n  one {{ ctx.x }}\n\n    two\nb: 1\n'],
    ['a folded block', 'a: >-\n  one\n  {{ vars.x }}\n', 'a: >-\n  one\n  {{ ctx.x }}\n'],
    ['several lines', 'a: "one\n  {{ vars.x }}\n  two"\n', 'a: "one\n  {{ ctx.x }}\n  two"\n'],
    ['a flow map', 'a: { b: "{{ vars.x }}", c: 1 }\n', 'a: { b: "{{ ctx.x }}", c: 1 }\n'],
  ])('keeps its style: %s', (_, before, after) => {
    expect(respell(before, 'vars.x', 'ctx.x')).toBe(after);
  });

  it('escapes what its quotes would end', () => {
    expect(respell('a: "{{ x }}"\n', 'x', 'y["z"]')).toBe('a: "{{ y[\\"z\\"] }}"\n');
    expect(respell("a: '{{ x }}'\n", 'x', "y['z']")).toBe("a: '{{ y[''z''] }}'\n");
  });

  it('is quoted where the plain text would mean something else', () => {
    expect(respell('a: yes vars\n', 'vars', 'no: more')).toBe('a: "yes no: more"\n');
    expect(respell('a: x\n', 'x', 'true')).toBe('a: "true"\n');
  });

  it('is the same object if nothing changes', () => {
    const tree = scalar('text');
    expect(respelled(tree, [{ start: 0, end: 4, text: 'text' }])).toBe(tree);
  });
});
