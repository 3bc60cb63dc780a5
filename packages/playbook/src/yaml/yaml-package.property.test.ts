import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { YAML_LINES, YAML_SCALARS } from './yaml-lines.testing.ts';
import { compareWithYamlPackage } from './yaml-package.testing.ts';

const SEED = 20_260_301;
const CORPUS = new URL('../../../../../shared/corpus/', import.meta.url);

function agrees(text: string): boolean {
  const comparison = compareWithYamlPackage(text);
  if (comparison.verdict === 'different') {
    throw new Error(`${JSON.stringify(text)}\n ours   ${comparison.ours}\n theirs ${comparison.theirs}`);
  }
  return true;
}

const lineBreak = fc.constantFrom('\n', '\n', '\n', '\r\n');

describe('our reader and the npm package yaml read the same', () => {
  it('in any order of lines and indentation', () => {
    const line = fc.tuple(fc.constantFrom('', '', '', '  ', '  ', '    ', ' '), fc.constantFrom(...YAML_LINES));
    const document = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 8 }), lineBreak)
      .map(([lines, end]) => `${lines.map((parts) => parts.join('')).join(end)}${end}`);
    fc.assert(fc.property(document, agrees), { seed: SEED, numRuns: 6_000 });
  });

  it('in any text of one line', () => {
    const text = fc
      .array(fc.constantFrom(...YAML_SCALARS), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        text,
        (value) => agrees(`key: ${value}\n`) && agrees(`- ${value}\n- next\n`) && agrees(`[${value}]\n`),
      ),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  it('in any text in quotes', () => {
    const text = fc.array(
      fc.constantFrom(' ', '\n', '\n  ', '\\n', '\\\n  z', "''", '\\"', '{{ x }}', 'a', '#', ': ', '\\x41', '\\t'),
      {
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const inside = parts.join('');
        const single = inside.replaceAll("'", "''");
        return (
          agrees(`"${inside}"`) && agrees(`a:\n  b: "${inside.replaceAll('\n', '\n    ')}"\n`) && agrees(`'${single}'`)
        );
      }),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  it('in any block of text', () => {
    const header = fc
      .tuple(fc.constantFrom('|', '>'), fc.constantFrom('', '-', '+'), fc.constantFrom('', '', '2'))
      .map((parts) => parts.join(''));
    const lines = fc.array(fc.constantFrom('x', '  y', '', '', ' z', '# w', '- v: {{ u }}', 't \\ "'), {
      maxLength: 7,
    });
    fc.assert(
      fc.property(header, lines, fc.constantFrom('', 'next: 1\n', '# end\n'), (head, body, after) => {
        const indented = body.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('');
        return agrees(`a: ${head}\n${indented}${after}`) && agrees(`- ${head}\n${indented}`);
      }),
      { seed: SEED, numRuns: 3_000 },
    );
  });

  it('in any JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => agrees(text)),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  it.skipIf(!existsSync(CORPUS))('in every playbook of the corpus', () => {
    const files = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ya?ml$/.test(file));
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) agrees(readFileSync(new URL(file, CORPUS), 'utf8'));
  });
});
