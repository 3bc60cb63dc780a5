import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { Client } from 'pg';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import { checkedPieces, contentOf, fetchedFrom, inspectedFrom, measuring, referenceTo } from './content.ts';
import { isNoTable, postgresFailure } from './postgres-failure.ts';
import { makeTable, quotedTable } from './postgres-table.ts';

/** Connections to one database. */
export interface PostgresLink {
  /** As people may read it: without credentials. */
  readonly place: string;
  lend(): Promise<LentClient>;
}

interface LentClient {
  readonly client: Pick<Client, 'query'>;
  release(): void;
  /** Ends it: nobody knows what state it is in. */
  destroy(): void;
}

/** Bytes of a row. What is put again is cut at the same places, so that rows of the same key and number are the same. */
const PIECE = 256 * 1024;
/** Rows that are read at a time. */
const ROWS = 4;
/** Milliseconds for one statement: a server that does not answer must not be waited for for ever. */
const PATIENCE = 60_000;

/**
 * Results as rows of a table, a piece each, under the name of their content. A value is written in one transaction: it is
 * there as a whole once that is committed (RES-3), and nobody sees it before.
 */
export function createPostgresResults(link: PostgresLink, name: string, table: string): ResultStore {
  const rows = quotedTable(table);
  const place = `${link.place} table ${table}`;
  let made = false;

  const failed = (error: unknown): never => {
    throw error instanceof ResultLost ? error : postgresFailure(error, place);
  };

  const query = ({ client }: LentClient, text: string, values: unknown[] = []) =>
    client.query({ text, values, query_timeout: PATIENCE } as { text: string; values: unknown[] });

  async function lent<T>(action: (lent: LentClient) => Promise<T>): Promise<T> {
    const connection = await link.lend();
    try {
      const value = await action(connection);
      connection.release();
      return value;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  const transaction = <T>(action: (lent: LentClient) => Promise<T>): Promise<T> =>
    lent(async (connection) => {
      if (!made) await makeTable((text, values) => query(connection, text, values), table, place);
      made = true;
      await query(connection, 'BEGIN');
      // RES-3: where the database does not wait for its disk, results do.
      await query(
        connection,
        "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
      );
      const value = await action(connection);
      await query(connection, 'COMMIT');
      return value;
    });

  /** The same content is written by one at a time. */
  const lock = (connection: LentClient, key: string) =>
    query(connection, 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${table} ${key}`]);

  const insert = (connection: LentClient, key: string, nth: number, bytes: Uint8Array) =>
    query(connection, `INSERT INTO ${rows} (key, nth, bytes) VALUES ($1, $2, $3)`, [key, nth, Buffer.from(bytes)]);

  const erase = (connection: LentClient, key: string) => query(connection, `DELETE FROM ${rows} WHERE key = $1`, [key]);

  /** Whether the rows are what they should be, as the server finds without sending them. */
  async function isWhole(connection: LentClient, key: string, digests: () => readonly string[]): Promise<boolean> {
    const text = `SELECT encode(sha256(bytes), 'hex') AS digest FROM ${rows} WHERE key = $1 ORDER BY nth`;
    const found: readonly { readonly digest: string }[] = (await query(connection, text, [key])).rows;
    if (found.length === 0) return false;
    const wanted = digests();
    return found.length === wanted.length && found.every(({ digest }, nth) => digest === wanted[nth]);
  }

  /** Rows in their order, a few at a time: between two, others may put the same again. */
  async function* stored(key: string): AsyncGenerator<Uint8Array> {
    // The client takes results as text, and reads base64 ten times as fast as the server's usual form.
    const text = `SELECT encode(bytes, 'base64') AS text FROM ${rows} WHERE key = $1 AND nth >= $2 ORDER BY nth LIMIT ${ROWS}`;
    for (let nth = 0; ; nth += ROWS) {
      const found: readonly { readonly text: string }[] = (
        await lent((connection) => query(connection, text, [key, nth]))
      ).rows;
      for (const row of found) yield Buffer.from(row.text, 'base64');
      if (found.length < ROWS) return;
    }
  }

  /** The pieces of a value; undefined where there are none. */
  async function found(key: string): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const pieces = stored(key);
    const first = await pieces.next().catch((error: unknown) => {
      if (isNoTable(error)) return { done: true } as const;
      throw error;
    });
    return first.done === true ? undefined : following(first.value, pieces);
  }

  return {
    name,
    put: async (value) => {
      const { text, reference } = contentOf(name, value);
      const { key } = reference;
      const pieces = cut(Buffer.from(text));
      try {
        await transaction(async (connection) => {
          await lock(connection, key);
          if (await isWhole(connection, key, () => pieces.map(digestOf))) return;
          await erase(connection, key);
          for (const [nth, bytes] of pieces.entries()) await insert(connection, key, nth, bytes);
        });
      } catch (error) {
        failed(error);
      }
      return reference;
    },
    putPieces: async (pieces, schemaHint) => {
      const passing = measuring(pieces);
      let given: { readonly error: unknown } | undefined;
      const source = async function* (): AsyncGenerator<Uint8Array> {
        try {
          yield* even(passing.pieces());
        } catch (error) {
          given = { error };
          throw error;
        }
      };
      try {
        return await transaction(async (connection) => {
          const unfinished = `unfinished ${randomUUID()}`;
          let nth = 0;
          for await (const bytes of source()) await insert(connection, unfinished, nth++, bytes);
          const { key, size } = passing.measured();
          await lock(connection, key);
          await erase(connection, key);
          await query(connection, `UPDATE ${rows} SET key = $1 WHERE key = $2`, [key, unfinished]);
          return referenceTo(name, key, size, schemaHint());
        });
      } catch (error) {
        // What goes wrong with the pieces themselves is for those who give them.
        if (given !== undefined) throw given.error;
        return failed(error);
      }
    },
    async *read(reference) {
      try {
        const pieces = await found(reference.key);
        if (pieces === undefined) throw new ResultLost(reference, 'missing');
        yield* checkedPieces(pieces, reference);
      } catch (error) {
        failed(error);
      }
    },
    get: async (reference) => {
      try {
        const pieces = await found(reference.key);
        return fetchedFrom(pieces === undefined ? undefined : await textOf(Readable.from(pieces)), reference);
      } catch (error) {
        return failed(error);
      }
    },
    inspect: async (reference) => {
      const where = `${place} key ${reference.key}`;
      try {
        const pieces = await found(reference.key);
        if (pieces === undefined) return { kind: 'missing', place: where };
        return await inspectedFrom(pieces, reference, where);
      } catch (error) {
        return failed(error);
      }
    },
    remove: async (references) => {
      const text = `DELETE FROM ${rows} WHERE key = ANY($1)`;
      const keys = references.map(({ key }) => key);
      await lent((connection) => query(connection, text, [keys])).catch((error: unknown) => {
        if (!isNoTable(error)) failed(error);
      });
    },
  };
}

async function* following(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

function cut(bytes: Buffer): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytes.subarray(at, at + PIECE));
  return pieces;
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Pieces of the same length, but for the last. */
async function* even(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < PIECE) continue;
    const all = cut(Buffer.concat(waiting));
    const last = all.at(-1) as Uint8Array;
    const isFull = last.length === PIECE;
    yield* isFull ? all : all.slice(0, -1);
    waiting = isFull ? [] : [last];
    length = isFull ? 0 : last.length;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
