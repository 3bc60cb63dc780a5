import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { migratePlaybook } from './migrate-playbook.ts';
import { olderDocument } from './older-documents.testing.ts';

const ROOT = new URL('../../../../', import.meta.url);
const migrate = (text: string) => migratePlaybook(text, { file: 'older.yaml' });
const errorsOf = (text: string) =>
  readPlaybook(text, { file: 'migrated.yaml' }).diagnostics.filter(({ severity }) => severity === 'error');
const commentsOf = (text: string) => (text.match(/# c\d+/g) ?? []).sort();

describe('an older playbook, whatever it is (MIG-1)', () => {
  it('is a valid one afterwards, unless something could not be translated', () => {
    let [clean, all] = [0, 0];
    fc.assert(
      fc.property(olderDocument, (text) => {
        expect(readYaml(text)).not.toHaveProperty('error');
        const { text: migrated, problems, notes } = migrate(text);
        all += 1;
        if (problems.length > 0) return;
        clean += 1;
        expect(errorsOf(migrated)).toEqual([]);
        if (migrated !== text) expect(notes.length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
    expect(clean / all).toBeGreaterThan(0.6);
  });

  it('is not changed by migrating it again', () => {
    fc.assert(
      fc.property(olderDocument, (text) => {
        const once = migrate(text);
        if (once.problems.length > 0) return;
        const twice = migrate(once.text);
        expect(twice.text).toBe(once.text);
        expect(twice.notes).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('keeps every comment', () => {
    fc.assert(
      fc.property(olderDocument, (text) => {
        expect(commentsOf(migrate(text).text)).toEqual(commentsOf(text));
      }),
      { numRuns: 100 },
    );
  });

  it('says for each line where it comes from', () => {
    fc.assert(
      fc.property(olderDocument, (text) => {
        const { text: migrated, origins } = migrate(text);
        const lines = text.split('\n').length;
        expect(origins.length).toBeGreaterThanOrEqual(migrated.split('\n').length - 1);
        for (const { line } of origins) expect(line >= 1 && line <= lines).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a canonical playbook', () => {
  /** Examples, and the playbooks of the conformance cases. */
  const files = ['examples', 'conformance'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.ya?ml$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const canonical = files
    .map((file) => [file, readFileSync(new URL(file, ROOT), 'utf8')] as const)
    .filter(([file, text]) => readPlaybook(text, { file }).playbook !== undefined);

  it('is returned byte for byte, without a note', () => {
    expect(canonical.length).toBeGreaterThan(100);
    const changed = canonical.filter(([file, text]) => {
      const { text: migrated, notes, problems } = migratePlaybook(text, { file });
      return migrated !== text || notes.length > 0 || problems.length > 0;
    });
    expect(changed.map(([file]) => file)).toEqual([]);
  });

  it('may have been one of an older dialect', () => {
    fc.assert(
      fc.property(olderDocument, (text) => {
        const { text: migrated, problems } = migrate(text);
        if (problems.length > 0) return;
        const onWindows = `\ufeff${migrated.replaceAll('\n', '\r\n')}`;
        expect(migrate(onWindows)).toMatchObject({ text: onWindows, notes: [] });
      }),
      { numRuns: 50 },
    );
  });
});
