import type { Json } from '@noetl/playbook';
import { compile, Scope } from '@noetl/template';
import { describe, expect, it } from 'vitest';
import { bindTemplate } from '../bind-template.ts';
import { DUCKDB } from '../duckdb/duckdb-dialect.ts';
import { POSTGRES } from '../postgres/postgres-dialect.ts';
import { boundStatements, type Params } from './bound-statement.ts';
import { sqlText } from './sql-text.ts';

function bound(sql: string, x: Json = 'v', dialect = POSTGRES, params?: Params) {
  const pieces = bindTemplate(
    compile(sql),
    new Scope(
      (name) => (name === 'x' ? x : undefined),
      () => ['x'],
    ),
  );
  return boundStatements(sqlText(pieces), params, dialect);
}

const only = (sql: string, x?: Json, dialect = POSTGRES) => {
  const [statement] = bound(sql, x, dialect);
  return [statement?.text.replaceAll(/ +/g, ' ').trim(), statement?.values];
};

const refusal = (sql: string, x?: Json, dialect = POSTGRES): string => {
  try {
    bound(sql, x, dialect);
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('templates in SQL (TOOL-3)', () => {
  it.each([
    ['a value', 'SELECT {{ x }}', 'SELECT $1', ['v']],
    ['a quoted literal', "SELECT '{{ x }}'", 'SELECT $1', ['v']],
    ['a part of a literal', "SELECT 1 WHERE a LIKE '%it''s {{ x }}%'", 'SELECT 1 WHERE a LIKE $1', ["%it's v%"]],
    ['an escape string', String.raw`SELECT E'a\n\x41\u00e4\'{{ x }}'`, 'SELECT $1', ["a\nAä'v"]],
    ['dollar quotes', "SELECT $$it's {{ x }}$$, $a$ $$ {{ x }}$a$", 'SELECT $1, $2', ["it's v", ' $$ v']],
    [
      'a list of values',
      'INSERT INTO t (a) VALUES ({{ x }}), ({{ x }})',
      'INSERT INTO t (a) VALUES ($1), ($2)',
      ['v', 'v'],
    ],
    [
      'a loop',
      'SELECT {% for i in [1, 2] %}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}',
      'SELECT $1,$2',
      [1, 2],
    ],
    ['a limit', 'SELECT 1 LIMIT {{ x }} OFFSET {{ x }}', 'SELECT 1 LIMIT $1 OFFSET $2', ['v', 'v']],
    [
      'a condition',
      'SELECT CASE WHEN {{ x }} THEN {{ x }} ELSE {{ x }} END',
      'SELECT CASE WHEN $1 THEN $2 ELSE $3 END',
      ['v', 'v', 'v'],
    ],
    ['a zone', 'SELECT now() AT TIME ZONE {{ x }}', 'SELECT now() AT TIME ZONE $1', ['v']],
    [
      'FROM in a function',
      'SELECT substring(a FROM {{ x }} FOR {{ x }})',
      'SELECT substring(a FROM $1 FOR $2)',
      ['v', 'v'],
    ],
    [
      'words between arguments',
      'SELECT trim(both {{ x }} from a), position({{ x }} in {{ x }})',
      'SELECT trim(both $1 from a), position($2 in $3)',
      ['v', 'v', 'v'],
    ],
    ['DISTINCT FROM', 'SELECT a IS DISTINCT FROM {{ x }}', 'SELECT a IS DISTINCT FROM $1', ['v']],
    [
      'an update',
      "UPDATE t SET a = {{ x }}, b = '{{ x }}' WHERE c = {{ x }}",
      'UPDATE t SET a = $1, b = $2 WHERE c = $3',
      ['v', 'v', 'v'],
    ],
    ['a cast', "SELECT {{ x }}::date, CAST('{{ x }}' AS date)", 'SELECT $1::date, CAST($2 AS date)', ['v', 'v']],
    [
      'a comment',
      'SELECT 1 -- {{ x }}\n/* {{ x }} /* {{ x }} */ */ + {{ x }}',
      'SELECT 1 -- \n/* /* */ */ + $1',
      ['v'],
    ],
    ['an operator of JSON', 'SELECT a -> {{ x }} ->> {{ x }}', 'SELECT a -> $1 ->> $2', ['v', 'v']],
    ['a bracket first', '(SELECT {{ x }})', '(SELECT $1)', ['v']],
  ])('binds %s', (_, sql, text, values) => {
    expect(only(sql)).toEqual([text, values]);
    expect(only(sql, 'v', DUCKDB)).toEqual([text, values]);
  });

  it.each([
    ['DDL', 'CREATE TABLE t (a text DEFAULT {{ x }})', "CREATE TABLE t (a text DEFAULT E'it''s \\\\ \\u00e4' )"],
    ['an interval', "SELECT INTERVAL '{{ x }}'", "SELECT INTERVAL E'it''s \\\\ \\u00e4'"],
    ['an interval of a value', 'SELECT INTERVAL {{ x }}', "SELECT INTERVAL E'it''s \\\\ \\u00e4'"],
    ['a date', "SELECT DATE '{{ x }}'", "SELECT DATE E'it''s \\\\ \\u00e4'"],
    ['SET', 'SET a.b TO {{ x }}', "SET a.b TO E'it''s \\\\ \\u00e4'"],
    ['COPY', 'COPY t FROM {{ x }}', "COPY t FROM E'it''s \\\\ \\u00e4'"],
    ['a literal that goes on', "SELECT 'a{{ x }}'\n'b'", "SELECT E'ait''s \\\\ \\u00e4' \n'b'"],
    ['a view', "CREATE VIEW v AS SELECT '{{ x }}' AS a", "CREATE VIEW v AS SELECT E'it''s \\\\ \\u00e4' AS a"],
  ])('writes a literal into %s, where nothing can be bound', (_, sql, text) => {
    expect(only(sql, "it's \\ ä")).toEqual([text, []]);
  });

  it('writes literals as DuckDB reads them', () => {
    expect(only("ATTACH '{{ x }}' AS a", "it's \\ ä", DUCKDB)).toEqual(["ATTACH 'it''s \\ ä' AS a", []]);
    expect(only('PRAGMA a = {{ x }}', -1, DUCKDB)).toEqual(['PRAGMA a = -1', []]);
  });

  it('knows ? as an operator of PostgreSQL', () => {
    expect(only('SELECT a ? {{ x }}, a ?| {{ x }}')).toEqual(['SELECT a ? $1, a ?| $2', ['v', 'v']]);
  });

  it('keeps the sign of a literal apart from what is written before it', () => {
    const [statement] = bound('CREATE VIEW v AS SELECT 1 -{{ x }}', -1);
    expect(statement?.text).toBe('CREATE VIEW v AS SELECT 1 - -1 ');
  });

  it.each([
    [null, 'NULL'],
    [true, 'TRUE'],
    [1.5, '1.5'],
    [{ a: "'" }, `E'{"a":"''"}'`],
    [[1], "E'[1]'"],
  ])('writes %j as the literal %s', (value, literal) => {
    expect(only('SET a = {{ x }}', value)).toEqual([`SET a = ${literal}`, []]);
  });

  it('binds null in the place of a literal that is nothing else, and nothing inside of a longer one', () => {
    expect(only("SELECT '{{ x }}', 'a{{ x }}'", null)).toEqual(['SELECT $1, $2', [null, 'a']]);
  });

  it('quotes names with | ident, of several parts too', () => {
    expect(only('SELECT {{ x | ident }} FROM {{ x | ident }}', 'a"b.c')).toEqual([
      'SELECT "a""b"."c" FROM "a""b"."c"',
      [],
    ]);
    expect(only('SELECT {{ x | ident }}', ['a.b', 'c'])).toEqual(['SELECT "a.b"."c"', []]);
    expect(only("SELECT '{{ x | ident }}'::regclass", 'a')).toEqual(['SELECT $1::regclass', ['"a"']]);
  });

  it.each([[null], [''], [3], [[]], [['a', '']], ['a.'], ['a\0b']])('takes no %j for a name', (x) => {
    expect(refusal('SELECT {{ x | ident }}', x)).toContain('| ident needs a name');
  });

  it.each([
    'SELECT * FROM {{ x }}',
    'SELECT * FROM a, {{ x }}',
    'SELECT * FROM a JOIN {{ x }} ON true',
    'INSERT INTO {{ x }} VALUES (1)',
    'INSERT INTO t ({{ x }}) VALUES (1)',
    'INSERT INTO t (a, {{ x }}) VALUES (1, 2)',
    'INSERT INTO t VALUES (1) ON CONFLICT ({{ x }}) DO NOTHING',
    'UPDATE {{ x }} SET a = 1',
    'UPDATE t SET {{ x }} = 1',
    'UPDATE t SET a = 1, {{ x }} = 1',
    'SELECT a.{{ x }} FROM a',
    'SELECT {{ x }}.a FROM a',
    'SELECT {{ x }}(1)',
    'SELECT 1 AS {{ x }}',
    "SELECT '1'::{{ x }}",
    'SELECT 1 ORDER BY {{ x }}',
    'SELECT a ORDER BY a, {{ x }}',
    'SELECT 1 GROUP BY {{ x }}',
    'CREATE TABLE {{ x }} (a int)',
    'CREATE TABLE t ({{ x }} int)',
    'CREATE INDEX i ON {{ x }} (a)',
    'DROP TABLE IF EXISTS {{ x }}',
    'TRUNCATE {{ x }}',
    'ALTER TABLE t RENAME TO {{ x }}',
  ])('asks for | ident where only a name may stand: %s', (sql) => {
    expect(refusal(sql)).toBe(
      '{{ x }} stands where PostgreSQL expects a name, which no value can be. Write {{ x | ident }}.',
    );
  });

  it.each([
    ['a keyword', 'SELECT 1 ORDER BY a {{ x }}', 'expects a keyword, an operator or a name'],
    ['a whole statement', '{{ x }}', 'expects a keyword, an operator or a name'],
    ['an alias', 'SELECT 1 FROM t {{ x }}', 'expects a keyword, an operator or a name'],
    ['a part of a name', 'SELECT * FROM t_{{ x }}', "put its text together first: {{ ('orders_' ~ x) | ident }}"],
    ['two values side by side', 'SELECT {{ x }}{{ x }}', 'is a part of a word'],
    ['a name in quotes', 'SELECT "{{ x }}"', 'stands in a name in double quotes'],
    ['a part of a longer name', 'SELECT a{{ x | ident }}', 'is a part of a word'],
    ['a body of code', 'DO $$ BEGIN PERFORM {{ x }}; END $$', 'stands inside of code (DO)'],
    [
      'a function',
      "CREATE OR REPLACE FUNCTION f() RETURNS int AS 'SELECT {{ x }}' LANGUAGE sql",
      'stands inside of code',
    ],
    ['bits', "SELECT B'{{ x }}'", "of the form B'…'"],
    ['bytes of a longer character', String.raw`SELECT E'\xc3{{ x }}'`, 'Write the character itself'],
    ['a list that is none', 'SELECT 1 WHERE 1 IN {{ x }}', 'is no list'],
    ['a text without end', "SELECT 'a", 'a text that begins in line 1 is never closed'],
    ['a text whose end is escaped', String.raw`SELECT E'a\'`, 'a text that begins in line 1 is never closed'],
    ['dollar quotes without end', 'SELECT 1,\n$a$ $$', 'a text that begins in line 2 is never closed'],
    ['a comment without end', '/* /* */', 'a comment that begins in line 1 is never closed'],
    ['a name without end', 'SELECT "a""', 'a name in double quotes that begins in line 1 is never closed'],
  ])('refuses %s', (_, sql, message) => {
    expect(refusal(sql)).toContain(message);
  });

  it.each([
    [
      'keywords',
      "SELECT 1 ORDER BY a {{ 'DESC' if x else 'ASC' }} LIMIT {{ x }}",
      'SELECT 1 ORDER BY a DESC LIMIT $1',
      ['v'],
    ],
    [
      'commas',
      "INSERT INTO t VALUES {% for i in [1, 2] %}({{ i }}, '{{ x }}'){{ ', ' if not loop.last else '' }}{% endfor %}",
      'INSERT INTO t VALUES ($1, $2) , ($3, $4)',
      [1, 'v', 2, 'v'],
    ],
    ['words between values', "SELECT {{ x }} {{ 'AND' if x else 'OR' }} {{ x }}", 'SELECT $1 AND $2', ['v', 'v']],
  ])('takes %s that the author wrote inside of a template', (_, sql, text, values) => {
    expect(only(sql)).toEqual([text, values]);
  });

  it('takes what the author wrote for a value where a value may stand, and nothing that is more than words', () => {
    expect(only("SELECT {{ 'DESC' if x else 'ASC' }}")).toEqual(['SELECT $1', ['DESC']]);
    expect(refusal("SELECT 1 ORDER BY a {{ '; --' if x else '' }}")).toContain('expects a keyword');
    expect(refusal("SELECT 1 ORDER BY a {{ x if x else 'ASC' }}", 'DESC')).toContain('expects a keyword');
    expect(refusal("SELECT 1 ORDER BY a {{ 'DESC' ~ x }}")).toContain('expects a keyword');
  });

  it('makes a list after IN a list of values', () => {
    expect(only('SELECT 1 WHERE a IN ({{ x }})', [1, 'b'])).toEqual(['SELECT 1 WHERE a IN ($1, $2)', [1, 'b']]);
    expect(only('SELECT 1 WHERE a NOT IN {{ x }}', [1])).toEqual(['SELECT 1 WHERE a NOT IN ($1)', [1]]);
    expect(only('SELECT 1 WHERE a IN ({{ x }})', 7)).toEqual(['SELECT 1 WHERE a IN ($1)', [7]]);
    expect(only('CREATE TABLE p PARTITION OF t FOR VALUES IN ({{ x }})', ['a', 1])).toEqual([
      "CREATE TABLE p PARTITION OF t FOR VALUES IN ( E'a' , 1 )",
      [],
    ]);
    expect(refusal('SELECT 1 WHERE a IN ({{ x }})', [])).toContain('Write = ANY({{ x }}) instead');
  });
});

describe('statements of a text', () => {
  const texts = (sql: string) => bound(sql).map(({ text }) => text.trim());

  it('are parted where a semicolon ends one, and nowhere else', () => {
    const sql = `SELECT ';', E'\\';', ";", $$;$$, $a$;$$;$a$ -- ;
      /* ; /* ; */ ; */ ; ; SELECT 2 ;
      -- the end;`;
    expect(texts(sql).map((text) => text.slice(0, 8))).toEqual(["SELECT '", 'SELECT 2']);
  });

  it('may hold semicolons in brackets and in bodies of functions', () => {
    const rule = 'CREATE RULE r AS ON INSERT TO t DO (DELETE FROM a; DELETE FROM b)';
    const body = 'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END';
    expect(texts(`${rule}; ${body}; SELECT 1`)).toEqual([rule, body, 'SELECT 1']);
  });

  it('know the place of a character as it was written', () => {
    const [, second] = bound("SELECT 1;\nSELECT '{{ x }}', {{ x }} + nope", 'a long value');
    const at = second?.text.indexOf('nope') ?? 0;
    expect(second?.placeOf(at)).toEqual({ line: 2, column: 29, text: "SELECT '{{ x }}', {{ x }} + nope" });
  });
});

describe('placeholders of the statement itself', () => {
  it('take their values from params, by number or by name', () => {
    const [byNumber] = bound('SELECT $2, {{ x }}, $1, $2', 'v', POSTGRES, ['a', null]);
    expect([byNumber?.text, byNumber?.values]).toEqual(['SELECT $1, $2, $3, $4', [null, 'v', 'a', null]]);
    const [byName] = bound("SELECT $a, :b, ':a', a::b, :c", 'v', POSTGRES, { a: 1, b: 2 });
    expect([byName?.text, byName?.values]).toEqual(["SELECT $1, $2, ':a', a::b, :c", [1, 2]]);
    const [byOrder] = bound('SELECT ?, ?', 'v', DUCKDB, [1, 2]);
    expect([byOrder?.text, byOrder?.values]).toEqual(['SELECT $1, $2', [1, 2]]);
    expect(bound("SELECT a ? 'b'", 'v', POSTGRES, [1])[0]?.text).toBe("SELECT a ? 'b'");
  });

  it('are refused without a value', () => {
    const without = (sql: string, params?: Params) => () => bound(sql, 'v', POSTGRES, params);
    expect(without('SELECT $1')).toThrow("$1 has no value in 'params'");
    expect(without('SELECT $3', [1, 2])).toThrow("$3 has no value in 'params'");
    expect(without('SELECT $nme', { name: 1 })).toThrow("$nme has no value in 'params'. Did you mean 'name'?");
  });

  it('are left to PREPARE', () => {
    expect(bound('PREPARE p AS SELECT $1')[0]?.text).toBe('PREPARE p AS SELECT $1');
  });
});
