import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fromVault } from './vault-provider.ts';

/** A server that speaks the part of Vault's protocol that is used: reading from KV stores of version 2. */
const KEPT: Readonly<Record<string, object>> = {
  '/v1/secret/data/token': { value: 'tok-in-vault' },
  '/v1/secret/data/app': { user: 'ada', password: 'pw-in-vault' },
  '/v1/kv/data/team/db': { dsn: 'postgres://h/d', port: 5432 },
  '/v1/secret/data/empty': { value: '' },
};
const asked: IncomingMessage[] = [];
const server = createServer((request, response) => {
  asked.push(request);
  const answer = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.headers['x-vault-token'] !== 'root-token') return answer(403, { errors: ['permission denied'] });
  if (request.url === '/v1/secret/data/sealed') return answer(503, { errors: ['Vault is sealed'] });
  if (request.url === '/v1/secret/data/v1') return answer(200, { data: { value: 'of version 1' } });
  if (request.url === '/v1/secret/data/page') return response.end('<html>');
  const data = KEPT[request.url ?? ''];
  return data === undefined ? answer(404, { errors: [] }) : answer(200, { data: { data, metadata: { version: 3 } } });
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
});

const read = (key: string, environment = {}) =>
  fromVault(key, { VAULT_ADDR: address, VAULT_TOKEN: 'root-token', ...environment });

describe('SEC-1: secrets in Vault', () => {
  it.each([
    ['token', 'tok-in-vault'],
    ['secret/token', 'tok-in-vault'],
    ['token#value', 'tok-in-vault'],
    ['app#password', 'pw-in-vault'],
    ['kv/team/db#dsn', 'postgres://h/d'],
    ['kv/team/db#port', '5432'],
  ])('are read as %s', async (key, value) => {
    expect(await read(key)).toBe(value);
  });

  it('are asked for in a namespace', async () => {
    await read('token', { VAULT_NAMESPACE: 'team-a', VAULT_ADDR: `${address}/` });
    expect(asked[0]?.headers['x-vault-namespace']).toBe('team-a');
    expect(asked[0]?.url).toBe('/v1/secret/data/token');
  });

  it.each([
    ['nope', {}, "needs the secret 'nope' of Vault, which is not there, or was deleted."],
    ['token', { VAULT_TOKEN: 'wrong-token' }, 'the token in VAULT_TOKEN may not read, or has expired.'],
    ['token', { VAULT_TOKEN: '' }, 'VAULT_TOKEN is not set. Set it before noetl starts: export VAULT_TOKEN=…'],
    ['token', { VAULT_ADDR: undefined }, 'VAULT_ADDR is not set.'],
    ['token', { VAULT_ADDR: 'vault.local' }, 'VAULT_ADDR is no address'],
    ['token', { VAULT_ADDR: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1 cannot be reached (ECONNREFUSED).'],
    ['sealed', {}, 'is sealed, or in maintenance.'],
    ['v1', {}, 'whose answer is none of a KV store of version 2.'],
    ['page', {}, 'whose answer is none of a KV store of version 2.'],
    [
      'app',
      {},
      "needs a field of the secret 'app', whose fields are user, password: name one of them, as in app#FIELD.",
    ],
    ['app#nope', {}, "whose fields are user, password: name not 'nope'."],
    ['empty', {}, "needs the secret 'empty', which is empty."],
    ['', {}, 'MOUNT/PATH#FIELD is expected.'],
    ['../sys/seal', {}, 'MOUNT/PATH#FIELD is expected.'],
  ])('say of %j with %j what is wrong', async (key, environment, message) => {
    const refused = read(key, environment);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/root-token|wrong-token|pw-in-vault/);
  });

  it('may be had later if Vault cannot be reached', async () => {
    await expect(read('token', { VAULT_ADDR: 'http://127.0.0.1:1' })).rejects.toMatchObject({ passing: true });
    await expect(read('sealed')).rejects.toMatchObject({ passing: true });
    await expect(read('nope')).rejects.toMatchObject({ passing: false });
  });
});
