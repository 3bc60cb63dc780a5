import { describe, expect, it } from 'vitest';
import { withSingleKeys } from './duplicate-keys.ts';
import { migratePlaybook } from './migrate-playbook.ts';

describe('MIG-1 keys that stand twice', () => {
  it('count as the last says, and what the first said becomes a comment', () => {
    const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: p }
workflow:
  - step: start
    desc: first
    tool:
      kind: python
      code: |
        result = 1

        # done
      args: {}
      code: result = 2
    desc: second
`;
    const { text: after, notes, problems } = migratePlaybook(text, { file: 'p.yaml' });
    expect(after).toBe(`apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: p }
workflow:
  - step: start
    # desc: first
    tool:
      kind: python
      # code: |
      #   result = 1

      #   # done
      args: {}
      code: result = 2
    desc: second
`);
    expect(notes).toMatchObject([
      { rule: 'key-twice', line: 6, review: true },
      { rule: 'key-twice', line: 9, review: true },
    ]);
    expect(problems).toEqual([]);
    expect(migratePlaybook(after, { file: 'p.yaml' })).toMatchObject({ text: after, notes: [] });
  });

  it('are left to the reader where the first shares its line with something, or more is wrong', () => {
    expect(withSingleKeys('- desc: a\n  desc: b\n')).toBeUndefined();
    expect(withSingleKeys('{ a: 1, a: 2 }\n')).toBeUndefined();
    expect(withSingleKeys('a: 1\na: 2\nb: [\n')).toBeUndefined();
  });
});
