import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

type Api = typeof import('@duckdb/node-api');

/** Databases while somebody uses them. A file is open once in a process, and free for others as soon as nobody does. */
export interface Databases {
  use<T>(database: string, body: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
}

export const IN_MEMORY = ':memory:';

/** Errors come as JSON, which has the place of a mistake. */
const OPTIONS = { errors_as_json: 'true' };

export function openDatabases(api: Api): Databases {
  const open = new Map<string, { readonly instance: Promise<DuckDBInstance>; users: number }>();

  async function connected<T>(
    instance: DuckDBInstance,
    body: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T> {
    const connection = await instance.connect();
    try {
      return await body(connection);
    } finally {
      connection.closeSync();
    }
  }

  return {
    async use(database, body) {
      if (database === IN_MEMORY) {
        const instance = await api.DuckDBInstance.create(IN_MEMORY, OPTIONS);
        try {
          return await connected(instance, body);
        } finally {
          instance.closeSync();
        }
      }
      const entry = open.get(database) ?? { instance: api.DuckDBInstance.create(database, OPTIONS), users: 0 };
      open.set(database, entry);
      entry.users++;
      try {
        return await connected(await entry.instance, body);
      } finally {
        entry.users--;
        if (entry.users === 0) {
          open.delete(database);
          await entry.instance.then(
            (instance) => instance.closeSync(),
            () => undefined,
          );
        }
      }
    },
  };
}
