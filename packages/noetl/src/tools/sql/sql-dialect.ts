import type { Json } from '@noetl/playbook';

/** What differs between databases while templates become parameters. */
export interface SqlDialect {
  /** As people call it. */
  readonly database: string;
  /** First words of statements in which the database takes parameters. */
  readonly bindable: ReadonlySet<string>;
  /** Whether `?` is a placeholder; elsewhere it is an operator. */
  readonly hasQuestionMarks: boolean;
  /** Whether texts of COPY, ATTACH and the like are files beside the playbook. */
  readonly namesFiles: boolean;
  /** A text as a literal that ends where it ends, whatever it holds. */
  textLiteral(text: string): string;
}

/** TOOL-3: where nothing can be bound, a value stands in the statement by itself. Spaces keep signs apart: `1 - -1`. */
export function literalOf(value: Json, dialect: SqlDialect): string {
  if (value === null) return ' NULL ';
  if (typeof value === 'boolean') return value ? ' TRUE ' : ' FALSE ';
  if (typeof value === 'number') return ` ${value} `;
  return ` ${dialect.textLiteral(typeof value === 'string' ? value : JSON.stringify(value))} `;
}
