import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_CODES, Problem } from './problem.ts';

const PAGES = new URL('../../../../../docs/errors/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, PAGES), 'utf8');
const CODES = Object.keys(API_CODES);

describe('the codes of the API', () => {
  it('have a page each, and no others have one', () => {
    const pages = readdirSync(PAGES).filter((file) => file.startsWith('NOETL_API_') && file !== 'NOETL_API_VERSION.md');
    expect(pages.sort()).toEqual(CODES.map((code) => `${code}.md`).sort());
  });

  it.each(CODES)('%s is in the index, and its page shows it and says what to do', (code) => {
    expect(read('README.md')).toMatch(new RegExp(`^\\| \\[${code}\\]\\(${code}\\.md\\) \\| .{10,80}\\. \\|$`, 'm'));
    expect(read(`${code}.md`).startsWith(`# ${code}\n\n`)).toBe(true);
    expect(read(`${code}.md`)).toContain(`error: ${code}: `);
    expect(read(`${code}.md`)).toContain('**What to do.**');
  });

  it('stand in problems as RFC 9457 describes them, whatever their fields are called', () => {
    const problem = new Problem('NOETL_API_REQUEST', 'body.path: is missing.', { status: 200, errors: [] });
    expect(problem.document()).toEqual({
      type: 'urn:noetl:error:NOETL_API_REQUEST',
      title: 'the request is not what the API expects',
      status: 400,
      detail: 'body.path: is missing.',
      code: 'NOETL_API_REQUEST',
      errors: [],
    });
  });
});
