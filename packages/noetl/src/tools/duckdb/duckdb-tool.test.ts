import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryResults } from '../../results/memory.ts';
import { createKeep } from '../../worker/keep-values.ts';
import type { ToolAnswer } from '../define-tool.ts';
import { memoryKeep } from '../memory-keep.testing.ts';
import { type Given, taskCall, toolsUnderTest } from '../task-call.testing.ts';

const under = toolsUnderTest();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-duckdb-'));
});
afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});

const task = (sql: string, fields = ''): string => `kind: duckdb\n${fields}query: |\n  ${sql.replaceAll('\n', '\n  ')}`;
const run = (sql: string, workload: JsonMap = {}, given: Given = {}, fields = ''): Promise<ToolAnswer> =>
  under.run(task(sql, fields), { workload, folder, ...given });
const rowsOf = async (sql: string, workload: JsonMap = {}): Promise<Json> => {
  const answer = await run(sql, workload);
  expect(answer).toMatchObject({ status: 'ok' });
  return (answer.result as JsonMap).rows ?? null;
};

describe('duckdb', () => {
  it('gives rows, their number and columns of the last statement, and those of each', async () => {
    const answer = await run('CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2); SELECT a FROM t ORDER BY a');
    const last = { rows: [{ a: 1 }, { a: 2 }], row_count: 2, columns: ['a'] };
    expect(answer).toEqual({
      status: 'ok',
      result: {
        ...last,
        command_0: { rows: [], row_count: 0, columns: [] },
        command_1: { rows: [], row_count: 2, columns: [] },
        command_2: last,
      },
    });
  });

  it('binds every template, also inside of quotes (TOOL-3)', async () => {
    const sql = `SELECT {{ workload.a }} AS a, 'x{{ workload.b }}y' AS b, $$ {{ workload.b }} $$ AS c, {{ workload.n }} AS n,
      DATE '{{ workload.d }}' + INTERVAL {{ workload.i }} AS d WHERE 'it''s' LIKE '%{{ workload.b }}%' AND 2 IN ({{ workload.l }})`;
    const workload = { a: 5, b: "t's", n: null, d: '2030-01-31', i: '1 day', l: [1, 2] };
    expect(await rowsOf(sql, workload)).toEqual([{ a: 5, b: "xt'sy", c: " t's ", n: null, d: '2030-02-01T00:00:00' }]);
  });

  it('keeps numbers exact (TPL-8)', async () => {
    const sql = `SELECT 9007199254740993 AS big, 42::bigint AS small, 170141183460469231731687303715884105727 AS huge,
      1.50::decimal(10,2) AS price, 12345678901234567890.123::decimal(38,3) AS long, 0.1 AS tenth, 2.5::double AS half`;
    expect(await rowsOf(sql)).toEqual([
      {
        big: '9007199254740993',
        small: 42,
        huge: '170141183460469231731687303715884105727',
        price: 1.5,
        long: '12345678901234567890.123',
        tenth: 0.1,
        half: 2.5,
      },
    ]);
    expect(
      await rowsOf('SELECT {{ workload.n }} AS n, {{ workload.l }} AS l', { n: 4294967296, l: [4294967296] }),
    ).toEqual([{ n: 4294967296, l: [4294967296] }]);
  });

  it('gives every type a form in JSON', async () => {
    const sql = `SELECT [1, NULL] AS list, {'a': {'b': [DATE '2030-01-31']}} AS struct, MAP {'k': 1} AS map, MAP {1: 2} AS pairs,
      '{"x": [1, 9007199254740993]}'::json AS json, 'ab'::blob AS blob, TIMESTAMPTZ '2030-01-31 10:00:00.25+02' AS instant,
      TIMESTAMP '2030-01-31 10:00:00' AS stamp, TIME '10:00' AS time, INTERVAL 3 DAY AS while, true AS yes, NULL AS nothing,
      'a'::enum('a', 'b') AS enum, union_value(u := 7) AS either, 'x' AS a, 'y' AS a`;
    expect(await rowsOf(sql)).toEqual([
      {
        list: [1, null],
        struct: { a: { b: ['2030-01-31'] } },
        map: { k: 1 },
        pairs: [{ key: 1, value: 2 }],
        json: { x: [1, '9007199254740993'] },
        blob: { base64: 'YWI=', size: 2 },
        instant: '2030-01-31T08:00:00.25Z',
        stamp: '2030-01-31T10:00:00',
        time: '10:00:00',
        while: '3 days',
        yes: true,
        nothing: null,
        enum: 'a',
        either: 7,
        a: 'x',
        a_2: 'y',
      },
    ]);
  });

  it('takes lists as lists and mappings as JSON', async () => {
    const sql = `SELECT 2 = ANY({{ workload.l }}) AS has, 2 = ANY({{ workload.empty }}) AS none, len({{ workload.texts }}) AS n,
      {{ workload.map }}->>'a' AS a, {{ workload.mixed }} AS mixed`;
    const workload = { l: [1, 2], empty: [], texts: ['a', null], map: { a: 'x' }, mixed: [1, 'a', { b: 1 }] };
    expect(await rowsOf(sql, workload)).toEqual([{ has: true, none: false, n: 2, a: 'x', mixed: '[1,"a",{"b":1}]' }]);
  });

  it('knows the time in its templates', async () => {
    const call = { ...taskCall(task('SELECT {{ now() }} AS t')), evaluation: { now: () => '2030-01-31T12:00:00Z' } };
    const context = { signal: new AbortController().signal, log: () => undefined, folder, environment: {} };
    const answer = await under.tools.call(call, { ...context, keep: memoryKeep() });
    expect(answer.result).toMatchObject({ rows: [{ t: '2030-01-31T12:00:00Z' }] });
  });

  it('takes params for placeholders of the statement', async () => {
    const list = await under.run('kind: duckdb\nquery: "SELECT ? AS a, ? AS b"\nparams: [1, "{{ workload.b }}"]', {
      workload: { b: "it's" },
    });
    expect(list.result).toMatchObject({ rows: [{ a: 1, b: "it's" }] });
    const map = await under.run('kind: duckdb\nquery: "SELECT $a AS a, :b AS b"\nparams: { a: 1, b: 2 }');
    expect(map.result).toMatchObject({ rows: [{ a: 1, b: 2 }] });
    const none = await under.run('kind: duckdb\nquery: "SELECT $1"\nparams: "{{ workload.p }}"', {
      workload: { p: 'x' },
    });
    expect(none.error).toMatchObject({ kind: 'task.field', message: expect.stringContaining('a list or a mapping') });
  });

  it('keeps a database in a file beside the playbook, and frees it after each task', async () => {
    const database = 'database: shop.duckdb\n';
    await run('CREATE TABLE t AS SELECT 7 AS a', {}, {}, database);
    expect(existsSync(join(folder, 'shop.duckdb'))).toBe(true);
    const both = await Promise.all([1, 2].map(() => run('SELECT a FROM t', {}, {}, database)));
    expect(both).toMatchObject([{ result: { rows: [{ a: 7 }] } }, { result: { rows: [{ a: 7 }] } }]);
    const other = await run('SELECT a FROM t', {}, {}, `dsn: duckdb://${join(folder, 'shop.duckdb')}\n`);
    expect(other.result).toMatchObject({ rows: [{ a: 7 }] });
  });

  it('reads and writes csv, parquet and json beside the playbook', async () => {
    writeFileSync(join(folder, 'in.csv'), 'name,price\napple,2\npear,3\n');
    const sql = `COPY (SELECT * FROM 'in.csv' WHERE price > {{ workload.min }}) TO '{{ workload.out }}.parquet';
      COPY (FROM read_parquet('out.parquet')) TO {{ workload.out ~ '.json' }} (ARRAY true);
      SELECT * FROM read_json({{ workload.out ~ '.json' }})`;
    expect(await rowsOf(sql, { min: 2, out: 'out' })).toEqual([{ name: 'pear', price: 3 }]);
    expect(JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))).toEqual([{ name: 'pear', price: 3 }]);
    expect(existsSync(join(folder, 'out.parquet'))).toBe(true);
  });

  it('keeps rows that are too many for memory apart', async () => {
    const small = toolsUnderTest({ heldBytes: 10_000 });
    const answer = await small.run(task("SELECT range AS n, 'x' AS t FROM range(5000)"));
    const [first, second] = answer.kept ?? [];
    expect([first?.path, second]).toEqual([['rows'], { path: ['command_0', 'rows'], reference: first?.reference }]);
    const fetched = first === undefined ? undefined : await small.results.get(first.reference);
    expect((fetched as { value: { n: number }[] } | undefined)?.value.map(({ n }) => n)).toEqual([
      ...Array(5000).keys(),
    ]);
    expect(answer.result).toMatchObject({ rows: null, row_count: 5000, command_0: { row_count: 5000 } });
    await small.tools.close();
  });

  it('undoes all statements of a task if one fails', async () => {
    const database = 'database: undo.duckdb\n';
    await run('CREATE TABLE t (a int)', {}, {}, database);
    const answer = await run("INSERT INTO t VALUES (1); SELECT 'x'::int", {}, {}, database);
    expect(answer.error).toMatchObject({ kind: 'sql.failed', details: { statement: 2, type: 'Conversion' } });
    expect((await run('SELECT * FROM t', {}, {}, database)).result).toMatchObject({ rows: [] });
  });

  it('takes the BEGIN and COMMIT that it does anyway, and refuses others', async () => {
    expect((await run('BEGIN; SELECT 1 AS a; COMMIT')).result).toMatchObject({ rows: [{ a: 1 }] });
    for (const sql of ['SELECT 1; COMMIT', 'BEGIN', 'SELECT 1; ROLLBACK; SELECT 2']) {
      expect((await run(sql)).error).toMatchObject({
        kind: 'task.field',
        message: expect.stringContaining('one transaction'),
      });
    }
  });
});

