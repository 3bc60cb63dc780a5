import { describe, expect, it } from 'vitest';
import { migratePlaybook } from '../migrate-playbook.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\n';

describe('MIG-1 what a playbook began with', () => {
  it('is its first step, where none is named start', () => {
    const steps = 'workflow:\n  - step: run\n    tool: { kind: noop }\n';
    const { text, notes } = migratePlaybook(HEAD + steps, { file: 'p.yaml' });
    expect(text).toBe(`${HEAD}executor:\n  spec: { entry_step: run }\n${steps}`);
    expect(notes.map(({ rule }) => rule)).toEqual(['entry-step']);
    expect(migratePlaybook(text, { file: 'p.yaml' }).notes).toEqual([]);
  });

  it('is said beside what the executor says', () => {
    const steps = 'workflow:\n  - step: run\n    tool: { kind: noop }\n';
    const { text } = migratePlaybook(`${HEAD}executor:\n  profile: local\n${steps}`, { file: 'p.yaml' });
    expect(text).toBe(`${HEAD}executor:\n  profile: local\n  spec: { entry_step: run }\n${steps}`);
  });
});

describe('MIG-1 tokens that were made of a service account', () => {
  it('are kept as credentials, which the author must see to', () => {
    const rest = 'workflow:\n  - step: start\n    tool: { kind: noop }\n';
    const { text, notes } = migratePlaybook(
      `${HEAD}keychain:
  - name: id
    kind: google_id_token
    scope: global
    service_account_credential: sa
    target_audience: https://x
${rest}`,
      { file: 'p.yaml' },
    );
    expect(text).toBe(`${HEAD}keychain:\n  - name: id\n    kind: credential\n${rest}`);
    expect(notes.some(({ review }) => review)).toBe(true);
  });
});
