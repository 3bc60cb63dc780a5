import type { Json } from '@noetl/playbook';
import { compile, Scope } from '@noetl/template';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { bindTemplate } from '../bind-template.ts';
import { DUCKDB } from '../duckdb/duckdb-dialect.ts';
import { POSTGRES } from '../postgres/postgres-dialect.ts';
import { boundStatements } from './bound-statement.ts';
import { SqlProblem } from './sql-problem.ts';
import { sqlText } from './sql-text.ts';
import { isSignificant, tokensOf } from './sql-tokens.ts';

/** Pieces of SQL that open, close and escape things, in any order. */
const fragment = fc.constantFrom(
  ...[
    "'",
    '"',
    "E'",
    '\\',
    '$$',
    '$a$',
    '--',
    '/*',
    '*/',
    '\n',
    ';',
    '(',
    ')',
    ',',
    '-',
    ' ',
    'x',
    '1',
    '::',
    '.',
    'U&',
  ],
  ...[
    "'{{ x }}'",
    '{{ x }}',
    '{{ x }}',
    '{{ x | ident }}',
    'SELECT ',
    ' FROM ',
    ' IN ',
    'SET a = ',
    ' DATE ',
    'COPY t TO ',
    "{{ 'DESC' if x else ',' }}",
  ],
);
const sql = fc.array(fragment, { maxLength: 14 }).map((pieces) => pieces.join(''));
const hostile = fc
  .array(
    fc.constantFrom("'", '"', '\\', '--', ';', '$$', '/*', '*/', ')', ' OR 1=1', '\n', '\u{F0000}', 'é', '::', '{{'),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => `n${parts.join('')}`);

/** What the database would read: the kinds of the tokens, and all of their text that is no value. */
function shape(source: string, x: Json, dialect: typeof POSTGRES): string {
  try {
    const scope = new Scope(
      (name) => (name === 'x' ? x : undefined),
      () => ['x'],
    );
    return boundStatements(sqlText(bindTemplate(compile(source), scope)), undefined, dialect)
      .map(({ text }) =>
        tokensOf(text)
          .filter(isSignificant)
          .map((token) => (token.kind === 'string' || token.kind === 'name' ? token.kind : token.text))
          .join(' '),
      )
      .join(' ; ');
  } catch (error) {
    if (error instanceof SqlProblem) return 'refused';
    throw error;
  }
}

describe('templates in SQL (TOOL-3)', () => {
  it.each([POSTGRES, DUCKDB])('never let a value change the statement, wherever they stand: $database', (dialect) => {
    fc.assert(
      fc.property(sql, hostile, (source, value) => shape(source, value, dialect) === shape(source, 'n', dialect)),
      { numRuns: 3000 },
    );
  });
});
