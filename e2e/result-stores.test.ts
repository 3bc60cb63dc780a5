import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, noNats, startNats } from '../packages/noetl/src/nats-server.testing.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const TIMEOUT = 120_000;

/** A large result of the first step; the second waits for a file, and reads it. */
const playbook = (store: string, gate: string): string => `
executor: { spec: { result_step: last, result: { store: ${store} } } }
workflow:
  - step: start
    tool: { kind: shell, cmds: ["seq 1 60000"] }
    next: { spec: { mode: exclusive }, arcs: [{ step: last }] }
  - step: last
    tool:
      - waiting: { kind: shell, cmds: ["touch ${gate}.waits; while [ ! -e ${gate} ]; do sleep 0.05; done"] }
      - reading: { kind: noop, result: { lines: "{{ start.stdout.splitlines() | length }}", text: "{{ start.stdout }}" } }
`;

const TEXT = `${Array.from({ length: 60_000 }, (_, nth) => nth + 1).join('\n')}\n`;

describe('results that are kept beside the data folder', () => {
  let program: Program;
  let postgres: PostgresServer | undefined;
  let nats: NatsServer | undefined;
  beforeAll(async () => {
    program = openProgram();
    if (!noPostgres) postgres = await startPostgres();
    if (!noNats) nats = await startNats(['--user', 'noetl', '--pass', 'pass-canary']);
  }, TIMEOUT);
  afterAll(async () => {
    await program.close();
    await postgres?.stop();
    await nats?.stop();
  });

  async function until(there: () => boolean): Promise<void> {
    for (let tries = 0; !there(); tries++) {
      if (tries > 1_200) throw new Error('it does not come so far');
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }

  /** The execution whose process was killed after its first step. */
  async function killedBetween(name: string, store: string, env: NodeJS.ProcessEnv) {
    const data = program.newData();
    const gate = join(program.folder, `${name}-gate`);
    const file = program.playbook(name, playbook(store, gate));
    const child = program.start(['run', file, '--data', data, '--quiet'], { env });
    await until(() => existsSync(`${gate}.waits`));
    child.kill('SIGKILL');
    await once(child, 'close');
    const listed = await program.run(['exec', 'list', '--json', '--data', data], { env });
    const [{ execution_id: id }] = JSON.parse(listed.stdout);
    writeFileSync(gate, '');
    return { data, id, file };
  }

  async function expectKept(id: string, data: string, store: string, env: NodeJS.ProcessEnv): Promise<void> {
    const verified = await program.run(['exec', 'verify', id, '--data', data], { env });
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const out = join(program.folder, `${id}.txt`);
    const written = await program.run(['exec', 'result', id, '--step', 'start', '--out', out, '--data', data], { env });
    expect(written).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(out, 'utf8')).stdout).toBe(TEXT);
    const events = await program.run(['exec', 'events', id, '--json', '--data', data], { env });
    expect(events.stdout).toContain(`"store":"${store}"`);
    for (const secret of ['pass-canary', 'NOETL_RESULTS_POSTGRES']) expect(events.stdout).not.toContain(secret);
  }

  async function goesOn(name: string, store: string, shown: string, env: NodeJS.ProcessEnv): Promise<void> {
    const { data, id } = await killedBetween(name, store, env);
    const without = await program.run(['run', '--resume', id, '--data', data], { env: {} });
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('NOETL_STORE_UNCONFIGURED') });
    const resumed = await program.run(['run', '--resume', id, '--data', data, '--quiet'], { env });
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(resumed.stdout)).toEqual({ lines: 60_000, text: TEXT });
    await expectKept(id, data, shown, env);
    const forked = await program.run(['exec', 'fork', id, '--at', '1', '--data', data, '--quiet'], { env });
    expect(forked).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(forked.stdout).lines).toBe(60_000);
  }

  describe.skipIf(noPostgres)('in PostgreSQL', () => {
    const settings = () => ({ NOETL_RESULTS_POSTGRES: postgres?.url.replace('noetl@', 'noetl:pass-canary@') });

    it('are read after a restart, verified, written out and forked (RES-1, RES-2)', { timeout: TIMEOUT }, async () => {
      await goesOn('kept-in-postgres', 'postgres', 'postgres', settings());
    });

    it('are found in the table that was chosen', { timeout: TIMEOUT }, async () => {
      const store = '{ kind: postgres, table: archive.large }';
      await goesOn('kept-in-a-table', store, 'postgres/archive.large', settings());
    });
  });

  describe.skipIf(noNats)('in NATS', () => {
    const settings = () => ({ NOETL_NATS_URL: `nats://noetl:pass-canary@127.0.0.1:${nats?.port}` });

    it('are read after a restart, verified, written out and forked (RES-1, RES-2)', { timeout: TIMEOUT }, async () => {
      await goesOn('kept-in-nats', 'nats_object', 'nats_object', settings());
    });

    it('are missed when NATS is killed in the middle, and nothing is lost', { timeout: TIMEOUT }, async () => {
      const { data, id } = await killedBetween('killed-nats', '{ kind: nats_object, bucket: large }', settings());
      await nats?.kill();
      const failed = await program.run(['run', '--resume', id, '--data', data], { env: settings() });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`NOETL_STORE_UNREACHABLE: nats://127.0.0.1:${nats?.port}`);
      expect(failed.stderr).toContain(`noetl run --resume ${id}`);
      expect(failed.stderr).not.toMatch(/pass-canary|\n\s+at /);
      const verified = await program.run(['exec', 'verify', id, '--data', data], { env: settings() });
      expect(verified.code).toBe(1);
      expect(verified.stdout + verified.stderr).toContain(`127.0.0.1:${nats?.port}`);
      await nats?.restart();
      const resumed = await program.run(['run', '--resume', id, '--data', data, '--quiet'], { env: settings() });
      expect(resumed).toMatchObject({ code: 0, stderr: '' });
      await expectKept(id, data, 'nats_object/large', settings());
    });
  });

  it('are refused before anything starts where a store is not set up, or not in this release', async () => {
    for (const [store, named] of [
      ['postgres', 'NOETL_RESULTS_POSTGRES'],
      ['nats_object', 'NOETL_NATS_URL'],
      ['gcs', "cannot be kept in 'gcs' yet"],
    ] as const) {
      const data = program.newData();
      const file = program.playbook(`refused-${store}`, playbook(store, 'unused'));
      const { code, stdout, stderr } = await program.run(['run', file, '--data', data]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain("the task 'task_1' of step 'start'");
      expect(stderr).toContain(named);
      expect((await program.run(['exec', 'list', '--json', '--data', data])).stdout.trim()).toBe('[]');
    }
  });

  it('never show the settings that they are reached by', async () => {
    const canary = 'pass-canary';
    for (const [store, name, value] of [
      ['postgres', 'NOETL_RESULTS_POSTGRES', `${canary} is no address`],
      ['postgres', 'NOETL_RESULTS_POSTGRES', `postgresql://noetl:${canary}@127.0.0.1:1/db?sslmode=${canary}`],
      ['nats_object', 'NOETL_NATS_URL', `http://noetl:${canary}@127.0.0.1:1`],
      ['nats_object', 'NOETL_NATS_URL', canary],
    ] as const) {
      const file = program.playbook('secretive', playbook(store, 'unused'));
      const { code, stderr } = await program.run(['run', file, '--data', program.newData()], {
        env: { [name]: value },
      });
      expect(code).toBe(2);
      expect(stderr).toContain(name);
      expect(stderr).not.toContain(canary);
    }
  });

  it('are no business of tasks: they do not see how the stores are reached', async () => {
    const file = program.playbook('curious', 'workflow: [{ step: start, tool: { kind: shell, cmds: [env] } }]\n');
    const env = { NOETL_RESULTS_POSTGRES: 'pass-canary', NOETL_NATS_URL: 'pass-canary', NOETL_NATS_CREDENTIALS: 'f' };
    const { code, stdout } = await program.run(['run', file, '--data', program.newData()], { env });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/pass-canary|NOETL_NATS/);
  });
});
