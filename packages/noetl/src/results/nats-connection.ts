import type { NatsConnection } from '@nats-io/transport-node';
import { natsFailure } from './nats-failure.ts';

/** Where NATS is, and who asks. */
export interface NatsAddress {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** The text of a credentials file. */
  readonly credentials?: string;
}

/** One connection for all buckets, opened when it is needed, and again after it was lost. */
export interface NatsLink {
  /** As people may read it: without credentials. */
  readonly place: string;
  /** Throws a StoreError. */
  connected(): Promise<NatsConnection>;
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;

export function createNatsLink(address: NatsAddress): NatsLink {
  const place = `nats://${address.servers.join(',')}`;
  let opened: Promise<NatsConnection> | undefined;

  async function open(): Promise<NatsConnection> {
    const { connect, credsAuthenticator } = await import('@nats-io/transport-node');
    const { user, password, token, credentials } = address;
    const connection = await connect({
      servers: [...address.servers],
      name: 'noetl results',
      timeout: CONNECT_MS,
      // Whoever needs it tries again, for as long as it is worth while.
      reconnect: false,
      ...(address.tls ? { tls: {} } : {}),
      ...(user === undefined ? {} : { user, pass: password ?? '' }),
      ...(token === undefined ? {} : { token }),
      ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(Buffer.from(credentials)) }),
    });
    void connection.closed().then(() => {
      opened = undefined;
    });
    return connection;
  }

  return {
    place,
    connected() {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw natsFailure(error, place);
      });
      return opened;
    },
    async close() {
      const connection = await opened?.catch(() => undefined);
      await connection?.close();
    },
  };
}
