import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { YamlNode } from '../../yaml/node.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { YAML_LINES } from '../../yaml/yaml-lines.testing.ts';
import { grow } from './grow.ts';
import { print } from './print.ts';
import { touched } from './tree.testing.ts';

const SEED = 20_261_115;
const CORPUS = new URL('../../../../../../shared/corpus/', import.meta.url);

const plain = (node: YamlNode): unknown => {
  if (node.kind === 'scalar') return node.value;
  return node.kind === 'list' ? node.items.map(plain) : node.entries.map(({ key, value }) => [key, plain(value)]);
};

/** Untouched it is the same text; if everything was touched, the same values. */
function survives(text: string): void {
  const yaml = readYaml(text);
  if ('error' in yaml || yaml.node.kind !== 'map') return;
  const tree = grow(text, yaml.node);
  if (tree === undefined) return;
  expect(print(tree.root, tree.document).text).toBe(text);
  const printed = print(touched(tree.root), tree.document);
  const again = readYaml(printed.text);
  if ('error' in again) throw new Error(`${text}\nis printed as\n${printed.text}\n${again.error.message}`);
  expect(plain(again.node), `${text}\nis printed as\n${printed.text}`).toEqual(plain(yaml.node));
  expect(printed.origins.length).toBe(printed.text.split('\n').length);
}

describe('trees that are printed again', () => {
  it('say the same, whatever the document', () => {
    const line = fc.tuple(
      fc.constantFrom('', '', '', '  ', '  ', '    ', ' '),
      fc.constantFrom(...YAML_LINES, '# note', 'ae: [&w , 2]', 'af: {h: , i}'),
    );
    const document = fc
      .array(line, { minLength: 1, maxLength: 8 })
      .map((lines) => `${lines.map((parts) => parts.join('')).join('\n')}\n`);
    fc.assert(fc.property(document, survives), { seed: SEED, numRuns: 8_000 });
  });

  it.skipIf(!existsSync(CORPUS))('say the same for real playbooks', () => {
    for (const folder of readdirSync(CORPUS, { withFileTypes: true })) {
      if (!folder.isDirectory()) continue;
      const path = new URL(`${folder.name}/`, CORPUS);
      for (const file of readdirSync(path))
        survives(readFileSync(new URL(file, path), 'utf8').replaceAll('\r\n', '\n'));
    }
  });
});
