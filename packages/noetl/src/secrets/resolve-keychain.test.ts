import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlaybook } from '@noetl/playbook';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveKeychain } from './resolve-keychain.ts';

const folder = mkdtempSync(join(tmpdir(), 'noetl-secrets-'));
writeFileSync(join(folder, 'db_password'), 'from-a-file\n');
writeFileSync(join(folder, 'empty'), '\n');
afterAll(() => rmSync(folder, { recursive: true }));

const environment = { API_TOKEN: 'tok-from-env', USER_NAME: 'ada', EMPTY: '', token: 'by-its-own-name' };

function resolve(keychain: string, sources = {}) {
  const source = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nworkload: { env: prod }\nkeychain:\n${keychain}
workflow: [{ step: start, tool: { kind: noop } }]\n`;
  const { playbook, diagnostics } = readPlaybook(source, { file: 'test.yaml' });
  if (playbook === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const request = { workload: { env: 'prod' }, execution_id: 'e1', job: {} };
  return resolveKeychain(playbook.keychain, request, { environment, folder, ...sources });
}

describe('SEC-1: the keychain', () => {
  it.each([
    ['a variable', '{ name: t, kind: secret_manager, provider: env, key: API_TOKEN }', 'tok-from-env'],
    ['the default provider', '{ name: t, kind: secret_manager, key: API_TOKEN }', 'tok-from-env'],
    ['the name of the entry', '{ name: token, kind: secret_manager }', 'by-its-own-name'],
    ['a file', '{ name: t, kind: secret_manager, provider: file, key: db_password }', 'from-a-file'],
    [
      'a map',
      '{ name: t, kind: secret_manager, map: { user: USER_NAME, token: API_TOKEN } }',
      { user: 'ada', token: 'tok-from-env' },
    ],
    [
      'a template',
      '{ name: t, kind: static, value: { url: "https://{{ workload.env }}", n: 5 } }',
      { url: 'https://prod', n: 5 },
    ],
  ])('resolves %s', async (_, entry, value) => {
    const resolved = await resolve(`  - ${entry}`);
    expect('values' in resolved && Object.values(resolved.values)).toEqual([value]);
  });

  it('lets entries read earlier ones, and names what is secret in them', async () => {
    const resolved = await resolve(`  - { name: api_token, kind: secret_manager, key: API_TOKEN }
  - { name: api, kind: bearer, token: "{{ keychain.api_token }}" }
  - { name: door, kind: basic, username: ada, password: "{{ keychain.api_token }}!" }
  - { name: db, kind: static, value: { host: h, port: 5432, user: u, database: d, password: pw-123 } }`);
    expect(resolved).toEqual({
      values: {
        api_token: 'tok-from-env',
        api: { token: 'tok-from-env' },
        door: { username: 'ada', password: 'tok-from-env!' },
        db: { host: 'h', port: 5432, user: 'u', database: 'd', password: 'pw-123' },
      },
      secrets: [
        { name: 'api_token', value: 'tok-from-env' },
        { name: 'api.token', value: 'tok-from-env' },
        { name: 'door.password', value: 'tok-from-env!' },
        { name: 'db.password', value: 'pw-123' },
      ],
    });
  });

  it.each([
    [
      'a variable that is not set',
      '{ name: t, kind: secret_manager, key: NOPE }',
      "needs the environment variable 'NOPE', which is not set. Set it before noetl starts: export NOPE=…",
    ],
    [
      'a variable that a shell cannot set',
      '{ name: t, kind: secret_manager, key: my-token }',
      "needs the environment variable 'my-token', which is not set. Set it before noetl starts.",
    ],
    [
      'a variable that every object has',
      '{ name: t, kind: secret_manager, key: constructor }',
      "needs the environment variable 'constructor', which is not set.",
    ],
    [
      'an empty variable',
      '{ name: t, kind: secret_manager, key: EMPTY }',
      "needs the environment variable 'EMPTY', which is empty. Set it before noetl starts: export EMPTY=…",
    ],
    [
      'several variables that are not set',
      '{ name: t, kind: secret_manager, map: { user: NOBODY_SET, name: USER_NAME, password: NOR_THIS } }',
      "'NOBODY_SET', which is not set. Set it before noetl starts: export NOBODY_SET=…; it needs the environment variable 'NOR_THIS', which is not set.",
    ],
    [
      'a missing file',
      '{ name: t, kind: secret_manager, provider: file, key: nope }',
      `needs the file '${join(folder, 'nope')}', which is not there. Write the secret into it, or let NOETL_SECRETS name another folder.`,
    ],
    [
      'an empty file',
      '{ name: t, kind: secret_manager, provider: file, key: empty }',
      `'${join(folder, 'empty')}', which is empty.`,
    ],
    [
      'a path',
      '{ name: t, kind: secret_manager, provider: file, key: ../../etc/passwd }',
      'the name of a file is expected, not a path.',
    ],
    [
      'the folder above',
      '{ name: t, kind: secret_manager, provider: file, key: ".." }',
      'the name of a file is expected',
    ],
    [
      'a provider to come',
      '{ name: t, kind: secret_manager, provider: vault, key: x }',
      "the provider 'vault', which is not available in this release",
    ],
    [
      'a kind to come',
      '{ name: t, kind: oauth2, token_url: u, client_id: i, client_secret: s }',
      "of the kind 'oauth2', which is not available in this release",
    ],
    ['a token that is no text', '{ name: t, kind: bearer, token: "{{ [1] }}" }', "has a 'token' that is no text."],
  ])('names the entry with %s', async (_, entry, message) => {
    const resolved = await resolve(`  - ${entry}`);
    expect(resolved).toEqual({
      problems: [{ name: 't', message: expect.stringContaining(message) }],
    });
    expect(JSON.stringify(resolved)).toMatch(/^.*the keychain entry 't' /);
  });

  it('names every entry that cannot be resolved, and never a value', async () => {
    const resolved = await resolve(`  - { name: good, kind: secret_manager, key: API_TOKEN }
  - { name: bad, kind: secret_manager, key: NOPE }
  - { name: worse, kind: static, value: "{{ keychain.bad }}" }
  - { name: wrong, kind: static, value: "{{ keychain.good + 1 }}" }
  - { name: nested, kind: secret_manager, key: "{{ keychain.good }}" }`);
    expect('problems' in resolved && resolved.problems.map(({ name }) => name)).toEqual([
      'bad',
      'worse',
      'wrong',
      'nested',
    ]);
    expect(JSON.stringify(resolved)).not.toContain('tok-from-env');
  });

  it('has no files without a folder', async () => {
    const resolved = await resolve('  - { name: t, kind: secret_manager, provider: file }', { folder: undefined });
    expect(resolved).toMatchObject({
      problems: [
        {
          message:
            "the keychain entry 't' needs the file 't' of the folder that NOETL_SECRETS names, which is not set. Set it before noetl starts: export NOETL_SECRETS=FOLDER",
        },
      ],
    });
    const nowhere = await resolve('  - { name: t, kind: secret_manager, provider: file }', { folder: '/no/such' });
    expect(nowhere).toMatchObject({
      problems: [{ message: expect.stringContaining("'/no/such', which NOETL_SECRETS names, is not there") }],
    });
  });
});
