import type { Json, JsonMap } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../../postgres-server.testing.ts';
import type { ToolAnswer } from '../define-tool.ts';
import { toolsUnderTest } from '../task-call.testing.ts';

describe.skipIf(noPostgres)('postgres', () => {
  const under = toolsUnderTest();
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await under.tools.close();
    await server.stop();
  });

  const run = (sql: string, workload: JsonMap = {}, fields = ''): Promise<ToolAnswer> =>
    under.run(`kind: postgres\nauth: db\n${fields}query: |\n  ${sql.replaceAll('\n', '\n  ')}`, {
      workload,
      keychain: { db: server.url },
    });
  const rowsOf = async (sql: string, workload: JsonMap = {}): Promise<Json> => {
    const answer = await run(sql, workload);
    expect(answer).toMatchObject({ status: 'ok', pg: { code: '00000', sqlstate: '00000' } });
    return (answer.result as JsonMap).rows ?? null;
  };
  const load = (table: string, rows: Json): Promise<ToolAnswer> =>
    under.run(`kind: postgres\nauth: db\ntable: "${table}"\nrows: "{{ workload.rows }}"`, {
      workload: { rows },
      keychain: { db: server.url },
    });

  it('gives rows, their number and columns of the last statement, and those of each', async () => {
    const answer = await run('CREATE TEMP TABLE t (a int); INSERT INTO t VALUES (1), (2); SELECT a FROM t ORDER BY a');
    const last = { rows: [{ a: 1 }, { a: 2 }], row_count: 2, columns: ['a'] };
    expect(answer.result).toEqual({
      ...last,
      command_0: { rows: [], row_count: 0, columns: [] },
      command_1: { rows: [], row_count: 2, columns: [] },
      command_2: last,
    });
  });

  it('binds every template, also inside of quotes (TOOL-3)', async () => {
    const sql = `SELECT {{ workload.a }} AS a, 'x{{ workload.b }}y' AS b, $$ {{ workload.b }} $$ AS c, {{ workload.n }} AS n,
      DATE '{{ workload.d }}' + INTERVAL {{ workload.i }} AS d WHERE 'it''s' LIKE '%{{ workload.b }}%' AND 2 IN ({{ workload.l }})`;
    const workload = { a: 5, b: "t's", n: null, d: '2030-01-31', i: '1 day', l: [1, 2] };
    expect(await rowsOf(sql, workload)).toEqual([{ a: 5, b: "xt'sy", c: " t's ", n: null, d: '2030-02-01T00:00:00' }]);
  });

  it('takes values as the place needs them: a number for text, text for a number, either where nothing tells', async () => {
    const sql = `SELECT {{ workload.n }} AS number, {{ workload.n }} || '!' AS text, {{ workload.s }} + 1 AS sum,
      {{ workload.s }} IS NULL AS known, {{ workload.nothing }} IS NULL AS nothing, {{ workload.yes }} AND true AS yes,
      round({{ workload.half }}) AS round, left('abc', {{ workload.one }}) AS a`;
    const workload = { n: 5, s: '7', nothing: null, yes: true, half: 2.5, one: 1 };
    expect(await rowsOf(sql, workload)).toEqual([
      { number: 5, text: '5!', sum: 8, known: false, nothing: true, yes: true, round: 3, a: 'a' },
    ]);
    expect(await rowsOf(`SELECT 1 AS a; ${sql}`, workload)).toHaveLength(1);
  });

  it('takes lists as arrays or JSON, and mappings as JSON, as the place needs them', async () => {
    const sql = `CREATE TEMP TABLE t (j jsonb, i int[], s text[], x text, d jsonb[]);
      INSERT INTO t VALUES ({{ workload.mixed }}, {{ workload.numbers }}, {{ workload.texts }}, {{ workload.numbers }}, {{ workload.data }});
      SELECT t.*, 2 = ANY({{ workload.numbers }}) AS has, 2 = ANY({{ workload.none }}) AS none,
        array_length({{ workload.texts }}, 1) AS n, {{ workload.map }}->>'a' AS a FROM t`;
    const workload = {
      mixed: [1, 'a', { b: null }],
      numbers: [1, 2],
      texts: ['a,"b\\', null, '{}'],
      data: [{ a: '"' }, [1]],
      none: [],
      map: { a: 'x' },
    };
    expect(await rowsOf(sql, workload)).toEqual([
      {
        j: [1, 'a', { b: null }],
        i: [1, 2],
        s: ['a,"b\\', null, '{}'],
        x: '[1,2]',
        d: [{ a: '"' }, [1]],
        has: true,
        none: false,
        n: 3,
        a: 'x',
      },
    ]);
  });

  it('keeps numbers exact (TPL-8)', async () => {
    const sql = `SELECT 9007199254740993 AS big, 42::bigint AS small, 1.50 AS price, 12345678901234567890.123 AS long,
      0.1 AS tenth, 0.1::float8 AS float, -0.00 AS zero, 100000000000000000000 AS huge, 'NaN'::numeric AS none, {{ workload.big }}::bigint AS given`;
    expect(await rowsOf(sql, { big: '9007199254740993' })).toEqual([
      {
        big: '9007199254740993',
        small: 42,
        price: 1.5,
        long: '12345678901234567890.123',
        tenth: 0.1,
        float: 0.1,
        zero: 0,
        huge: '100000000000000000000',
        none: 'NaN',
        given: '9007199254740993',
      },
    ]);
  });

  it('gives every type a form in JSON', async () => {
    const sql = `SELECT '\\x4142'::bytea AS bytes, '{"x": [1, 9007199254740993]}'::jsonb AS json, '{"b":1}'::json AS text_json,
      ARRAY[[1, NULL], [2, 3]] AS array, ARRAY['a,b', 'c"d', 'NULL', NULL] AS texts, '[0:1]={1,2}'::int[] AS bounds,
      TIMESTAMPTZ '2030-01-31 10:00:00.123456+02:30' AS instant, TIMESTAMP '2030-01-31 10:00:00' AS stamp,
      DATE '2030-01-31' AS date, 'infinity'::timestamptz AS never, TIME '10:00' AS time, INTERVAL '1 day 2 hours' AS while,
      gen_random_uuid() IS NOT NULL AS yes, '10.0.0.1'::inet AS inet, int4range(1, 3) AS range, NULL AS nothing, 1 AS a, 2 AS a`;
    expect(await rowsOf(sql)).toEqual([
      {
        bytes: { base64: 'QUI=', size: 2 },
        json: { x: [1, '9007199254740993'] },
        text_json: { b: 1 },
        array: [
          [1, null],
          [2, 3],
        ],
        texts: ['a,b', 'c"d', 'NULL', null],
        bounds: [1, 2],
        instant: '2030-01-31T07:30:00.123456Z',
        stamp: '2030-01-31T10:00:00',
        date: '2030-01-31',
        never: 'infinity',
        time: '10:00:00',
        while: '1 day 02:00:00',
        yes: true,
        inet: '10.0.0.1',
        range: '[1,3)',
        nothing: null,
        a: 1,
        a_2: 2,
      },
    ]);
  });

  it('reads many rows by a cursor, and tells how many a change touched', async () => {
    const answer = await run('SELECT n FROM generate_series(1, 12345) AS n');
    const { rows, row_count } = answer.result as { rows: { n: number }[]; row_count: number };
    expect([row_count, rows.length, rows.every(({ n }, i) => n === i + 1)]).toEqual([12345, 12345, true]);
    const changed = await run('CREATE TEMP TABLE t AS SELECT 1 AS a FROM generate_series(1, 5); UPDATE t SET a = 2');
    expect(changed.result).toMatchObject({ row_count: 5, command_0: { row_count: 5 }, rows: [] });
    const returned = await run('CREATE TEMP TABLE t (a int); INSERT INTO t VALUES ({{ workload.a }}) RETURNING a', {
      a: 3,
    });
    expect(returned.result).toMatchObject({ rows: [{ a: 3 }], row_count: 1 });
  });

  it('undoes all statements of a task if one fails', async () => {
    await run('CREATE TABLE undone (a int)');
    const answer = await run('INSERT INTO undone VALUES ({{ workload.a }}); SELECT 1 / 0', { a: 1 });
    expect(answer).toMatchObject({
      error: { kind: 'sql.failed', details: { statement: 2 } },
      pg: { sqlstate: '22012' },
    });
    expect(await rowsOf('SELECT count(*) AS n FROM undone')).toEqual([{ n: 0 }]);
    expect(await run('BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO undone VALUES (1); COMMIT')).toMatchObject({
      status: 'ok',
    });
    expect(await rowsOf('SELECT count(*) AS n FROM undone')).toEqual([{ n: 1 }]);
  });

  it('forgets what a task has set in its session', async () => {
    await run("SET search_path TO '{{ workload.x }}'; CREATE TEMP TABLE left_over (a int)", { x: 'elsewhere' });
    expect(await rowsOf("SELECT current_setting('search_path') AS p, to_regclass('left_over') AS t")).toEqual([
      { p: '"$user", public', t: null },
    ]);
  });

  it('runs what no transaction can hold, alone', async () => {
    expect(await run('VACUUM')).toMatchObject({ status: 'ok' });
    expect(await run('SELECT 1; VACUUM')).toMatchObject({ pg: { sqlstate: '25001' } });
  });

  describe('in bulk', () => {
    it('loads rows into a table, columns by their keys', async () => {
      await run('CREATE TABLE "Odd Name" (a int, s text, j jsonb, l text[], b boolean, n numeric)');
      const rows = [
        { a: 1, s: 'tab\t line\n back\\ \\N ', j: { x: [1] }, l: ['a', 'b'], b: true, n: '12345678901234567890.5' },
        { s: '', j: ['list'], l: [], a: 2 },
        { a: null, s: null },
      ];
      expect((await load('public.Odd Name', rows)).result).toEqual({
        rows: [],
        row_count: 3,
        columns: ['a', 's', 'j', 'l', 'b', 'n'],
        command_0: { rows: [], row_count: 3, columns: ['a', 's', 'j', 'l', 'b', 'n'] },
      });
      const empty = { a: null, s: null, j: null, l: null, b: null, n: null };
      expect(await rowsOf('SELECT * FROM "Odd Name" ORDER BY a')).toEqual([rows[0], { ...empty, ...rows[1] }, empty]);
    });

    it('loads nothing of an empty list, and many rows at once', async () => {
      await run('CREATE TABLE many (a int, t text)');
      expect((await load('many', [])).result).toMatchObject({ row_count: 0 });
      const rows = Array.from({ length: 20_000 }, (_, a) => ({ a, t: `row ${a}` }));
      expect((await load('many', rows)).result).toMatchObject({ row_count: 20_000 });
      expect(await rowsOf('SELECT count(*) AS n, sum(a) AS s FROM many')).toEqual([{ n: 20_000, s: 199_990_000 }]);
    });

    it('loads all rows or none', async () => {
      await run('CREATE TABLE strict (a int)');
      const answer = await load('strict', [{ a: 1 }, { a: 'x' }]);
      expect(answer).toMatchObject({ error: { kind: 'sql.failed', retryable: false }, pg: { sqlstate: '22P02' } });
      expect(await rowsOf('SELECT count(*) AS n FROM strict')).toEqual([{ n: 0 }]);
    });

    it('says which row is refused', async () => {
      await run('CREATE TABLE numbered (a int UNIQUE, t text NOT NULL)');
      const good = { a: 1, t: 'two\nlines, line 9, column z: x' };
      expect((await load('numbered', [good, { a: ', line 7', t: 'x' }])).error).toMatchObject({
        message: expect.stringContaining("of the task 't' failed at row 2, column a: invalid input syntax"),
        details: { statement: 1, row: 2, column: 'a' },
      });
      expect((await load('numbered', [good, { a: 2, t: 'x' }, { a: 3 }])).error).toMatchObject({
        details: { sqlstate: '23502', row: 3, column: 't' },
      });
      expect((await load('numbered', [good, { a: 1, t: 'x' }])).error).toMatchObject({
        details: { sqlstate: '23505', row: 2, constraint: 'numbered_a_key' },
      });
    });

    it.each([
      ['rows that are no list', 'many', { a: 1 }, "'rows' is no list"],
      ['a row that is no mapping', 'many', [{ a: 1 }, 7], "row 2 of 'rows' is no mapping"],
      ['rows without columns', 'many', [{}], 'no columns'],
      ['a character that PostgreSQL has not', 'many', [{ t: 'a\0' }], "'t' of row 1"],
      ['a name that is none', 'a..b', [{ a: 1 }], "'table' is no name"],
    ])('refuses %s', async (_, table, rows, message) => {
      expect((await load(table, rows)).error).toMatchObject({
        kind: 'task.field',
        message: expect.stringContaining(message),
      });
    });

    it('says which table or column there is not', async () => {
      expect(await load('nowhere; DROP TABLE many', [{ a: 1 }])).toMatchObject({ pg: { sqlstate: '42P01' } });
      expect(await load('many', [{ 'a) FROM STDIN; --': 1 }])).toMatchObject({ pg: { sqlstate: '42703' } });
    });
  });

  describe('that refuses a statement', () => {
    it('names the line and column as written', async () => {
      const answer = await run("SELECT 1;\nSELECT 'ä', {{ workload.a }} AS x\n  FORM nope", { a: 'a long text' });
      expect(answer.error).toEqual({
        kind: 'sql.failed',
        retryable: false,
        message: `statement 2 of the task 't' failed at line 3, column 3: syntax error at or near "FORM" (42601)\n  FORM nope\n  ^`,
        details: { statement: 2, sqlstate: '42601', line: 3, column: 3 },
      });
      expect(answer.pg).toEqual({ code: '42601', sqlstate: '42601' });
      const typed = await run('SELECT {{ workload.a }} + now()', { a: 1 });
      expect(typed.error).toMatchObject({
        details: { line: 1, column: 25 },
        message: expect.stringContaining('explicit type casts'),
      });
    });

    it('tells which constraint a row breaks', async () => {
      await run('CREATE TABLE once (a int PRIMARY KEY); INSERT INTO once VALUES (1)');
      const answer = await run('INSERT INTO once VALUES ({{ workload.a }})', { a: 1 });
      expect(answer.error).toMatchObject({
        retryable: false,
        details: { sqlstate: '23505', constraint: 'once_pkey', table: 'once', detail: 'Key (a)=(1) already exists.' },
      });
    });

    it('lets a deadlock be tried again', async () => {
      await run('CREATE TABLE locked (a int PRIMARY KEY, n int); INSERT INTO locked VALUES (1, 0), (2, 0)');
      const crossed = ([first, second]: readonly number[]) =>
        run(
          'UPDATE locked SET n = n + 1 WHERE a = {{ workload.first }}; SELECT pg_sleep(0.5); UPDATE locked SET n = n + 1 WHERE a = {{ workload.second }}',
          { first: first ?? 0, second: second ?? 0 },
        );
      const answers = await Promise.all(
        [
          [1, 2],
          [2, 1],
        ].map(crossed),
      );
      const lost = answers.filter(({ status }) => status === 'error');
      expect(lost).toMatchObject([{ error: { kind: 'sql.failed', retryable: true }, pg: { sqlstate: '40P01' } }]);
    });

    it('lets a conflict of serializable transactions be tried again', async () => {
      await run('CREATE TABLE counted (n int); INSERT INTO counted VALUES (0)');
      const one = () =>
        run(
          'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT n FROM counted; SELECT pg_sleep(0.5); UPDATE counted SET n = n + 1',
        );
      const lost = (await Promise.all([one(), one()])).filter(({ status }) => status === 'error');
      expect(lost).toMatchObject([{ error: { retryable: true }, pg: { sqlstate: '40001' } }]);
    });

    it.each([
      ['a number that JSON does not have', "SELECT 'NaN'::float8 AS a", 'result.json'],
      ['COPY to the client', 'COPY (SELECT 1) TO STDOUT', 'task.field'],
      ['another reading of texts', 'SET standard_conforming_strings = off; SELECT 1', 'task.field'],
      ['a template for a name', 'SELECT * FROM {{ workload.t }}', 'task.field'],
      ['a COMMIT in between', 'SELECT 1; COMMIT; SELECT 2', 'task.field'],
      ['text that is no UTF-8', "SELECT convert_from('\\xff', 'UTF8')", 'sql.failed'],
    ])('refuses %s', async (_, sql, kind) => {
      expect((await run(sql, { t: 't' })).error).toMatchObject({ kind, retryable: false });
    });

    it('refuses the character 0, which it has no form for', async () => {
      expect(await run('SELECT {{ workload.s }} AS s', { s: 'a\0b' })).toMatchObject({ pg: { sqlstate: '22021' } });
      expect((await run('SET a.b = {{ workload.s }}', { s: 'a\0b' })).error).toMatchObject({ kind: 'task.field' });
    });
  });
});
