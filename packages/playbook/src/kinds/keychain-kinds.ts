import type { Field, FieldGroups } from './kind-schema.ts';

const text = (description: string, more: Partial<Field> = {}): Field => ({ type: 'text', description, ...more });

export interface KeychainSchema {
  readonly summary: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly groups?: FieldGroups;
}

/** The kinds of SEC-1. Values may be templates that use the workload and earlier entries. */
export const KEYCHAIN_SCHEMAS: Readonly<Record<string, KeychainSchema>> = {
  credential: {
    summary: 'An entry of the credential store.',
    fields: { credential: text('Its name there; the name of this entry otherwise.') },
  },
  postgres_credential: {
    summary: 'Access to a PostgreSQL database, from the credential store or spelled out.',
    fields: {
      credential: text('Its name in the credential store; the name of this entry otherwise.'),
      host: text('The host.'),
      port: { type: 'integer', description: 'The port.', fallback: 5432 },
      user: text('The user.'),
      password: text('The password.'),
      database: text('The database.'),
      dsn: text('Everything in one connection string.'),
    },
    groups: {
      atMostOne: [
        ['dsn', 'host'],
        ['dsn', 'credential'],
      ],
    },
  },
  secret_manager: {
    summary: 'One or several secrets of a secret manager.',
    fields: {
      provider: text('Which one; the default of the installation otherwise.', {
        values: ['env', 'file', 'vault', 'gcp', 'aws', 'azure'],
      }),
      key: text('The name of one secret; the name of this entry otherwise.'),
      map: { type: 'map', description: 'Names of several secrets, by field.' },
    },
    groups: { atMostOne: [['key', 'map']] },
  },
  bearer: { summary: 'A bearer token for http.', fields: { token: text('The token.', { required: true }) } },
  basic: {
    summary: 'A user and a password for http.',
    fields: {
      username: text('The user.', { required: true }),
      password: text('The password.', { required: true }),
    },
  },
  oauth2: {
    summary: 'A token by client credentials, renewed before it expires.',
    fields: {
      token_url: text('Where tokens are issued.', { required: true }),
      client_id: text('The client.', { required: true }),
      client_secret: text('Its secret.', { required: true }),
      scope: text('The scopes, separated by spaces.'),
      audience: text('The audience.'),
    },
  },
  static: {
    summary: 'A value given here, usually made of earlier entries.',
    fields: { value: { type: 'any', description: 'The value.', required: true } },
  },
};
