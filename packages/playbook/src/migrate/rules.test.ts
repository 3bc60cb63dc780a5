import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from './dialects.ts';
import { withRuleTables } from './rules/rule-table.testing.ts';
import { RULES } from './rules.ts';

const guide = readFileSync(new URL('../../../../docs/guides/moving-from-noetl.md', import.meta.url), 'utf8');

describe('the rules of the translation (MIG-1)', () => {
  it('are the tables of the guide: npm run generate:reference writes them', () => {
    expect(withRuleTables(guide)).toBe(guide);
    for (const id of Object.keys(RULES)) expect(guide).toContain(`| \`${id}\` |`);
  });

  it('are all applied by something', () => {
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sources = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('rules') && !/\.test(ing)?\.ts$/.test(file))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'))
      .join('\n');
    expect(Object.keys(RULES).filter((id) => !sources.includes(`'${id}'`))).toEqual([]);
  });

  it.each(Object.entries(RULES))('%s says what became of what, and why', (id, rule) => {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(rule.dialects.length).toBeGreaterThan(0);
    for (const dialect of rule.dialects) expect(DIALECTS).toContain(dialect);
    expect(rule.old).toMatch(/^[^\n`]+$/);
    expect(rule.new).toMatch(/^[^\n`]*$/);
    expect(rule.why).toMatch(/^[A-Z`'a-z][^\n]+\.$/);
    expect(rule.old).not.toBe(rule.new);
  });
});
