import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { DIAGNOSTIC_CODES } from './codes.ts';

const folder = new URL('../../../../docs/errors/', import.meta.url);
const pages = readdirSync(folder).filter((file) => file !== 'README.md');
const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: example }\n';

const page = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const exampleOf = (file: string): string | undefined => /```yaml\n([\s\S]*?)```/.exec(page(file))?.[1];

describe('the pages of error codes', () => {
  it('are exactly those of the codes, and all stand in the index', () => {
    expect(pages.map((file) => file.replace('.md', '')).sort()).toEqual([...DIAGNOSTIC_CODES].sort());
    const index = page('README.md');
    expect(pages.filter((file) => !index.includes(`](${file})`))).toEqual([]);
  });

  it.each(pages.filter((file) => exampleOf(file) !== undefined))('%s: its example has the problem', (file) => {
    const example = exampleOf(file) ?? '';
    const text = example.startsWith('apiVersion') ? example : HEAD + example;
    const codes = readPlaybook(text, { file: 'example.yaml' }).diagnostics.map(({ code }) => code);
    expect(codes).toContain(file.replace('.md', ''));
  });

  it.each(pages)('%s says what to do', (file) => {
    expect(page(file)).toMatch(/^# NOETL_\w+\n\n[\s\S]+\*\*What to do\.\*\* \S/);
  });

  it('have an example wherever a short one exists', () => {
    const without = pages.filter((file) => exampleOf(file) === undefined && !file.startsWith('NOETL_TEMPLATE_'));
    expect(without).toEqual(['NOETL_LIMIT.md']);
  });
});
