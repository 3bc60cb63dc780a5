import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../../postgres-server.testing.ts';
import type { ToolAnswer } from '../define-tool.ts';
import { toolsUnderTest } from '../task-call.testing.ts';
import { HOSTILE_PAYLOADS } from './hostile-payloads.testing.ts';

/** A template may take 250 ms: as many payloads as fit easily. */
const chunks: readonly (readonly string[])[] = Array.from(
  { length: Math.ceil(HOSTILE_PAYLOADS.length / 100) },
  (_, i) => HOSTILE_PAYLOADS.slice(i * 100, (i + 1) * 100),
);
const EACH = '{% for p in workload.payloads %}';
const END = '{% if not loop.last %}, {% endif %}{% endfor %}';

const KINDS = [
  {
    kind: 'duckdb',
    isMissing: false,
    tables: "SELECT table_name AS t FROM information_schema.tables WHERE table_schema = 'main' ORDER BY t",
  },
  {
    kind: 'postgres',
    isMissing: noPostgres,
    tables: "SELECT table_name AS t FROM information_schema.tables WHERE table_schema = 'public' ORDER BY t",
  },
] as const;

it('has more than 1,000 payloads', () => {
  expect(HOSTILE_PAYLOADS.length).toBeGreaterThan(1000);
});

for (const { kind, isMissing, tables } of KINDS) {
  describe.skipIf(isMissing)(`hostile values in SQL for ${kind} (TOOL-3)`, () => {
    const under = toolsUnderTest();
    let folder: string;
    let server: PostgresServer | undefined;
    let untouched: Json;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'noetl-injection-'));
      if (kind === 'postgres') server = await startPostgres();
      await run("CREATE TABLE victims (id int, name text); INSERT INTO victims VALUES (1, 'Ada'), (2, 'Grace')");
      untouched = await all();
    });
    afterEach(async () => {
      expect(await all()).toEqual(untouched);
    });
    afterAll(async () => {
      await under.tools.close();
      await server?.stop();
      rmSync(folder, { recursive: true });
    });

    function run(sql: string, workload: JsonMap = {}, fields = ''): Promise<ToolAnswer> {
      const where = kind === 'postgres' ? 'auth: db' : `database: ${join(folder, 'data.duckdb')}`;
      const yaml = `kind: ${kind}\n${where}\n${fields}query: |\n  ${sql.replaceAll('\n', '\n  ')}`;
      return under.run(yaml, { workload, folder, keychain: { db: server?.url ?? '' } });
    }
    const rowsOf = ({ result, error }: ToolAnswer): readonly JsonMap[] => {
      expect(error).toBeUndefined();
      return (result as { rows: readonly JsonMap[] }).rows;
    };
    const all = async (): Promise<Json> => [
      rowsOf(await run('SELECT * FROM victims ORDER BY id')),
      rowsOf(await run(tables)),
    ];

    it('come back verbatim as parameters, outside and inside of every kind of literal', async () => {
      const sql = `SELECT * FROM (VALUES ${EACH}({{ loop.index0 }}, {{ p }}, '{{ p }}', 'a''{{ p }}z', E'a\\'{{ p }}\\\\', $$ {{ p }} $$, $x$\${{ p }}$x$
        -- {{ p }}
        /* {{ p }} */)${END}) AS v(i, plain, quoted, part, escaped, dollar, tagged) ORDER BY i`;
      for (const payloads of chunks) {
        const rows = rowsOf(await run(sql, { payloads }));
        expect(rows).toEqual(
          payloads.map((p, i) => ({
            i,
            plain: p,
            quoted: p,
            part: `a'${p}z`,
            escaped: `a'${p}\\`,
            dollar: ` ${p} `,
            tagged: `$${p}`,
          })),
        );
      }
    });

    it('come back verbatim as literals, where nothing can be bound', async () => {
      const columns = `${EACH}{{ ('a' ~ loop.index0) | ident }} text DEFAULT {{ p }}, {{ ('b' ~ loop.index0) | ident }} text DEFAULT 'x{{ p }}y'${END}`;
      const sql = `CREATE TEMP TABLE defaults (${columns}); INSERT INTO defaults DEFAULT VALUES; SELECT * FROM defaults`;
      for (const payloads of chunks) {
        const [row = {}] = rowsOf(await run(sql, { payloads }));
        expect(payloads.map((_, i) => [row[`a${i}`], row[`b${i}`]])).toEqual(payloads.map((p) => [p, `x${p}y`]));
      }
    });

    it('are names with | ident, and nothing else', async () => {
      // PostgreSQL cuts names after 63 bytes.
      const short = chunks.map((payloads) => payloads.filter((p) => Buffer.byteLength(p) < 60));
      for (const payloads of short) {
        const answer = await run(`SELECT ${EACH}1 AS {{ ['n' ~ loop.index0 ~ p] | ident }}${END}`, { payloads });
        expect(rowsOf(answer)).toHaveLength(1);
        expect((answer.result as { columns: Json }).columns).toEqual(payloads.map((p, i) => `n${i}${p}`));
      }
    });

    it('come back verbatim from lists, mappings and params', async () => {
      const payloads = HOSTILE_PAYLOADS;
      const list = await run(
        'SELECT count(*) AS n FROM (SELECT unnest({{ workload.payloads }}) AS p) AS l WHERE p = ANY({{ workload.payloads }})',
        { payloads },
      );
      expect(rowsOf(list)).toEqual([{ n: payloads.length }]);
      const within = await run(
        'SELECT count(*) AS n FROM (SELECT unnest({{ workload.payloads }}) AS p) AS l WHERE p IN ({{ workload.payloads }})',
        { payloads },
      );
      expect(rowsOf(within)).toEqual([{ n: payloads.length }]);
      const map = Object.fromEntries(payloads.map((p, i) => [`k${i}`, p]));
      const json = await run('SELECT CAST({{ workload.map }} AS json) AS j', { map });
      expect(rowsOf(json)).toEqual([{ j: map }]);
      for (const chunk of chunks) {
        const params = `params: "{{ workload.payloads }}"\n`;
        const sql = `SELECT ${chunk.map((_, i) => `CAST($${i + 1} AS text) AS c${i}`).join(', ')}`;
        expect(Object.values(rowsOf(await run(sql, { payloads: chunk }, params))[0] ?? {})).toEqual(chunk);
      }
    });

    it('find nothing but themselves in a condition', async () => {
      const sql = `SELECT count(*) AS n FROM victims WHERE ${EACH}name = '{{ p }}' OR name LIKE '{{ p | replace("%", "") | replace("_", "") ~ "!" }}'{% if not loop.last %} OR {% endif %}{% endfor %}`;
      for (const payloads of chunks) expect(rowsOf(await run(sql, { payloads }))).toEqual([{ n: 0 }]);
    });

    it('do nothing where they are no use: as a date, a limit, a number, a name of a table', async () => {
      // Each fails by itself, which takes its time.
      const some = HOSTILE_PAYLOADS.filter((_, i) => kind === 'postgres' || i % 12 === 0);
      const texts = [
        "SELECT DATE '{{ workload.p }}'",
        'SELECT 1 LIMIT {{ workload.p }}',
        'SELECT {{ workload.p }}::int + id FROM victims',
        'SELECT * FROM {{ ["t" ~ workload.p] | ident }}',
        "SET TimeZone = 'x{{ workload.p }}'",
      ];
      for (const [i, p] of some.entries()) {
        const answer = await run(texts[i % texts.length] ?? '', { p });
        if (answer.status === 'error') expect(answer.error?.kind).toBe('sql.failed');
      }
    });

    it.runIf(kind === 'postgres')('come back verbatim from rows that are loaded in bulk', async () => {
      const bulk = (table: string, rows: Json) =>
        under.run(`kind: postgres\nauth: db\ntable: "{{ workload.table }}"\nrows: "{{ workload.rows }}"`, {
          workload: { table, rows },
          keychain: { db: server?.url ?? '' },
        });
      await run('CREATE TABLE loaded (i int, p text, j jsonb, l text[])');
      const rows = HOSTILE_PAYLOADS.map((p, i) => ({ i, p, j: { [p]: p }, l: [p, p] }));
      expect(await bulk('loaded', rows)).toMatchObject({ result: { row_count: rows.length } });
      expect(rowsOf(await run('SELECT * FROM loaded ORDER BY i'))).toEqual(rows);
      await run('DROP TABLE loaded');
      for (const p of HOSTILE_PAYLOADS.filter((_, i) => i % 5 === 0)) {
        for (const answer of [await bulk(`t${p}`, [{ id: 1 }]), await bulk('victims', [{ [`c${p}`]: 1 }])]) {
          expect(answer.status).toBe('error');
        }
      }
    });
  });
}
