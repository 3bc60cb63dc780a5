import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STORE_ERROR_CODES } from './store-error.ts';

const PAGES = new URL('../../../../docs/errors/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, PAGES), 'utf8');

describe('the codes of stores', () => {
  it('have a page each, and no others have one', () => {
    const pages = readdirSync(PAGES).filter((file) => file.startsWith('NOETL_STORE_'));
    expect(pages.sort()).toEqual(STORE_ERROR_CODES.map((code) => `${code}.md`).sort());
  });

  it('are listed once in the index', () => {
    const listed = Array.from(read('README.md').matchAll(/^\| \[(NOETL_STORE_\w+)\]\(\1\.md\) \| .{10,80}\. \|$/gm));
    expect(listed.map(([, code]) => code)).toEqual([...STORE_ERROR_CODES]);
  });

  it.each(STORE_ERROR_CODES)('%s has a page that shows it and says what to do', (code) => {
    const page = read(`${code}.md`);
    expect(page.startsWith(`# ${code}\n\n`)).toBe(true);
    expect(page).toContain(`error: ${code}: `);
    expect(page).toContain('**What to do.**');
  });
});
