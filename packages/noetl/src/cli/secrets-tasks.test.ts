import { afterAll, describe, expect, it } from 'vitest';
import { toolsUnderTest } from '../tools/task-call.testing.ts';
import { createExecutionSecrets } from './execution-secrets.ts';
import { systemClock } from './system-clock.ts';

const environment = { API_TOKEN: 'tok-1234', USER_NAME: 'ada', EMPTY: '' };
const open = (issued: readonly string[] = []) =>
  createExecutionSecrets({
    machine: { environment },
    clock: systemClock,
    credential: async () => undefined,
    issued: async () => new Set(issued),
    warn: () => undefined,
  });
const under = toolsUnderTest();
afterAll(() => under.tools.close());

describe('TOOL-2: the kind secrets', () => {
  it.each([
    ['key: API_TOKEN', { provider: 'env', key: 'API_TOKEN' }],
    ['provider: env\nkey: API_TOKEN', { provider: 'env', key: 'API_TOKEN' }],
    ['map: { user: USER_NAME, token: API_TOKEN }', { provider: 'env', map: { user: 'USER_NAME', token: 'API_TOKEN' } }],
  ])('gives a handle for %j, which never holds the value', async (fields, named) => {
    const secrets = open();
    const answer = await under.run(`kind: secrets\n${fields}`, { credentials: secrets.tools('e') });
    expect(answer).toEqual({ status: 'ok', result: { kind: 'credential_handle', ...named } });
    // From now on it is a secret.
    expect(secrets.of('e').redact('say tok-1234')).toMatch(/^say \[secret:[\w.]+\]$/);
  });

  it.each([
    ['key: NOPE', "the task 't' needs the environment variable 'NOPE', which is not set."],
    ['key: EMPTY', "needs the environment variable 'EMPTY', which is empty."],
    [
      'map: { a: NOPE, b: NEITHER }',
      "'NOPE', which is not set. Set it before noetl starts: export NOPE=…; it needs the",
    ],
    ['map: { a: "{{ [1] }}" }', "the task 't' names a secret with something that is no text."],
    ['provider: file\nkey: ../x', 'the name of a file is expected, not a path.'],
    ['provider: aws\nkey: x', 'Install it beside noetl: npm install @aws-sdk/client-secrets-manager'],
  ])('fails for %j with secret.unresolved', async (fields, message) => {
    const answer = await under.run(`kind: secrets\n${fields}`, { credentials: open().tools('e') });
    expect(answer).toMatchObject({
      status: 'error',
      result: null,
      error: { kind: 'secret.unresolved', retryable: false, message: expect.stringContaining(message) },
    });
  });

  it('fails for a provider that is none, and for a field of the wrong type', async () => {
    const credentials = open().tools('e');
    const wrong = await under.run('kind: secrets\nprovider: "{{ \'x\' }}"\nkey: x', { credentials });
    expect(wrong).toMatchObject({ error: { kind: 'task.field', message: expect.stringContaining("'provider'") } });
    const list = await under.run('kind: secrets\nkey: "{{ [1] }}"', { credentials });
    expect(list).toMatchObject({ error: { kind: 'task.field', message: expect.stringContaining("'key'") } });
  });
});

describe('a handle', () => {
  const handle = { kind: 'credential_handle', provider: 'env', key: 'API_TOKEN' };

  it('stands for its secret in the execution that got it, and in no other', async () => {
    const secrets = open();
    await under.run('kind: secrets\nkey: API_TOKEN', { credentials: secrets.tools('e') });
    expect(await secrets.tools('e').open(handle)).toEqual({ credential: 'tok-1234' });
    const elsewhere = await secrets.tools('other').open(handle);
    expect(elsewhere).toMatchObject({ problem: expect.stringContaining('was given by no task of this execution') });
  });

  it('stands for its secret after a restart if the log knows it, whatever the order of its fields', async () => {
    const secrets = open([JSON.stringify(['env', 'API_TOKEN', []])]);
    const { kind, provider, key } = handle;
    expect(await secrets.tools('e').open({ key, provider, kind })).toEqual({ credential: 'tok-1234' });
    expect(secrets.of('e').redact('tok-1234')).toBe('[secret:API_TOKEN]');
  });

  it.each([
    ['of another secret', { ...handle, key: 'USER_NAME' }],
    ['of another provider', { ...handle, provider: 'file' }],
    ['without a secret', { kind: 'credential_handle', provider: 'env' }],
    ['with a secret that is no text', { ...handle, key: 5 }],
  ])('%s is refused', async (_, forged) => {
    const secrets = open([JSON.stringify(['env', 'API_TOKEN', []])]);
    const answer = await under.run('kind: http\nurl: http://127.0.0.1:1/\nauth: "{{ workload.auth }}"', {
      workload: { auth: forged },
      credentials: secrets.tools('e'),
    });
    expect(answer).toMatchObject({ status: 'error', error: { kind: 'secret.unresolved', retryable: false } });
  });
});
