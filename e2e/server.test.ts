import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { openProgram, type Program } from './program.testing.ts';
import { detachedServer } from './server.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

const TIMEOUT = 180_000;

/** Each request is answered only when it is let through. */
const PLAYBOOK = `
workload: { api_url: "" }
workflow:
  - step: start
    tool:
      - fetch: { kind: http, url: "{{ workload.api_url }}/first" }
      - report: { kind: noop, result: "{{ _prev.data.path }}" }
    next: { arcs: [{ step: then }] }
  - step: then
    tool: [{ done: { kind: noop, result: "after {{ results.start }}" } }]
`;

describe('a server of the built program', { timeout: TIMEOUT }, () => {
  let program: Program;
  let api: LocalApi;
  let letThrough: () => void;
  let held: Promise<void>;
  let arrived: Promise<void>;
  let arrive: () => void;
  const hold = () => {
    held = new Promise((resolve) => {
      letThrough = resolve;
    });
    arrived = new Promise((resolve) => {
      arrive = resolve;
    });
  };
  beforeAll(async () => {
    program = openProgram();
    hold();
    api = await openLocalApi(async ({ path }) => {
      arrive();
      await held;
      return { body: { path } };
    });
  });
  afterAll(async () => {
    await api.close();
    await program.close();
  });

  const detached = (data: string) => detachedServer(program, data);

  it('goes on with the execution of a process that was killed, to its end (ENG-15)', async () => {
    const data = program.newData();
    const file = program.playbook('held', PLAYBOOK);
    hold();
    const run = await followedRun(program, [file, '--set', `api_url=${api.url}`, '--data', data, '--json']);
    await arrived;
    run.child.kill('SIGKILL');
    await once(run.child, 'exit');
    letThrough();
    const url = await detached(data);
    try {
      const watched = await program.run(['exec', 'watch', run.id, '--data', data]);
      expect([watched.code, watched.stdout]).toEqual([0, 'after /first\n']);
      const ready = await fetch(`${url}/api/ready`);
      expect(await ready.json()).toEqual({ ready: true, executions: 0 });
      const status = await program.run(['server', 'status', '--data', data, '--json']);
      expect(JSON.parse(status.stdout)).toMatchObject({ url, ready: true, executions: 0 });
    } finally {
      expect((await program.run(['server', 'stop', '--data', data])).code).toBe(0);
    }
    expect((await program.run(['server', 'status', '--data', data])).code).toBe(3);
    await intactExecutions(program, data);
  });

  it('lets what runs come to its end when it stops, and the next start goes on with the rest', async () => {
    const data = program.newData();
    const file = program.playbook('drained', PLAYBOOK);
    hold();
    const run = await followedRun(program, [file, '--set', `api_url=${api.url}`, '--data', data, '--json']);
    await arrived;
    run.child.kill('SIGKILL');
    await once(run.child, 'exit');
    letThrough();
    hold();
    await detached(data);
    await arrived;
    const stopping = program.run(['server', 'stop', '--data', data]);
    const told = () => readFileSync(join(data, 'server.log'), 'utf8');
    await vi.waitFor(() => expect(told()).toContain('stopping; 1 execution will go on'), { timeout: 30_000 });
    letThrough();
    expect((await stopping).code).toBe(0);
    const status = await program.run(['exec', 'status', run.id, '--data', data, '--json']);
    const { runs } = JSON.parse(status.stdout);
    expect(runs[0]).toMatchObject({ step: 'start', status: 'done' });
    await detached(data);
    const watched = await program.run(['exec', 'watch', run.id, '--data', data]);
    expect([watched.code, watched.stdout]).toEqual([0, 'after /first\n']);
    expect((await program.run(['server', 'stop', '--data', data])).code).toBe(0);
    await intactExecutions(program, data);
  });

  it('writes JSON and nothing else with --log-format json, from its start to its end', async () => {
    const data = program.newData();
    const url = await detachedServer(program, data, { args: ['--log-format', 'json'] });
    const file = program.playbook('logged', 'workflow: [{ step: start, tool: [{ a: { kind: noop } }] }]');
    expect((await program.run(['run', file, '--server', url])).code).toBe(0);
    const second = await program.run(['server', 'start', '--data', data, '--log-format', 'json']);
    expect([second.code, JSON.parse(second.stderr)]).toMatchObject([1, { level: 'error' }]);
    expect((await program.run(['server', 'stop', '--data', data])).code).toBe(0);
    const lines = readFileSync(join(data, 'server.log'), 'utf8').trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line).message);
    expect(messages).toEqual([
      expect.stringContaining('listening on'),
      'execution requested',
      'execution ended',
      'stopping',
    ]);
  });

  it('refuses an address that others reach, a port that is taken, and a second server (SEC-4)', async () => {
    const data = program.newData();
    const open = await program.run(['server', 'start', '--data', data, '--host', '0.0.0.0']);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('--host 0.0.0.0')]);
    const url = await detached(data);
    const second = await program.run(['server', 'start', '--data', data]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining(`already: ${url}`)]);
    const port = new URL(url).port;
    const taken = await program.run(['server', 'start', '--data', program.newData(), '--port', port]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining(`port ${port} of 127.0.0.1 is taken`)]);
    expect((await program.run(['server', 'stop', '--data', data])).code).toBe(0);
  });
});
