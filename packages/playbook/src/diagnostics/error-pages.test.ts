import { readdirSync, readFileSync } from 'node:fs';
import { TEMPLATE_ERROR_CODES } from '@noetl/template';
import { describe, expect, it } from 'vitest';
import { migratePlaybook } from '../migrate/migrate-playbook.ts';
import { readPlaybook } from '../read-playbook.ts';
import { DIAGNOSTIC_CODES } from './codes.ts';
import type { Diagnostic } from './diagnostic.ts';
import { formatPretty } from './format.ts';

const PAGES = new URL('../../../../docs/errors/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, PAGES), 'utf8');
/** Codes of executions, stores and servers, whose pages have tests of their own. */
const ELSEWHERE = /^NOETL_(STORE|EXECUTION|DRIVER|FORK|DATA|SERVER|API(?!_VERSION))_/;
/** Its example would be a thousand steps long; see the tests of DOC-4 and DOC-6. */
const WITHOUT_EXAMPLE: ReadonlySet<string> = new Set(['NOETL_LIMIT', ...TEMPLATE_ERROR_CODES]);

/** What is said about an example, by reading it or by migrating it. */
const diagnosticsOf = (code: string, text: string): readonly Diagnostic[] =>
  code === 'NOETL_UNTRANSLATABLE'
    ? migratePlaybook(text, { file: 'playbook.yaml' }).problems
    : readPlaybook(text, { file: 'playbook.yaml' }).diagnostics;

/** The fenced blocks of a page, in order. */
function blocks(page: string, language: string): readonly string[] {
  const fenced = Array.from(page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm));
  return fenced.filter(([, found]) => found === language).map(([, , text = '']) => text);
}

it('every code has a page, every page a code', () => {
  const pages = readdirSync(PAGES).filter((file) => file !== 'README.md' && !ELSEWHERE.test(file));
  expect(pages.sort()).toEqual(DIAGNOSTIC_CODES.map((code) => `${code}.md`).sort());
});

it('the index lists every code once, with one line about it', () => {
  const listed = Array.from(read('README.md').matchAll(/^\| \[(NOETL_\w+)\]\((NOETL_\w+)\.md\) \| (.+) \|$/gm));
  const lines = listed.filter(([, code = '']) => !ELSEWHERE.test(code));
  expect(lines.map(([, code]) => code).sort()).toEqual([...DIAGNOSTIC_CODES].sort());
  for (const [, code, page, text = ''] of lines) {
    expect(page).toBe(code);
    expect(text).toMatch(/^.{10,80}\.$/);
  }
});

describe.each(DIAGNOSTIC_CODES)('the page of %s', (code) => {
  const page = read(`${code}.md`);

  it('has the code as its title, and says what to do', () => {
    expect(page.startsWith(`# ${code}\n\n`)).toBe(true);
    expect(page).toContain('**What to do.**');
  });
});

describe.each(DIAGNOSTIC_CODES.filter((code) => !WITHOUT_EXAMPLE.has(code)))('the page of %s', (code) => {
  const page = read(`${code}.md`);

  it('shows an example with exactly what is printed about it', () => {
    const [example = ''] = blocks(page, 'yaml');
    const [printed] = blocks(page, '');
    const diagnostics = diagnosticsOf(code, example);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
    expect(printed).toBe(`${diagnostics.map((diagnostic) => formatPretty(diagnostic, false)).join('\n')}\n`);
  });

  it('shows a corrected example that is right', () => {
    for (const corrected of blocks(page, 'yaml').slice(1)) {
      expect(readPlaybook(corrected, { file: 'playbook.yaml' }).diagnostics).toEqual([]);
    }
  });

  it('calls itself a warning exactly if it is one', () => {
    const [example = ''] = blocks(page, 'yaml');
    const [diagnostic] = diagnosticsOf(code, example);
    expect(/[Tt]his is a warning/.test(page)).toBe(diagnostic?.severity === 'warning');
  });
});
