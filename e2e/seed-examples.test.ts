import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEED_EXAMPLES, type SeedExample, type SeedRun } from '../conformance/migrate/example.testing.ts';
import {
  type Database,
  noPostgres,
  type PostgresServer,
  startPostgres,
} from '../packages/noetl/src/postgres-server.testing.ts';
import { finishedRun, named } from './finished-run.testing.ts';
import { type ApiRequest, openLocalApi } from './local-api.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const TIMEOUT = 120_000;

describe('the examples of the seeds', { timeout: TIMEOUT }, () => {
  let program: Program;
  let postgres: PostgresServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    program = openProgram();
    if (!noPostgres) postgres = await startPostgres();
  });
  afterAll(async () => {
    await postgres?.stop();
    await program.close();
  });

  const cases = SEED_EXAMPLES.flatMap((example) =>
    example.runs.map((run) => [example.name, run.name, example, run] as const),
  );
  const [here, elsewhere] = [true, false].map((can) =>
    cases.filter(([, , { database }]) => (database === undefined || !noPostgres) === can),
  );
  it.skip.each(elsewhere ?? [])('%s, %s, gives what the seed says', () => undefined);
  it.concurrent.each(here ?? [])('MIG-1 %s, %s, gives what the seed says once it is migrated', (_, __, example, run) =>
    gives([example.expected.file], example, run),
  );
  it.concurrent.each(here ?? [])('MIG-2 %s, %s, gives what the seed says with --legacy', (_, __, example, run) =>
    gives([example.original.file, '--legacy'], example, run),
  );

  async function gives(args: readonly string[], { database }: SeedExample, run: SeedRun): Promise<void> {
    const answered = new Map<string, number>();
    const api = await openLocalApi((request) => {
      const called = callOf(request);
      const answers = run.answers?.[called] ?? [];
      const nth = answered.get(called) ?? 0;
      answered.set(called, nth + 1);
      return { body: {}, ...(answers[Math.min(nth, answers.length - 1)] ?? { status: 418 }) };
    });
    const data = program.newData();
    const env = { XDG_CONFIG_HOME: join(program.folder, 'config') };
    const own = database === undefined ? undefined : await newDatabase(database);
    try {
      if (own !== undefined) {
        const set = ['credential', 'set', 'pg_k8s', '--kind', 'postgres', '--data', data];
        expect(await program.run(set, { env, input: own.url })).toMatchObject({ code: 0 });
      }
      const payload = JSON.stringify(run.payload ?? {}).replaceAll('<api>', api.url);
      const { end, events } = await finishedRun(program, [...args, '--payload', payload], { env, data });
      const done = [...named(events, 'step.done'), ...named(events, 'loop.done')].map(({ payload }) => payload.step);
      const ctx = Object.assign({}, ...named(events, 'ctx.patched').map(({ payload }) => payload.patch));
      const failed = named(events, 'step.failed').map(({ payload }) => payload.step);
      expect({ status: end.status, steps: done.sort(), failed, ctx, error: end.error?.message }).toMatchObject({
        status: run.status,
        steps: [...(run.steps ?? [])].sort(),
        failed: run.failed ?? [],
        ctx: run.ctx ?? {},
      });
      if (run.result !== undefined) expect({ result: end.result }).toMatchObject({ result: run.result });
      expect(api.requests.map((request) => [callOf(request), request.body].filter(Boolean).join(' '))).toEqual(
        run.saw ?? [],
      );
      if (run.rows !== undefined) expect(await own?.query(run.rows.query)).toEqual(run.rows.are);
    } finally {
      await api.close();
    }
  }

  async function newDatabase(statements: string): Promise<Database | undefined> {
    const made = await postgres?.newDatabase(`seed_${++databases}`);
    await made?.query(statements);
    return made;
  }
});

const callOf = ({ method, path, query }: ApiRequest): string => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`;
