import type { SqlDialect } from '../sql/sql-dialect.ts';
import { SqlProblem } from '../sql/sql-problem.ts';

export const DUCKDB: SqlDialect = {
  database: 'DuckDB',
  bindable: new Set('SELECT INSERT UPDATE DELETE MERGE WITH FROM VALUES EXPLAIN ('.split(' ')),
  hasQuestionMarks: true,
  namesFiles: true,
  textLiteral(text) {
    if (text.includes('\0')) {
      throw new SqlProblem('a value holds the character 0, and stands where DuckDB takes no parameter.');
    }
    return `'${text.replaceAll("'", "''")}'`;
  },
};
