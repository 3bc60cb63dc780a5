import { describe, expect, it } from 'vitest';
import { parseNetwork } from '../tools/http/address.ts';
import { httpAddresses } from './http-addresses.ts';

describe('the variables that say where tasks may connect', () => {
  it.each([
    ['nothing', {}, [], []],
    ['nothing but blanks', { NOETL_HTTP_DENY: ' ', NOETL_HTTP_ALLOW: '' }, [], []],
    [
      'kinds and networks',
      { NOETL_HTTP_DENY: 'private, 8.0.0.0/8 loopback' },
      ['private', '8.0.0.0/8', 'loopback'],
      [],
    ],
    ['exceptions', { NOETL_HTTP_ALLOW: '10.1.0.0/16,fd00::1' }, [], ['10.1.0.0/16', 'fd00::1']],
  ])('may hold %s', (_, environment, deny, allow) => {
    const network = (text: string) => parseNetwork(text) ?? text;
    expect(httpAddresses({ environment })).toEqual({ deny: deny.map(network), allow: allow.map(network) });
  });

  it.each([
    [
      { NOETL_HTTP_DENY: 'privat' },
      "error: NOETL_HTTP_DENY has 'privat', expected private, loopback, or a network such as 10.0.0.0/8.",
    ],
    [
      { NOETL_HTTP_ALLOW: '10.0.0.0/8,private' },
      "error: NOETL_HTTP_ALLOW has 'private', expected a network such as 10.1.0.0/16.",
    ],
    [
      { NOETL_HTTP_ALLOW: '10.0.0.0/64' },
      "error: NOETL_HTTP_ALLOW has '10.0.0.0/64', expected a network such as 10.1.0.0/16.",
    ],
  ])('may not hold something else: %j', (environment, message) => {
    expect(() => httpAddresses({ environment })).toThrow(message);
  });
});
