import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchToken } from './oauth2-token.ts';

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

const asked: Asked[] = [];
let answer: (asked: Asked) => readonly [status: number, body: string];
const server = createServer(async (request, response) => {
  const one = { headers: request.headers, form: Object.fromEntries(new URLSearchParams(await text(request))) };
  asked.push(one);
  const [status, body] = answer(one);
  response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' });
  response.end(body);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  answer = () => [200, '{"access_token":"tok-1","token_type":"Bearer","expires_in":3600}'];
});

const SECRET = 'client/secret+&=1';
const fetched = (more = {}) =>
  fetchToken({ token_url: url, client_id: 'my client', client_secret: SECRET, ...more }, () => 1000);

describe('SEC-1: a token by client credentials', () => {
  it('is asked for with a form, and good for the time that the issuer says', async () => {
    expect(await fetched({ scope: 'read write', audience: 'api' })).toEqual({ token: 'tok-1', expiresAt: 3_601_000 });
    expect(asked).toMatchObject([
      {
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        form: {
          grant_type: 'client_credentials',
          client_id: 'my client',
          client_secret: SECRET,
          scope: 'read write',
          audience: 'api',
        },
      },
    ]);
  });

  it.each([
    '{"access_token":"tok-1"}',
    '{"access_token":"tok-1","expires_in":"soon"}',
    '{"access_token":"tok-1","expires_in":0}',
  ])('has no end if the issuer says none: %s', async (body) => {
    answer = () => [200, body];
    expect(await fetched()).toEqual({ token: 'tok-1', expiresAt: undefined });
  });

  it.each([
    [401, '{"error":"invalid_client"}'],
    [400, '{"error":"invalid_client"}'],
    [401, ''],
  ])('is asked for with basic authorization where the form is refused with %i %s', async (status, body) => {
    answer = ({ headers }) =>
      headers.authorization === undefined ? [status, body] : [200, '{"access_token":"tok-2","expires_in":"60"}'];
    expect(await fetched()).toEqual({ token: 'tok-2', expiresAt: 61_000 });
    const [user, password] = Buffer.from(asked[1]?.headers.authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':');
    expect([user, password].map((part) => decodeURIComponent(part ?? ''))).toEqual(['my client', SECRET]);
    expect(asked[1]?.form).toEqual({ grant_type: 'client_credentials' });
  });

  it.each([
    [
      'a wrong secret',
      401,
      '{"error":"invalid_client","error_description":"CODE"}',
      'answered 401 (invalid_client). Are client_id and client_secret right?',
    ],
    ['a wrong scope', 400, '{"error":"invalid_scope"}', 'answered 400 (invalid_scope). Is the scope right?'],
    ['a wrong address', 404, 'not found', 'answered 404. Is token_url right?'],
    ['a redirect', 302, '', 'answered 302.'],
    ['an issuer in trouble', 503, '{"error":"CODE and more"}', 'answered 503. Try again later'],
    ['no token', 200, '{"token":"x"}', 'answered without an access_token.'],
    ['no JSON', 200, '<html>CODE</html>', 'answered without an access_token.'],
    ['a list', 200, '[1]', 'answered without an access_token.'],
  ])('says of %s where and what, and shows no secret', async (_, status, body, message) => {
    answer = () => [status, body.replace('CODE', SECRET)];
    const refused = fetched();
    await expect(refused).rejects.toThrow(`gets its tokens from ${url}, which ${message}`);
    await expect(refused).rejects.not.toThrow(SECRET);
    await expect(refused).rejects.toMatchObject({ passing: status === 503 });
  });

  it('says when the issuer cannot be reached, or has no address', async () => {
    await expect(fetched({ token_url: 'http://127.0.0.1:1/token?x=1' })).rejects.toThrow(
      'gets its tokens from http://127.0.0.1:1/token, which cannot be reached (ECONNREFUSED).',
    );
    await expect(fetched({ token_url: 'issuer' })).rejects.toThrow("has a 'token_url' that is no address");
  });
});
