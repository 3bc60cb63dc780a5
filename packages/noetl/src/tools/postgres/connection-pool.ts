import type { Client } from 'pg';
import { openPlaces } from '../sql/places.ts';
import { type Connected, connect } from './connect.ts';
import type { ServerAddress } from './server-address.ts';

type Api = typeof import('pg');

/** A connection lent to one task. */
export interface LentConnection {
  readonly client: Client;
  /** Gives it back for the next; what the session has set is forgotten. */
  release(): void;
  /** Ends it: nobody knows what state it is in. */
  destroy(): void;
}

export interface ConnectionPool {
  /** Waits for a free connection. Throws a NoPlace, what the signal was aborted with, or why there is none. */
  lend(timeouts: LendTimeouts, signal: AbortSignal): Promise<LentConnection>;
  /** How many connections there are, lent or not. */
  size(): number;
  close(): Promise<void>;
}

/** Milliseconds. */
export interface LendTimeouts {
  /** For a place in the pool. */
  readonly pool: number;
  /** For the server to answer. */
  readonly connect: number;
}

const IDLE_MS = 10_000;

/** Connections to one database as one user, opened when they are needed and closed when nobody needs them for a while. */
export function openPool(api: Api, address: ServerAddress, limit: number): ConnectionPool {
  const idle: { readonly connected: Connected; readonly timer: NodeJS.Timeout }[] = [];
  const places = openPlaces(limit);
  const all = new Set<Client>();

  function giveUp(client: Client): void {
    all.delete(client);
    client.connection.stream.destroy();
  }

  function rest(connected: Connected): void {
    const { client } = connected;
    const entry = {
      connected,
      timer: setTimeout(() => {
        idle.splice(idle.indexOf(entry), 1);
        all.delete(client);
        void client.end().catch(() => undefined);
      }, IDLE_MS),
    };
    entry.timer.unref();
    idle.push(entry);
  }

  /** Forgets settings, temporary tables, locks and the like, after the task has its answer. */
  async function reset(connected: Connected): Promise<void> {
    const { client, session } = connected;
    try {
      await client.query('DISCARD ALL');
      if (session !== '') await client.query(session);
      rest(connected);
    } catch {
      giveUp(client);
    } finally {
      places.free();
    }
  }

  return {
    size: () => all.size,
    async lend(timeouts, signal) {
      await places.take(signal, timeouts.pool);
      try {
        const resting = idle.pop();
        clearTimeout(resting?.timer);
        const connected = resting?.connected ?? (await connect(api, address, timeouts.connect, signal));
        const { client } = connected;
        if (resting === undefined) {
          all.add(client);
          client.on('error', () => {
            const at = idle.findIndex(({ connected }) => connected.client === client);
            if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer);
            giveUp(client);
          });
        }
        return {
          client,
          release: () => void reset(connected),
          destroy: () => {
            giveUp(client);
            places.free();
          },
        };
      } catch (error) {
        places.free();
        throw error;
      }
    },
    async close() {
      for (const { timer } of idle) clearTimeout(timer);
      await Promise.all([...all].map((client) => client.end().catch(() => undefined)));
    },
  };
}
