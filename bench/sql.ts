import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalDriver } from '../packages/noetl/src/cli/local-driver.ts';
import { noPostgres, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { execute, openDriver, planFrom } from './bench-driver.ts';
import { type BenchResult, rounded } from './result.ts';

const ROWS = 10_000;
const MANY_ROWS = 5_000_000;
const GROWTH_GOAL_MB = 150;

/** Rows into PostgreSQL and out of it, by whole executions. */
export async function* sqlScenarios(): AsyncGenerator<BenchResult> {
  if (noPostgres) {
    console.error('without PostgreSQL: it is not installed (Debian: apt install postgresql).');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'noetl-bench-'));
  // As its packages configure it: what is committed is on the disk.
  const postgres = await startPostgres({ settings: { fsync: 'on' } });
  const driver = await openDriver(folder);
  try {
    const task = (fields: string) => `{ kind: postgres, dsn: "${postgres.url}", ${fields} }`;
    const step = (tool: string, loop = '') => planFrom(`workflow:\n  - step: start\n    ${loop}\n    tool: ${tool}\n`);
    await execute(driver, step(task('command: "CREATE TABLE rows (a int, t text)"')));
    const items = `{{ range(${ROWS}) | list }}`;
    const insert = task(`command: "INSERT INTO rows VALUES ({{ iter.x }}, 'row {{ iter.x }}')"`);
    const loop = `loop: { in: "${items}", iterator: x, spec: { mode: parallel, max_in_flight: 20 } }`;
    yield await filled(driver, 'by loop', step(insert, loop));
    const made = `{ kind: python, code: "result = [{'a': i, 't': f'row {i}'} for i in range(${ROWS})]" }`;
    const load = task('table: rows, rows: "{{ _prev }}"');
    yield await filled(
      driver,
      'by bulk',
      planFrom(`workflow:\n  - step: start\n    tool:\n      - make: ${made}\n      - load: ${load}\n`),
    );
    yield await selected(
      driver,
      step(task(`query: "SELECT n, md5(n::text) AS t FROM generate_series(1, ${MANY_ROWS}) AS n"`)),
    );
  } finally {
    await driver.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function filled(driver: LocalDriver, how: string, plan: ReturnType<typeof planFrom>): Promise<BenchResult> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) times.push(await execute(driver, plan));
  const ms = Math.min(...times);
  return { scenario: `10,000 rows into PostgreSQL ${how}`, ms: rounded(ms), rows_per_s: rounded((ROWS / ms) * 1000) };
}

/** RES-1: rows go from the cursor into the result store, so memory does not grow with them. */
async function selected(driver: LocalDriver, plan: ReturnType<typeof planFrom>): Promise<BenchResult> {
  const megabytes = () => process.memoryUsage().rss / 1024 / 1024;
  const before = megabytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, megabytes());
  }, 20);
  const ms = await execute(driver, plan);
  clearInterval(watch);
  const growth = rounded(peak - before);
  return {
    scenario: '5,000,000 rows out of PostgreSQL',
    ms: rounded(ms),
    rows_per_s: rounded((MANY_ROWS / ms) * 1000),
    growth_mb: growth,
    goal: GROWTH_GOAL_MB,
    met: growth <= GROWTH_GOAL_MB,
  };
}
