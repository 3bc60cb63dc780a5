import type { Json, JsonMap } from '@noetl/playbook';
import type { Client } from 'pg';
import { isMap } from '../checked-fields.ts';
import { SqlProblem } from '../sql/sql-problem.ts';
import { parameterText } from './typed-parameters.ts';

/** Rows for a table, as COPY takes them. */
export interface CopyRows {
  /** Quoted. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly JsonMap[];
}

/** The columns are all keys that any row has, in the order of their first appearance. Throws a SqlProblem. */
export function copyRows(table: string, rows: Json): CopyRows {
  if (!Array.isArray(rows)) throw new SqlProblem("'rows' is no list.");
  const columns = new Set<string>();
  for (const [i, row] of (rows as readonly Json[]).entries()) {
    if (!isMap(row)) throw new SqlProblem(`row ${i + 1} of 'rows' is no mapping of columns to values.`);
    for (const [column, value] of Object.entries(row)) {
      columns.add(column);
      const texts: readonly Json[] = Array.isArray(value) ? value : [value];
      if (texts.some((text) => typeof text === 'string' && /\p{Surrogate}|\0/u.test(text))) {
        throw new SqlProblem(
          `'${column}' of row ${i + 1} of 'rows' holds a character that PostgreSQL has no form for.`,
        );
      }
    }
  }
  if (columns.size === 0 && rows.length > 0) throw new SqlProblem("the rows of 'rows' have no columns.");
  return { table: quotedTable(table), columns: [...columns], rows: rows as readonly JsonMap[] };
}

/** `orders`, `sales.orders`, or with parts in double quotes. */
function quotedTable(table: string): string {
  const parts = [...table.matchAll(/\.?(?:"((?:[^"]|"")+)"|([^".]+))/gy)];
  const isWhole = parts.map(([part]) => part).join('') === table && !table.startsWith('.');
  if (!isWhole || parts.length === 0) throw new SqlProblem("'table' is no name of a table.");
  return parts.map(([, quoted, plain = '']) => `"${quoted ?? plain.replaceAll('"', '""')}"`).join('.');
}

const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const columnList = ({ columns }: CopyRows): string => columns.map(quotedName).join(', ');

/** Loads the rows in one statement: all of them, or none. */
export async function loadRows(client: Client, copy: CopyRows, signal: AbortSignal): Promise<number> {
  const types = await columnTypes(client, copy);
  return new Promise((resolve, reject) => {
    client.query(
      new CopyQuery(
        `COPY ${copy.table} (${columnList(copy)}) FROM STDIN`,
        linesOf(copy, types),
        signal,
        resolve,
        reject,
      ),
    );
  });
}

/** Lists are arrays or JSON, by the type of their column. */
async function columnTypes(client: Client, copy: CopyRows): Promise<readonly number[]> {
  if (!copy.rows.some((row) => Object.values(row).some(Array.isArray))) return [];
  const { fields } = await client.query(`SELECT ${columnList(copy)} FROM ${copy.table} LIMIT 0`);
  return fields.map(({ dataTypeID }) => dataTypeID);
}

const CHUNK = 64 * 1024;

function* linesOf({ columns, rows }: CopyRows, types: readonly number[]): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    const cells = columns.map((column, i) =>
      cell(Object.hasOwn(row, column) ? (row[column] ?? null) : null, types[i] ?? 0),
    );
    chunk += `${cells.join('\t')}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const cell = (value: Json, type: number): string =>
  parameterText(value, type)?.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPED[character] ?? '') ?? '\\N';

interface CopyWire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  readonly stream: NodeJS.WritableStream & { readonly writableNeedDrain: boolean };
}

class CopyQuery {
  readonly #text: string;
  readonly #chunks: Generator<string>;
  readonly #signal: AbortSignal;
  readonly #loaded: (count: number) => void;
  readonly #refused: (error: unknown) => void;
  #count = 0;
  #failed = false;

  constructor(
    text: string,
    chunks: Generator<string>,
    signal: AbortSignal,
    loaded: (count: number) => void,
    refused: (error: unknown) => void,
  ) {
    this.#text = text;
    this.#chunks = chunks;
    this.#signal = signal;
    this.#loaded = loaded;
    this.#refused = refused;
  }

  submit(connection: unknown): void {
    (connection as CopyWire).query(this.#text);
  }

  handleCopyInResponse(wire: CopyWire): void {
    const send = (): void => {
      while (!this.#failed) {
        if (this.#signal.aborted) {
          wire.sendCopyFail('stopped');
          return;
        }
        const { value, done } = this.#chunks.next();
        if (done === true) {
          wire.endCopyFrom();
          return;
        }
        wire.sendCopyFromChunk(Buffer.from(value));
        if (wire.stream.writableNeedDrain) {
          wire.stream.once('drain', send);
          return;
        }
      }
    };
    send();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = Number(/(\d+)$/.exec(text)?.[1] ?? 0);
  }

  handleReadyForQuery(): void {
    this.#loaded(this.#count);
  }

  handleError(error: unknown): void {
    this.#failed = true;
    this.#refused(error);
  }
}
