import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPlaybook } from '@noetl/playbook';
import { afterAll, describe, expect, it } from 'vitest';
import type { OpenedCredential } from './credential-store.ts';
import { KeyProblem } from './key-problem.ts';
import { type Keychain, openKeychain } from './keychain.ts';
import type { KeychainSources } from './keychain-entry.ts';
import { openSecretProviders } from './secret-providers.ts';

const folder = mkdtempSync(join(tmpdir(), 'noetl-secrets-'));
writeFileSync(join(folder, 'db_password'), 'from-a-file\n');
writeFileSync(join(folder, 'empty'), '\n');
afterAll(() => rmSync(folder, { recursive: true }));

const environment = { API_TOKEN: 'tok-from-env', USER_NAME: 'ada', EMPTY: '', token: 'by-its-own-name' };

const STORE: Readonly<Record<string, OpenedCredential>> = {
  api: { kind: 'bearer', value: { token: 'tok-from-store' } },
  plain: { kind: 'secret', value: 'text-from-store' },
  warehouse: { kind: 'postgres', value: { host: 'h', port: 5432, user: 'u', password: 'pw-in-store', database: 'd' } },
  pg_dsn: { kind: 'secret', value: 'postgres://u:pw@h/d' },
  client: { kind: 'oauth2', value: { token_url: 'http://i', client_id: 'c', client_secret: 'client-secret-1' } },
};

interface Given {
  readonly folder?: string | undefined;
}

function open(keychain: string, given: Given = {}): Promise<Keychain> {
  const source = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nworkload: { env: prod }\nkeychain:\n${keychain}
workflow: [{ step: start, tool: { kind: noop } }]\n`;
  const { playbook, diagnostics } = readPlaybook(source, { file: 'test.yaml' });
  if (playbook === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const request = { workload: { env: 'prod' }, execution_id: 'e1', job: {} };
  const secrets = 'folder' in given ? given.folder : folder;
  const sources: KeychainSources = {
    providers: openSecretProviders({ environment: { ...environment, NOETL_SECRETS: secrets } }),
    credential: async (name) => {
      if (name === 'locked') throw new KeyProblem('the key is gone.');
      return STORE[name];
    },
    token: async () => ({ token: 'token-of-oauth2', expiresAt: undefined }),
  };
  return openKeychain(playbook.keychain, request, sources, 0);
}

/** As the execution that declares it sees it: all values and what is secret of them, or what is wrong. */
async function resolve(keychain: string, given: Given = {}) {
  const opened = await open(keychain, given);
  const problems = opened.problems();
  return problems.length > 0 ? { problems } : { values: opened.values(), secrets: opened.secrets() };
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
    ['the store', '{ name: t, kind: credential, credential: plain }', 'text-from-store'],
    ['the store by the name of the entry', '{ name: api, kind: credential }', { token: 'tok-from-store' }],
    ['a client of the store', '{ name: t, kind: credential, credential: client }', { token: 'token-of-oauth2' }],
    [
      'a database of the store',
      '{ name: warehouse, kind: postgres_credential }',
      { host: 'h', port: 5432, user: 'u', password: 'pw-in-store', database: 'd' },
    ],
    [
      'a database of the store on another host',
      '{ name: t, kind: postgres_credential, credential: warehouse, host: replica }',
      { host: 'replica', port: 5432, user: 'u', password: 'pw-in-store', database: 'd' },
    ],
    ['a connection string of the store', '{ name: pg_dsn, kind: postgres_credential }', { dsn: 'postgres://u:pw@h/d' }],
    ['a connection string', '{ name: t, kind: postgres_credential, dsn: "postgres://h/d" }', { dsn: 'postgres://h/d' }],
    [
      'a database that is spelled out',
      '{ name: t, kind: postgres_credential, host: h, port: 5433, user: u, password: pw, database: d }',
      { host: 'h', port: 5433, user: 'u', password: 'pw', database: 'd' },
    ],
    [
      'a client',
      '{ name: t, kind: oauth2, token_url: "http://i", client_id: c, client_secret: s }',
      { token: 'token-of-oauth2' },
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
      'a provider that does not exist',
      '{ name: t, kind: secret_manager, provider: "{{ workload.env }}", key: x }',
      "the provider 'prod', which does not exist; there are env, file, vault, gcp, aws, azure.",
    ],
    [
      'a credential that nobody has set',
      '{ name: t, kind: credential, credential: nope }',
      "needs the credential 'nope', which the data folder does not have. Set it: noetl credential set nope",
    ],
    [
      'a credential whose key is gone',
      '{ name: t, kind: credential, credential: locked }',
      "needs the credential 'locked' of the data folder, which cannot be opened: the key is gone.",
    ],
    [
      'half a database',
      '{ name: t, kind: postgres_credential, host: h, user: u }',
      "lacks 'database' (or a 'dsn' instead of all parts).",
    ],
    ['a database that is a token', '{ name: t, kind: postgres_credential, credential: api }', "lacks 'host'"],
    [
      'a port that is none',
      '{ name: t, kind: postgres_credential, host: h, user: u, database: d, port: "{{ workload.env }}" }',
      "has a 'port' that is no whole number.",
    ],
    [
      'a client without a secret',
      '{ name: t, kind: oauth2, token_url: u, client_id: i, client_secret: "" }',
      "has a 'client_secret' that is no text.",
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
