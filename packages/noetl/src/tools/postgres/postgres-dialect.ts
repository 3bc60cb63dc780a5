import type { SqlDialect } from '../sql/sql-dialect.ts';
import { SqlProblem } from '../sql/sql-problem.ts';

export const POSTGRES: SqlDialect = {
  database: 'PostgreSQL',
  bindable: new Set('SELECT INSERT UPDATE DELETE MERGE VALUES WITH EXPLAIN CALL ('.split(' ')),
  hasQuestionMarks: false,
  namesFiles: false,
  /** E'…' means the same whatever the session has set; without characters beyond ASCII, in every encoding too. */
  textLiteral(text) {
    if (text.includes('\0')) throw new SqlProblem('a value holds the character 0, which PostgreSQL has no form for.');
    const escaped = text.replaceAll(/['\\]/g, '$&$&').replaceAll(/[^\x20-\x7e]/gu, (character) => {
      const code = (character.codePointAt(0) ?? 0).toString(16);
      return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
    });
    return `E'${escaped}'`;
  },
};
