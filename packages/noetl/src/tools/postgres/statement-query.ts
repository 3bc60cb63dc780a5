import type { Json } from '@noetl/playbook';
import type { ClientBase, FieldDef, Submittable } from 'pg';
import { type ParameterTypes, parameterText } from './typed-parameters.ts';

/** Rows come from the server this many at a time. */
const BATCH = 1000;

/** What a statement gives while it runs. */
export interface RunningStatement {
  /** Undefined if it gives no rows. */
  readonly fields: readonly FieldDef[] | undefined;
  /** The texts of the columns, row by row. To stop reading ends the statement. */
  batches(): AsyncGenerator<readonly (readonly (string | null)[])[]>;
  /** The rows that it gave or changed, once all are read. */
  count(): number;
}

/** A failure that came before the server understood the statement: nothing has happened yet. */
export class NotUnderstood extends Error {
  override name = 'NotUnderstood';
}

/**
 * Runs a statement by the extended protocol: the text goes first, the values after it, and rows come as they are asked
 * for. Lists and mappings need to know which type the server expects, which costs another round trip.
 */
export function runStatement(
  client: ClientBase,
  text: string,
  values: readonly Json[],
  types: ParameterTypes = NO_TYPES,
): Promise<RunningStatement> {
  return new Promise((resolve, reject) => {
    const statement = new StatementQuery(text, values, types, resolve, reject);
    client.query(statement);
  });
}

const NO_TYPES: ParameterTypes = { types: [], accepts: () => true };

/** What pg calls while it runs a statement. Connection has more than its types tell. */
interface Wire {
  parse(message: { text: string; types: number[] }): void;
  bind(message: { values: (string | null)[] }): void;
  describe(message: { type: 'S' | 'P'; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  flush(): void;
  sync(): void;
  once(event: string, listener: (message: never) => void): void;
  removeListener(event: string, listener: (message: never) => void): void;
}

/** Whether the server is to say what a number or boolean is. */
const isOpen = (value: Json, type: number | undefined): boolean => typeof value !== 'string' && type === 0;

type Row = readonly (string | null)[];

class StatementQuery implements RunningStatement, Submittable {
  readonly #text: string;
  readonly #values: readonly Json[];
  readonly #types: ParameterTypes;
  readonly #begun: (statement: RunningStatement) => void;
  readonly #refused: (error: unknown) => void;
  #wire: Wire | undefined;
  #hasBegun = false;
  #isUnderstood = false;
  /** Whether the server waits to be asked for more rows. */
  #isSuspended = false;
  #isOver = false;
  #error: unknown;
  #rows: Row[] = [];
  #changed = 0;
  #given = 0;
  #woken: () => void = () => undefined;
  fields: readonly FieldDef[] | undefined;

  constructor(
    text: string,
    values: readonly Json[],
    types: ParameterTypes,
    begun: (statement: RunningStatement) => void,
    refused: (error: unknown) => void,
  ) {
    this.#text = text;
    this.#values = values;
    this.#types = types;
    this.#begun = begun;
    this.#refused = refused;
  }

  readonly #onParsed = (): void => {
    this.#isUnderstood = true;
  };
  readonly #onTypes = ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }): void => {
    if (this.#types.accepts(dataTypeIDs)) {
      this.#bind(dataTypeIDs);
      return;
    }
    this.#hasBegun = true;
    this.#wire?.sync();
    this.#refused(new NotUnderstood('other types are meant'));
  };
  readonly #onNoData = (): void => this.#begin();

  submit(connection: unknown): void {
    const wire = connection as Wire;
    this.#wire = wire;
    wire.once('parseComplete', this.#onParsed);
    wire.once('noData', this.#onNoData);
    const { types } = this.#types;
    wire.parse({ text: this.#text, types: [...types] });
    if (this.#values.some((value, i) => value !== null && (typeof value === 'object' || isOpen(value, types[i])))) {
      wire.once('parameterDescription', this.#onTypes as (message: never) => void);
      wire.describe({ type: 'S', name: '' });
      wire.flush();
    } else {
      this.#bind(types, true);
    }
  }

  #bind(types: readonly number[], describes = false): void {
    this.#wire?.bind({ values: this.#values.map((value, i) => parameterText(value, types[i] ?? 0)) });
    if (describes) this.#wire?.describe({ type: 'P', name: '' });
    this.#more();
  }

  #more(): void {
    this.#isSuspended = false;
    this.#wire?.execute({ portal: '', rows: BATCH });
    this.#wire?.flush();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#begun(this);
  }

  #end(): void {
    this.#isOver = true;
    const listeners = [
      ['parseComplete', this.#onParsed],
      ['noData', this.#onNoData],
      ['parameterDescription', this.#onTypes as () => void],
    ] as const;
    for (const [event, listener] of listeners) this.#wire?.removeListener(event, listener);
    this.#woken();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.fields = fields;
    this.#begin();
  }

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#rows.push(fields);
  }

  handlePortalSuspended(): void {
    this.#isSuspended = true;
    this.#woken();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#changed = Number(/(\d+)$/.exec(text)?.[1] ?? 0);
    this.#wire?.sync();
  }

  handleEmptyQuery(): void {
    this.#wire?.sync();
  }

  handleCopyInResponse(connection: { sendCopyFail(message: string): void }): void {
    connection.sendCopyFail('a statement of a task cannot COPY FROM STDIN; give rows to table');
  }

  handleCopyData(): void {
    // Statements that copy to the client are refused before they get here.
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#begin();
    this.#end();
  }

  handleError(error: unknown): void {
    this.#error = this.#isUnderstood ? error : new NotUnderstood('not understood', { cause: error });
    this.#wire?.sync();
    if (!this.#hasBegun) this.#refused(this.#error);
    this.#end();
  }

  count(): number {
    return this.fields === undefined ? this.#changed : this.#given;
  }

  async *batches(): AsyncGenerator<readonly Row[]> {
    try {
      while (this.#error === undefined) {
        await this.#until(() => this.#isSuspended || this.#isOver);
        const rows = this.#rows;
        this.#rows = [];
        if (this.#error !== undefined) break;
        if (this.fields !== undefined) this.#given += rows.length;
        if (rows.length > 0) yield rows;
        if (this.#isOver) return;
        this.#more();
      }
      throw this.#error;
    } finally {
      if (!this.#isOver) {
        // What is left is not read: the server drops it.
        this.#wire?.sync();
        await this.#until(() => this.#isOver);
      }
    }
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#woken = resolve;
      });
    }
  }
}
