import * as z from 'zod';
import { MadeToken, TokenBody, TokenEntry } from '../../api/tokens.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Tokens } from '../../ports/tokens.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { makeToken, tokenEntry } from '../made-token.ts';

export interface TokenWork {
  readonly tokens: Tokens;
  readonly clock: Clock;
}

/** SEC-4: who may call the API. */
export const tokenRoutes = ({ tokens, clock }: TokenWork): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/tokens',
    permission: 'tokens',
    tag: 'tokens',
    summary: 'make a token, which is shown this once',
    body: TokenBody,
    answer: MadeToken,
    status: 201,
    handle: async ({ body: { name, role, prefix, expires_in } }) => {
      const made = await makeToken(tokens, { name, role, prefix, expiresIn: expires_in }, clock.now());
      if (made === undefined)
        throw new Problem('NOETL_API_REFUSED', `there is a token '${name}' already. Choose another name.`);
      return { status: 201, body: made, about: `${name} (${role}${prefix === '' ? '' : ` within ${prefix}`})` };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/tokens',
    permission: 'tokens',
    tag: 'tokens',
    summary: 'the tokens that were made, never what they are',
    answer: z.object({ tokens: z.array(TokenEntry) }),
    handle: async () => {
      const now = clock.now();
      return { body: { tokens: (await tokens.list()).map((token) => tokenEntry(token, now)) } };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/tokens/{name}',
    permission: 'tokens',
    tag: 'tokens',
    summary: 'revoke a token, at once',
    params: z.object({ name: z.string().max(128) }),
    answer: z.object({ revoked: z.string() }),
    handle: async ({ params: { name } }) => {
      if (await tokens.revoke(name, clock.now())) return { body: { revoked: name } };
      throw new Problem('NOETL_API_NOT_FOUND', `there is no token '${name}' that could be revoked.`);
    },
  }),
];
