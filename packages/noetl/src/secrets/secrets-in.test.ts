import { describe, expect, it } from 'vitest';
import { secretsIn } from './secrets-in.ts';

describe('SEC-3: what is secret in a credential', () => {
  it('is a plain entry, and every field but those that say where and who', () => {
    expect(secretsIn('k', 'text')).toEqual([{ name: 'k', value: 'text' }]);
    const fields = { host: 'h', port: 1, user: 'u', database: 'd', password: 'pw', more: [{ key: 5 }] };
    expect(secretsIn('k', fields)).toEqual([
      { name: 'k.password', value: 'pw' },
      { name: 'k.more.0.key', value: '5' },
    ]);
  });

  it.each([
    ['postgres://ada:pass-word@h:5432/d', ['pass-word']],
    ['postgres://ada:pass%2Fword@h/d', ['pass%2Fword', 'pass/word']],
    ['https://h/a:b@c', []],
    ['postgres://ada@h/d', []],
    ['postgres://ada:%zz@h/d', ['%zz']],
  ])('is also the password in %s', (dsn, passwords) => {
    expect(secretsIn('k', { dsn })).toEqual([
      { name: 'k.dsn', value: dsn },
      ...passwords.map((value) => ({ name: 'k.dsn.password', value })),
    ]);
  });

  it('is the password in an address, also in a field that says where', () => {
    expect(secretsIn('k', { url: 'https://ada:pass-word@h/', host: 'h', token_url: 'https://h/token' })).toEqual([
      { name: 'k.url.password', value: 'pass-word' },
    ]);
  });
});
