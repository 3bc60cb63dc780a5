import { describe, expect, it } from 'vitest';
import { migratePlaybook } from './migrate-playbook.ts';

const OLDER = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: small }
workflow:
  - step: start # the first
    next: end
`;

const migrated = (text: string) => migratePlaybook(text, { file: 'a.yaml' });

describe('MIG-1: a document that is migrated', () => {
  it('keeps the ends of its lines and its byte order mark', () => {
    const { text, problems } = migrated(`\ufeff${OLDER.replaceAll('\n', '\r\n')}`);
    expect(problems).toEqual([]);
    expect(text).toBe(
      `\ufeff${OLDER.replace('next: end', 'next:\n      arcs:\n        - step: end').replaceAll('\n', '\r\n')}`,
    );
  });

  it('is left alone if it uses anchors, and its author is told', () => {
    const text = OLDER.replace('{ name: small }', '&m { name: small }');
    const migration = migrated(text);
    expect(migration.text).toBe(text);
    expect(migration.problems.map(({ code, hint }) => [code, hint])).toEqual([
      ['NOETL_UNTRANSLATABLE', 'Write the values out where the aliases stand, then migrate.'],
    ]);
  });

  it('is left alone if the canonical form would be too long', () => {
    const step = (i: number) => `  - step: s${i}\n    next: s${i + 1}\n`;
    const steps = Array.from({ length: 900 }, (_, i) => step(i)).join('');
    const long = `${OLDER.replace('next: end', 'next: s0')}${steps}# ${'x'.repeat(1_048_576 - 40_000)}\n`;
    const { text, problems } = migrated(long);
    expect(text).toBe(long);
    expect(problems.map(({ message }) => message)).toEqual([
      'the canonical form has more than 1 MiB, the limit of a playbook',
    ]);
  });

  it.each(['', 'just text\n', '- a\n- b\n', 'a: [1\n', 'a: 1\n\tb: 2\n'])('is a playbook: %j is not', (text) => {
    const migration = migrated(text);
    expect(migration.text).toBe(text);
    expect(migration.problems.length).toBeGreaterThan(0);
  });
});
