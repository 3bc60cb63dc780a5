import { timestampOf } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import * as z from 'zod';
import { CREDENTIAL_NAME } from '../../api/credential-name.ts';
import { CredentialEntry, CredentialSet } from '../../api/credentials.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';

export interface CredentialWork {
  readonly secrets: Pick<SecretStore, 'list'>;
  /** Keeps a credential, sealed; a problem that shows no value if it does not fit its kind. */
  setCredential(name: string, kind: string, value: Json): Promise<CredentialEntry>;
  /** All of them or none. */
  removeCredentials(names: readonly string[]): Promise<readonly string[]>;
  rotateCredentials(): Promise<{ readonly entries: number; readonly key: string }>;
}

const Names = z.strictObject({ names: z.array(z.string().max(128)).min(1).max(1_000) });

/** SEC-2: credentials can be set, listed and removed, and never be read back. */
export const credentialRoutes = (work: CredentialWork): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/credentials',
    permission: 'credentials',
    tag: 'credentials',
    summary: 'names and kinds of credentials',
    answer: z.object({ credentials: z.array(CredentialEntry) }),
    handle: async () => {
      const entries = await work.secrets.list();
      const credentials = entries.map(({ name, kind, fields, setAt }) => ({
        name,
        kind,
        fields,
        set_at: timestampOf(setAt),
      }));
      return { body: { credentials } };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/credentials/{name}',
    permission: 'credentials',
    tag: 'credentials',
    summary: 'keep a credential, sealed, over one of the same name',
    params: z.object({ name: z.string().max(512) }),
    body: CredentialSet,
    answer: CredentialEntry,
    handle: async ({ params: { name }, body }) => {
      if (!CREDENTIAL_NAME.test(name)) {
        const expected = 'letters, digits, _ . and - are expected, at most 128, a letter or _ first';
        throw new Problem('NOETL_API_REQUEST', `path.name: is no name of a credential: ${expected}.`);
      }
      return { body: await work.setCredential(name, body.kind, body.value as Json) };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/credentials/remove',
    permission: 'credentials',
    tag: 'credentials',
    summary: 'remove credentials: all that are named, or none',
    body: Names,
    answer: z.object({ removed: z.array(z.string()) }),
    handle: async ({ body: { names } }) => ({
      body: { removed: await work.removeCredentials(names) },
      about: names.join(' '),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/credentials/rotate',
    permission: 'credentials',
    tag: 'credentials',
    summary: 'put all credentials under a new master key of the server, at once',
    answer: z.object({ credentials: z.number().int(), key: z.string().describe('where the key is') }),
    handle: async () => {
      const { entries, key } = await work.rotateCredentials();
      return { body: { credentials: entries, key } };
    },
  }),
];
