import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const PLAYBOOK = `
keychain:
  - { name: db, kind: secret_manager, provider: env, key: WAREHOUSE_DSN }
workflow:
  - step: start
    tool:
      - slow:
          kind: postgres
          auth: db
          commands: ["CREATE TABLE half (a int)", "SELECT pg_sleep(600)"]
`;

describe.skipIf(noPostgres)('a query under way on PostgreSQL', { timeout: 180_000 }, () => {
  let program: Program;
  let server: PostgresServer;
  beforeAll(async () => {
    program = openProgram();
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.stop();
    await program.close();
  });

  const running = async (): Promise<unknown> => {
    const sql =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'noetl' AND query LIKE '%pg_sleep%'";
    return (await server.query(sql))[0]?.n;
  };
  async function until(condition: (found: unknown) => boolean): Promise<void> {
    for (const deadline = Date.now() + 60_000; !condition(await running()); ) {
      if (Date.now() > deadline) throw new Error('not within 60 s');
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }

  it.each(['SIGKILL', 'SIGTERM', 'cancel'] as const)('ends on the server too: %s', async (how) => {
    const data = program.newData();
    const env = { WAREHOUSE_DSN: server.url };
    const child = program.start(['run', program.playbook('slow', PLAYBOOK), '--data', data], { env });
    const ended = once(child, 'exit');
    await until((found) => found === 1);
    if (how === 'cancel') {
      const { stdout } = await program.run(['exec', 'list', '--data', data, '--json']);
      const id: string = JSON.parse(stdout)[0].execution_id;
      expect(await program.run(['exec', 'cancel', id, '--data', data])).toMatchObject({ code: 0 });
    } else {
      child.kill(how);
    }
    await ended;
    await until((found) => found === 0);
    expect(await server.query("SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
  });
});
