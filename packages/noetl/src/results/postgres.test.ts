import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultStoreContract } from '../ports/result-store.contract.testing.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../postgres-server.testing.ts';
import { createPostgresResults, type PostgresLink } from './postgres.ts';

/** Connections of a pool, as the program lends them. */
function linkTo(url: string): PostgresLink & { end(): Promise<void> } {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on('error', () => undefined);
  return {
    place: 'postgresql://here',
    lend: async () => {
      const client = await pool.connect();
      return { client, release: () => client.release(), destroy: () => client.release(true) };
    },
    end: () => pool.end(),
  };
}

describe.skipIf(noPostgres)('with PostgreSQL', () => {
  let server: PostgresServer;
  let link: ReturnType<typeof linkTo>;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    link = linkTo(server.url);
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
  }, 60_000);
  afterAll(async () => {
    await link?.end();
    await admin?.end();
    await server?.stop();
  });

  resultStoreContract('rows of PostgreSQL', async () => ({
    results: createPostgresResults(link, 'postgres', 'contract.results'),
    damage: async (key) => {
      await admin.query("UPDATE contract.results SET bytes = bytes || '\\x20' WHERE key = $1", [key]);
    },
    close: async () => undefined,
  }));

  describe('results in rows of PostgreSQL', () => {
    const rowsOf = async (table: string): Promise<readonly unknown[]> =>
      (await admin.query(`SELECT key, nth, length(bytes) AS length FROM ${table} ORDER BY key, nth`)).rows;

    it('are rows of 256 KiB, the same however their pieces came', async () => {
      const results = createPostgresResults(link, 'postgres', 'cut');
      const value = 'ä'.repeat(300_000);
      const json = Buffer.from(JSON.stringify(value));
      const reference = await results.put(value);
      const rows = await rowsOf('cut');
      expect(rows).toMatchObject([
        { nth: 0, length: 262_144 },
        { nth: 1, length: 262_144 },
        { nth: 2, length: 75_714 },
      ]);
      for (const size of [1_000, 262_144, 300_001, 1_000_000]) {
        const pieces = Array.from({ length: Math.ceil(json.length / size) }, (_, nth) =>
          json.subarray(nth * size, (nth + 1) * size),
        );
        expect(await results.putPieces(Readable.from(pieces), () => 'string')).toEqual(reference);
        expect(await rowsOf('cut')).toEqual(rows);
        expect(await text(results.read(reference))).toBe(JSON.stringify(value));
      }
    });

    it('are not there, not even in part, when their pieces fail (RES-3)', async () => {
      const results = createPostgresResults(link, 'postgres', 'partial');
      const failing = async function* () {
        yield Buffer.alloc(600_000, 'x');
        throw new Error('no more pieces');
      };
      await expect(results.putPieces(failing(), () => 'string')).rejects.toThrow('no more pieces');
      expect(await rowsOf('partial')).toEqual([]);
    });

    it('are missing where nothing was ever put, and looking makes no table', async () => {
      const reference = await createPostgresResults(link, 'postgres', 'cut').put('x');
      const results = createPostgresResults(link, 'postgres', 'nowhere.results');
      expect(await results.get(reference)).toEqual({ kind: 'missing' });
      expect(await results.inspect(reference)).toMatchObject({ kind: 'missing' });
      await results.remove([reference]);
      await expect(rowsOf('nowhere.results')).rejects.toThrow('does not exist');
    });

    it('are put by many at once who all find that there is no table yet', async () => {
      const stores = Array.from({ length: 8 }, () => createPostgresResults(link, 'postgres', 'race.results'));
      const references = await Promise.all(stores.map((results) => results.put('the same')));
      expect(new Set(references.map(({ key }) => key)).size).toBe(1);
      expect(await rowsOf('race.results')).toHaveLength(1);
    });

    it('go into no table of another program, and none of a newer version', async () => {
      await admin.query('CREATE TABLE foreign_results (id int)');
      await expect(createPostgresResults(link, 'postgres', 'foreign_results').put('x')).rejects.toMatchObject({
        code: 'NOETL_STORE_CORRUPT',
        message: expect.stringContaining('foreign_results'),
      });
      await createPostgresResults(link, 'postgres', 'newer').put('x');
      await admin.query("COMMENT ON TABLE newer IS 'results of NoETL, version 2'");
      await expect(createPostgresResults(link, 'postgres', 'newer').put('x')).rejects.toMatchObject({
        code: 'NOETL_STORE_NEWER',
      });
    });

    it('have a table whose name is a name, whatever it holds', async () => {
      const table = 'a"; DROP TABLE cut; --';
      const results = createPostgresResults(link, 'postgres', table);
      expect(await results.get(await results.put('x'))).toEqual({ kind: 'value', value: 'x' });
      expect(await rowsOf('cut')).not.toEqual([]);
    });

    it('that may not be put are an error that says so', async () => {
      await admin.query("CREATE ROLE guest LOGIN; ALTER ROLE guest SET default_transaction_read_only = 'on'");
      const guest = linkTo(server.url.replace('noetl@', 'guest@'));
      try {
        await expect(createPostgresResults(guest, 'postgres', 'guests.results').put('x')).rejects.toMatchObject({
          code: 'NOETL_STORE_READONLY',
          message: expect.stringContaining('NOETL_RESULTS_POSTGRES'),
        });
      } finally {
        await guest.end();
      }
    });

    it('cannot be had while the server is down', async () => {
      const other = await startPostgres();
      const down = linkTo(other.url);
      const results = createPostgresResults(down, 'postgres', 'down');
      const reference = await results.put('kept');
      await other.stop();
      try {
        for (const action of [() => results.put('other'), () => results.get(reference)]) {
          await expect(action()).rejects.toMatchObject({ code: 'NOETL_STORE_UNREACHABLE' });
        }
      } finally {
        await down.end();
      }
    });
  });
});
