import type { Mutant } from './table.ts';

const tools = (file: string) => `packages/noetl/src/tools/${file}.ts`;

/** Wrong edits of how templates of SQL become statements, and of how statements are run. */
export const SQL_MUTANTS: readonly Mutant[] = [
  {
    breaks: 'a literal of DuckDB ends where it ends (TOOL-3)',
    file: tools('duckdb/duckdb-dialect'),
    from: `text.replaceAll("'", "''")`,
    to: 'text',
  },
  {
    breaks: 'a literal of PostgreSQL ends where it ends (TOOL-3)',
    file: tools('postgres/postgres-dialect'),
    from: String.raw`/['\\]/g`,
    to: "/[']/g",
  },
  {
    breaks: 'a quoted name ends where it ends (TOOL-3)',
    file: tools('bind-template'),
    from: `String(part).replaceAll('"', '""')`,
    to: 'String(part)',
  },
  {
    breaks: 'the sign of a literal does not begin a comment (TOOL-3)',
    file: tools('sql/sql-dialect'),
    from: "if (typeof value === 'number') return",
    to: "if (typeof value === 'number') return String(value) ??",
  },
  {
    breaks: 'a template beside a word is refused (TOOL-3)',
    file: tools('sql/value-place'),
    from: '(touches.before && isPart(before)) || (touches.after && isPart(next))',
    to: 'false',
  },
  {
    breaks: 'comments are nested (TOOL-3)',
    file: tools('sql/sql-tokens'),
    from: 'depth++;',
    to: 'depth = 1;',
  },
  {
    breaks: 'dollar quotes are texts (TOOL-3)',
    file: tools('sql/sql-tokens'),
    from: 'if (dollar !== undefined)',
    to: 'if (dollar === text)',
  },
  {
    breaks: 'a text of PostgreSQL may escape its quote (TOOL-3)',
    file: tools('sql/sql-tokens'),
    from: String.raw`(?:\\[\s\S]|'')[^'\\]*`,
    to: String.raw`(?:'')[^'\\]*`,
  },
  {
    breaks: 'code takes no template (TOOL-3)',
    file: tools('sql/bound-statement'),
    from: 'if (holdsCode)',
    to: 'if (!holdsCode && verb === "DO")',
  },
  {
    breaks: 'several statements run in one transaction (TOOL-3)',
    file: tools('sql/transaction'),
    from: "inner.length > 1 ? 'BEGIN' : undefined",
    to: 'undefined',
  },
  {
    breaks: 'what a task has set in its session is forgotten',
    file: tools('postgres/connection-pool'),
    from: "'DISCARD ALL'",
    to: "'SELECT 1'",
  },
  {
    breaks: 'what is stopped is ended on the server',
    file: tools('postgres/postgres-tool'),
    from: 'cancelQuery(address, client, CANCEL_PATIENCE)',
    to: 'Promise.resolve()',
  },
  {
    breaks: 'a pool has no more connections than it may',
    file: tools('sql/places'),
    from: 'taken >= limit',
    to: 'taken >= limit * 10',
  },
  {
    breaks: 'decimals are exact (TPL-8)',
    file: tools('sql/exact-number'),
    from: 'return String(number) === ',
    to: 'return String(number) !== ',
  },
];
