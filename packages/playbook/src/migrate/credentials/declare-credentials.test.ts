import { describe, expect, it } from 'vitest';
import { migratePlaybook } from '../migrate-playbook.ts';

const migrated = (text: string) => {
  const { text: after, notes, dialects } = migratePlaybook(text, { file: 'p.yaml' });
  return { after, rules: notes.map(({ rule }) => rule), dialects: dialects.map(({ dialect }) => dialect) };
};

describe('a credential that the keychain does not declare', () => {
  it('MIG-1 is declared, as what its task needs', () => {
    const head = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\n';
    const rest = `
workflow:
  - step: start
    tool: { kind: postgres, auth: pg_k8s, query: SELECT 1 }
`;
    expect(migrated(head + rest)).toEqual({
      after: `${head}
keychain:
  - name: pg_k8s
    kind: postgres_credential
${rest}`,
      rules: ['credential-declared'],
      dialects: ['public-names'],
    });
  });

  it('MIG-1 is declared as what the workload names, and the task asks for the entry', () => {
    const before = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: p }
workload: { db: pg_k8s, other: x }
keychain:
  # ours
  - { name: api, kind: bearer, token: t }
workflow:
  - step: start
    tool:
      - read: { kind: postgres, auth: "{{ workload.db }}", query: SELECT 1 }
      - again: { kind: postgres, auth: "{{ db }}", query: SELECT 2 }
      - call: { kind: http, auth: api, url: "http://localhost" }
      - dynamic: { kind: http, auth: "{{ ctx.which }}", url: "http://localhost" }
`;
    expect(migrated(before)).toEqual({
      after: before
        .replace(
          'token: t }\n',
          `token: t }
  - name: db
    kind: postgres_credential
    credential: "{{ workload.db }}"
`,
        )
        .replace('"{{ workload.db }}", query', 'db, query')
        .replace('"{{ db }}"', 'db'),
      rules: ['credential-declared'],
      dialects: ['public-names'],
    });
  });

  it('MIG-1 is declared once: migrating again changes nothing', () => {
    const { after } = migrated(`apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: p }
workload: { db: pg_k8s }
workflow: [{ step: start, tool: { kind: postgres, auth: "{{ db }}", query: SELECT 1 } }]
`);
    expect(migrated(after)).toEqual({ after, rules: [], dialects: ['v10'] });
  });
});
