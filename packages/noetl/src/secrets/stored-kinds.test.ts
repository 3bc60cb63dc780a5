import { describe, expect, it } from 'vitest';
import { checkedCredential, STORED_KINDS, type StoredKind } from './stored-kinds.ts';

const check = (kind: string, given: Parameters<typeof checkedCredential>[1]) =>
  checkedCredential(STORED_KINDS[kind] as StoredKind, given);

describe('SEC-2: what a kind of credential holds', () => {
  it.each([
    ['secret', 'a text', 'a text'],
    ['secret', { any: 'thing', n: 5 }, { any: 'thing', n: 5 }],
    ['bearer', 'tok', { token: 'tok' }],
    ['bearer', { token: 'tok' }, { token: 'tok' }],
    ['basic', { username: 'u', password: 'p' }, { username: 'u', password: 'p' }],
    ['api_key', 'k', { api_key: 'k' }],
    ['api_key', { api_key: 'k', header: 'X-Key' }, { api_key: 'k', header: 'X-Key' }],
    ['postgres', 'postgres://u:p@h/d', { dsn: 'postgres://u:p@h/d' }],
    [
      'postgres',
      { host: 'h', user: 'u', password: 'p', database: 'd' },
      { host: 'h', user: 'u', password: 'p', database: 'd', port: 5432 },
    ],
    [
      'postgres',
      { host: 'h', port: '5433', user: 'u', database: 'd' },
      { host: 'h', port: 5433, user: 'u', database: 'd' },
    ],
  ])('%s takes %j', (kind, given, value) => {
    expect(check(kind, given)).toEqual({ value });
  });

  it.each([
    ['secret', '', 'is empty.'],
    ['secret', {}, 'has no fields.'],
    ['bearer', '', 'is empty.'],
    ['bearer', {}, "lacks 'token'."],
    ['bearer', { token: 5 }, "has a 'token' that is no text."],
    ['bearer', { tokn: 'x' }, "has no field 'tokn'. Did you mean 'token'?"],
    ['basic', 'text', 'needs a JSON mapping with username, password; a plain text is not enough.'],
    ['basic', { username: 'u', password: '' }, "lacks 'password'."],
    ['oauth2', { token_url: 'u', client_id: 'i' }, "lacks 'client_secret'."],
    ['postgres', {}, "lacks 'host' (or a 'dsn' instead of all parts)."],
    ['postgres', { host: 'h', user: 'u', database: 'd', port: 'x' }, "has a 'port' that is no whole number."],
    ['postgres', { dsn: 'd', host: 'h' }, "has both 'dsn' and 'host'; one of them is enough."],
  ])('%s refuses %j', (kind, given, problem) => {
    expect(check(kind, given)).toEqual({ problem });
  });
});
