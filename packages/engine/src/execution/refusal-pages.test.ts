import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REFUSAL_CODES } from './decide.ts';

const PAGES = new URL('../../../../docs/errors/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, PAGES), 'utf8');

describe('the codes of refusals', () => {
  it('have a page each, and no others have one', () => {
    const pages = readdirSync(PAGES).filter((file) => /^NOETL_(EXECUTION|FORK|DATA)_/.test(file));
    expect(pages.sort()).toEqual(REFUSAL_CODES.map((code) => `${code}.md`).sort());
  });

  it.each(REFUSAL_CODES)('%s is in the index, and its page shows it and says what to do', (code) => {
    expect(read('README.md')).toMatch(new RegExp(`^\\| \\[${code}\\]\\(${code}\\.md\\) \\| .{10,80}\\. \\|$`, 'm'));
    expect(read(`${code}.md`).startsWith(`# ${code}\n\n`)).toBe(true);
    expect(read(`${code}.md`)).toContain(`error: ${code}: `);
    expect(read(`${code}.md`)).toContain('**What to do.**');
  });
});
