import type { BoundStatement } from './bound-statement.ts';
import { SqlProblem } from './sql-problem.ts';
import { isWord } from './sql-tokens.ts';

/** The statements of a task without those that begin and end the transaction they run in anyway. */
export interface Transaction {
  /** How it begins; undefined where a single statement is a transaction of its own. */
  readonly begin: string | undefined;
  readonly statements: readonly BoundStatement[];
}

/** TOOL-3: several statements run in one transaction. Throws a SqlProblem where they say otherwise. */
export function transactionOf(statements: readonly BoundStatement[]): Transaction {
  const [first] = statements;
  const last = statements.at(-1);
  const begins = first !== undefined && isBegin(first);
  const ends = begins && last !== undefined && last !== first && isCommit(last);
  const inner = statements.slice(begins ? 1 : 0, ends ? -1 : undefined);
  const stray = inner.find((statement) => isBegin(statement) || isCommit(statement) || isRollback(statement));
  if (stray !== undefined || inner.length === 0) {
    const verb = (stray ?? first)?.verb;
    throw new SqlProblem(
      `${verb} stands among the statements, which run in one transaction anyway: it is committed after the last, and rolled back if one fails. Leave it out; for transactions of their own write several tasks.`,
    );
  }
  const begin = begins ? first.text : inner.length > 1 ? 'BEGIN' : undefined;
  return { begin, statements: inner };
}

const isBegin = ({ verb, tokens }: BoundStatement): boolean =>
  verb === 'BEGIN' || (verb === 'START' && isWord(tokens[1], 'TRANSACTION'));
const isCommit = ({ verb }: BoundStatement): boolean => verb === 'COMMIT' || verb === 'END';
const isRollback = ({ verb, tokens }: BoundStatement): boolean =>
  verb === 'ABORT' || (verb === 'ROLLBACK' && !tokens.some((token) => isWord(token, 'TO')));
