import { StoreError } from '../ports/store-error.ts';

/** What the table is, in a comment on it, so that a later program knows what it finds. */
const VERSION = 1;
const COMMENT = 'results of NoETL, version ';
/** Whoever makes a table keeps others from making the same. */
const MAKING = 7_318_042_117;

type Query = (text: string, values?: unknown[]) => Promise<{ readonly rows: readonly Record<string, unknown>[] }>;

/** A name is data, as references hold it: whatever it is, it is a name to the server. */
export const quotedTable = (table: string): string =>
  table
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

/** Makes the table, and its schema, unless it is there. */
export async function makeTable(query: Query, table: string, place: string): Promise<void> {
  if (await isThere(query, table, place)) return;
  const rows = quotedTable(table);
  const schema = table.includes('.') ? rows.slice(0, rows.indexOf('.')) : undefined;
  await query('BEGIN');
  await query('SELECT pg_advisory_xact_lock($1)', [MAKING]);
  if (!(await isThere(query, table, place))) {
    if (schema !== undefined && !(await hasSchema(query, table))) await query(`CREATE SCHEMA ${schema}`);
    await query(
      `CREATE TABLE ${rows} (key text NOT NULL, nth integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (key, nth))`,
    );
    // Packing costs more time than it saves space in the texts that are read most.
    await query(`ALTER TABLE ${rows} ALTER COLUMN bytes SET STORAGE EXTERNAL`);
    await query(`COMMENT ON TABLE ${rows} IS '${COMMENT}${VERSION}'`);
  }
  await query('COMMIT');
}

async function hasSchema(query: Query, table: string): Promise<boolean> {
  const { rows } = await query('SELECT FROM pg_namespace WHERE nspname = $1', [table.slice(0, table.indexOf('.'))]);
  return rows.length > 0;
}

async function isThere(query: Query, table: string, place: string): Promise<boolean> {
  // Reading pg_class makes the server notice what others have made since the transaction began.
  const text = "SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass($1)";
  const [row] = (await query(text, [quotedTable(table)])).rows;
  if (row === undefined) return false;
  const said = typeof row.comment === 'string' && row.comment.startsWith(COMMENT) ? row.comment : undefined;
  if (said === undefined) {
    const message = `${place} is a table of another program. Name another one in spec.result.store.`;
    throw new StoreError('NOETL_STORE_CORRUPT', message, { place });
  }
  if (Number(said.slice(COMMENT.length)) > VERSION) {
    const message = `${place} was written by a newer version of the program. Use that version.`;
    throw new StoreError('NOETL_STORE_NEWER', message, { place });
  }
  return true;
}
