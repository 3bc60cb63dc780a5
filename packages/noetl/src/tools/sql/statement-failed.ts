import type { BoundStatement } from './bound-statement.ts';

/** A statement that failed, with its number. */
export class StatementFailed extends Error {
  override name = 'StatementFailed';
  readonly statement: BoundStatement;
  readonly number: number;

  constructor(statement: BoundStatement, number: number, cause: unknown) {
    super(`statement ${number} failed`, { cause });
    this.statement = statement;
    this.number = number;
  }
}
