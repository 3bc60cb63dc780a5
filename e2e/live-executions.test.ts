import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program } from './program.testing.ts';
import { firstLine, openServerCalls, until } from './server-calls.testing.ts';

const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: live, path: live }
workflow:
  - step: start
    tool: { kind: wait, for: signal, name: go }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: 7 }
`;
/** `npm run bench -- --only live` has thousands. */
const COUNT = 150;

describe('many executions that live in one server (ENG-14)', { timeout: 240_000 }, () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  it('wait for their signals at the same time, get them at the same time, and all end well', async () => {
    const server = program.start(['server', 'start', '--port', '0', '--data', program.newData(), '--json']);
    const { url } = (await firstLine(server)) as { url: string };
    const calls = openServerCalls(url);
    await calls.register(PLAYBOOK);
    const ids = await Promise.all(Array.from({ length: COUNT }, () => calls.start('live')));
    const ready = async () => ((await (await fetch(`${url}/api/ready`)).json()) as { executions: number }).executions;
    expect(await ready()).toBe(COUNT);
    const signals = await Promise.all(
      ids.map(async (id) => {
        const body = JSON.stringify({ name: 'go' });
        const headers = { 'content-type': 'application/json' };
        return (await fetch(`${url}/api/executions/${id}/signal`, { method: 'POST', headers, body })).status;
      }),
    );
    expect(new Set(signals)).toEqual(new Set([200]));
    await until(async () => (await ready()) === 0);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain(`noetl_executions_ended_total{status="success"} ${COUNT}\n`);
    server.kill('SIGTERM');
  });
});
