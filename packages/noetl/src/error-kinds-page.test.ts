import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TOOL_ERROR_KINDS } from './tools/error-kinds.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/reference/error-kinds.md'), 'utf8');

/** Where the program itself states an error, it names the kind literally. */
const STATED = /\b(?:failure|failed|none)\(\s*(?:draft, pipeline, )?'([a-z_]+(?:\.[a-z_]+)*)'/g;

function kindsInSources(): ReadonlySet<string> {
  const sources = ['engine', 'noetl'].flatMap((name) => {
    const folder = join(root, 'packages', name, 'src');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
  });
  const own = sources.filter((file) => file.endsWith('.ts') && !/\.(?:test|testing)\.ts$/.test(file));
  return new Set(own.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(STATED)].map(([, kind = '']) => kind)));
}

describe('the reference of error kinds', () => {
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)];

  it('lists every kind that the program states, once, and no other', () => {
    const kinds = new Set([...kindsInSources(), ...Object.keys(TOOL_ERROR_KINDS)]);
    expect(rows.map(([, kind]) => kind).toSorted()).toEqual([...kinds].toSorted());
  });

  it.each(rows.map(([, kind = '', ...told]) => [kind, told] as const))(
    'says of %s what it means and what to do',
    (_, told) => {
      const [meaning = '', again = '', advice = ''] = told;
      expect(meaning).toMatch(/\.$/);
      expect(again).not.toBe('');
      expect(advice).toMatch(/\.$/);
    },
  );
});