describe('duckdb that cannot', () => {
  it('names the line and column of a mistake as it was written', async () => {
    const answer = await run('SELECT 1;\nSELECT {{ workload.a }} + ä FROM\n  nope', { a: 'a long text' });
    expect(answer.error).toMatchObject({
      kind: 'sql.failed',
      retryable: false,
      message:
        'statement 2 of the task \'t\' failed at line 3, column 3: Table with name nope does not exist!\nDid you mean "pg_enum"?\n  nope\n  ^',
      details: { statement: 2, line: 3, column: 3, type: 'Catalog' },
    });
    const syntax = await run('SELECT {{ workload.a }} FORM t x', { a: 1 });
    expect(syntax.error).toMatchObject({ details: { line: 1, column: 30, type: 'Parser' } });
  });

  it('says which template is undefined, and where in the playbook', async () => {
    const answer = await run('SELECT 1,\n  {{ workload.missing }}');
    expect(answer.error).toMatchObject({
      kind: 'template',
      message: expect.stringContaining("'workload.missing' is undefined"),
      details: { place: { line: 13 } },
    });
  });

  it('asks for | ident where a name must stand', async () => {
    expect((await run('SELECT * FROM {{ workload.t }}', { t: 't' })).error).toMatchObject({
      kind: 'task.field',
      message:
        "'query' of the task 't': {{ workload.t }} stands where DuckDB expects a name, which no value can be. Write {{ workload.t | ident }}.",
    });
  });

  it.each([
    ['no statement', '-- nothing\n;', 'holds no statement'],
    ['a text without end', "SELECT 'a", 'never closed'],
  ])('refuses %s', async (_, sql, message) => {
    expect((await run(sql)).error).toMatchObject({ kind: 'task.field', message: expect.stringContaining(message) });
  });

  it('refuses a number that JSON does not have', async () => {
    expect((await run("SELECT 'NaN'::double AS a")).error).toMatchObject({ kind: 'result.json', retryable: false });
  });

  it('stops at rows that are more than is stored, without reading all of them', async () => {
    const keep = createKeep(createMemoryResults(), { keychain: {}, redact: (value) => value }, 10_000_000);
    const context = { keep, signal: new AbortController().signal, log: () => undefined, folder, environment: {} };
    const call = taskCall(task("SELECT repeat('x', 1000) AS a FROM range(10000000000)"));
    await expect(under.tools.call(call, context)).rejects.toThrow('more than 10000000 bytes');
  });

  it('says who holds the file', async () => {
    const file = join(folder, 'held.duckdb');
    const code = `require('@duckdb/node-api').DuckDBInstance.create(${JSON.stringify(file)}).then((i) => { globalThis.i = i; console.log('open'); process.stdin.resume(); })`;
    const holder = spawn(process.execPath, ['-e', code], {
      cwd: import.meta.dirname,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(holder.stdout, 'data');
      const answer = await run('SELECT 1', {}, {}, 'database: held.duckdb\n');
      expect(answer.error).toMatchObject({
        kind: 'sql.busy',
        retryable: true,
        message: `the task 't' cannot open ${file}: the process ${holder.pid} has it open for writing.`,
      });
    } finally {
      holder.kill();
      await once(holder, 'exit');
    }
  });

  it('says why a file cannot be opened', async () => {
    const answer = await run('SELECT 1', {}, {}, 'database: missing/a.duckdb\n');
    expect(answer.error).toMatchObject({
      kind: 'sql.connect',
      message: expect.stringContaining('No such file or directory'),
    });
    writeFileSync(
      join(folder, 'text.duckdb'),
      'this is no database, but a text that is long enough to be looked at'.repeat(100),
    );
    expect((await run('SELECT 1', {}, {}, 'database: text.duckdb\n')).error).toMatchObject({ kind: 'sql.connect' });
  });

  it('stops a query at its timeout, or when it is cancelled, and frees the file', async () => {
    const endless = 'SELECT count(*) FROM range(1000000000000) AS r WHERE r.range % 7 = 3';
    const reasons = [
      ['timeout', new DOMException('too late', 'TimeoutError')],
      ['cancelled', new Error('cancelled')],
    ] as const;
    for (const [kind, reason] of reasons) {
      const stop = new AbortController();
      const answer = run(endless, {}, { signal: stop.signal }, 'database: stopped.duckdb\n');
      setTimeout(() => stop.abort(reason), 100);
      expect((await answer).error).toMatchObject({ kind });
    }
    expect(await run('SELECT 1', {}, {}, 'database: stopped.duckdb\n')).toMatchObject({ status: 'ok' });
  });
});
