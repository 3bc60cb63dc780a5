import { describe, expect, it } from 'vitest';
import { Journal } from './journal.ts';

const TEXT = '# old\nname: x\nsteps:\n  - case: []\n    next: "{{ vars.a }}"\n';
const at = (word: string) => TEXT.indexOf(word);

describe('the journal of a migration (MIG-1)', () => {
  it('gives notes in the order of the file, each once', () => {
    const journal = new Journal('old.yaml', TEXT);
    journal.note('name-vars', at('vars'), "'vars.a' becomes 'ctx.a'", { review: true });
    journal.note('root-metadata', at('name'), "'name' goes into metadata");
    journal.note('root-metadata', at('name'), "'name' goes into metadata");
    expect(journal.notes()).toEqual([
      { rule: 'root-metadata', line: 2, column: 1, message: "'name' goes into metadata", review: false },
      { rule: 'name-vars', line: 5, column: 15, message: "'vars.a' becomes 'ctx.a'", review: true },
    ]);
    expect(journal.problems()).toEqual([]);
  });

  it('points at what could not be translated', () => {
    const journal = new Journal('old.yaml', TEXT);
    journal.problem(at('case'), "'case' is empty", 'Say when.');
    expect(journal.problems()).toEqual([
      {
        code: 'NOETL_UNTRANSLATABLE',
        severity: 'error',
        file: 'old.yaml',
        line: 4,
        column: 5,
        length: 4,
        message: "'case' is empty",
        hint: 'Say when.',
        sourceLine: '  - case: []',
      },
    ]);
  });

  it('keeps as many problems as anyone reads', () => {
    const journal = new Journal('old.yaml', TEXT);
    for (let i = 0; i < 5_000; i += 1) journal.problem(at('case'), `the ${i}th`, 'Say when.');
    expect(journal.problems()).toHaveLength(1_001);
    expect(journal.problems().at(-1)).toMatchObject({ code: 'NOETL_LIMIT' });
  });
});
