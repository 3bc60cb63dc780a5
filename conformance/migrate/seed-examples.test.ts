import { migratePlaybook, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { SEED_EXAMPLES } from './example.testing.ts';

describe('MIG-1 the examples of the seeds', () => {
  it.each(SEED_EXAMPLES.map((example) => [example.name, example] as const))(
    '%s becomes the canonical text that was reviewed, and stays it',
    (_, { original, expected }) => {
      const { text, problems, notes } = migratePlaybook(original.text, { file: original.file });
      expect(problems).toEqual([]);
      expect(text).toBe(expected.text);
      expect(notes.length > 0).toBe(text !== original.text);
      expect(
        readPlaybook(text, { file: expected.file }).diagnostics.filter(({ severity }) => severity === 'error'),
      ).toEqual([]);
      expect(migratePlaybook(text, { file: expected.file })).toMatchObject({ text, notes: [], problems: [] });
    },
  );
});
