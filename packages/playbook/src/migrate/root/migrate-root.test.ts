import { describe, expect, it } from 'vitest';
import { trimmed } from '../flow/flow.testing.ts';
import { migratePlaybook } from '../migrate-playbook.ts';

const STEP = '\nworkflow:\n  - step: start\n    tool: { kind: noop }\n';
const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\n';

function migrated(text: string) {
  const { text: now, notes, problems } = migratePlaybook(text, { file: 'p.yaml' });
  return {
    now,
    rules: [...new Set(notes.map(({ rule, review }) => rule + (review ? '?' : '')))],
    problems: problems.map(({ line, message }) => `${line}: ${message}`),
  };
}

/** Of a section below the usual head. */
const section = (text: string) => {
  const { now, ...rest } = migrated(HEAD + text + STEP);
  return { ...rest, now: now.slice(HEAD.length, -STEP.length) };
};

describe('the root of a playbook (MIG-1)', () => {
  it('gives a playbook of seed 004 its version and metadata', () => {
    const old = `# all of it\napiVersion: noetl.io/v1 # old\nkind: Playbook\nname: p # short\npath: a/p\n${STEP}`;
    const now = `# all of it\napiVersion: noetl.io/v2 # old\nkind: Playbook\nmetadata:\n  name: p # short\n  path: a/p\n${STEP}`;
    expect(migrated(old)).toEqual({ now, rules: ['api-version', 'root-metadata'], problems: [] });
    expect(migrated(now)).toEqual({ now, rules: [], problems: [] });
  });

  it('says the kind where it is missing', () => {
    const { now, rules } = migrated(`apiVersion: noetl.io/v2\nmetadata: { name: p }${STEP}`);
    expect(now).toBe(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }${STEP}`);
    expect(rules).toEqual(['kind-missing']);
  });

  it.each([
    [
      'the runtime that runs it',
      'executor: { profile: local, version: noetl-runtime/1 }\n',
      'executor: { profile: local, version: noetl-runtime/2 }\n',
      ['executor-version'],
    ],
    [
      'defaults of an executor',
      `
        executor:
          profile: auto
          requires: { tools: [http] }
          spec:
            entry_step: start
            no_next_is_error: false
            policy: { defaults: { timeout_s: 30 }, results: { reference_first: true } }
      `,
      `
        executor:
          spec:
            entry_step: start
            timeout: 30
      `,
      ['root-removed?', 'root-removed', 'task-spec'],
    ],
    ['tracing', 'tracing: { enabled: true }\n', '', ['root-removed?']],
    [
      'a secret manager',
      `
        keychain:
          - name: openai # key
            kind: secrets
            scope: global
            provider: gcp
            auth: google
            map: { api_key: a }
      `,
      `
        keychain:
          - name: openai # key
            kind: secret_manager
            provider: gcp
            map: { api_key: a }
      `,
      ['keychain-key', 'keychain-key?'],
    ],
    [
      'a token by client credentials',
      `
        keychain:
          - name: api
            kind: oauth2
            auto_renew: true
            endpoint: https://x/token
            method: POST
            headers: { Content-Type: application/x-www-form-urlencoded }
            data:
              grant_type: client_credentials
              client_id: a
              client_secret: b
      `,
      `
        keychain:
          - name: api
            kind: oauth2
            token_url: https://x/token
            client_id: a
            client_secret: b
      `,
      ['keychain-key'],
    ],
    [
      'a reference to a credential',
      'keychain: [{ name: g, type: google_oauth, ref: google }]\n',
      'keychain: [{ name: g, kind: credential, credential: google }]\n',
      ['keychain-key?', 'keychain-key'],
    ],
    [
      'tasks of the workbook',
      `
        workbook:
          - name: add # sums
            tool:
              kind: python
              libs: {}
              input: { a: 1 }
              code: result = a
          - name: ask
            type: http
            endpoint: u
      `,
      `
        workbook:
          - name: add # sums
            kind: python
            args: { a: 1 }
            code: result = a
          - name: ask
            kind: http
            url: u
      `,
      ['workbook-list', 'tool-field-removed', 'task-args', 'tool-field'],
    ],
  ])('%s', (_, old, now, rules) => {
    const [before, after] = [old.startsWith('\n') ? trimmed(old) : old, now.startsWith('\n') ? trimmed(now) : now];
    expect(section(before)).toEqual({ now: after, rules, problems: [] });
    expect(section(after)).toEqual({ now: after, rules: [], problems: [] });
  });

  it('puts variables of the root into ctx by a first task', () => {
    const { now, rules } = migrated(`${HEAD}vars:\n  # from here\n  page: 1 # first${STEP}`);
    expect(now).toBe(
      `${HEAD}workflow:\n${trimmed(`
        - step: start
          tool:
            - name: init_vars
              kind: noop
              spec:
                policy:
                  rules:
                    - else:
                        then:
                          do: continue
                          set_ctx:
                            # from here
                            page: 1 # first
            - { kind: noop }
      `).replace(/^(?=.)/gm, '  ')}`,
    );
    expect(rules).toEqual(['root-vars']);
  });

  it('puts variables of the root into ctx by a step of its own where the first step comes again', () => {
    const again =
      '\nworkflow:\n  - step: start\n    tool: { kind: noop }\n    next: { arcs: [{ step: start, when: false }] }\n';
    const { now, problems } = migrated(`${HEAD}vars: { page: 1 }${again}`);
    expect(problems).toEqual([]);
    expect(now).toContain('  spec:\n    entry_step: init_vars\n');
    expect(now).toContain('  - step: init_vars\n    tool:\n      kind: noop\n');
    expect(now).toContain('    next:\n      arcs:\n        - step: start\n');
  });

  it.each([
    [
      'no_next_is_error',
      'executor: { spec: { no_next_is_error: true } }\n',
      "'no_next_is_error' makes a branch that goes nowhere an error",
    ],
    [
      'another grant',
      'keychain: [{ name: a, kind: oauth2, endpoint: u, data: { grant_type: password } }]\n',
      'the token is asked for with grant_type password',
    ],
    [
      'a sink in the workbook',
      'workbook: [{ name: a, kind: noop, sink: { tool: { kind: postgres } } }]\n',
      "a task of the workbook has a 'sink': it is one task",
    ],
  ])('refuses %s', (_, text, message) => {
    expect(section(text).problems).toEqual([`4: ${message}`]);
  });
});
