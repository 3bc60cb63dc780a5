import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../tools/task-call.testing.ts';
import {
  type DisturbedRun,
  type DisturbedWorld,
  disturbedRun,
  type MarkedTools,
  openMarkedTools,
  timed,
} from './controlled-everywhere.testing.ts';

/** Work that never ends by itself. It prints `up` when it is in the middle of it. */
const ENDLESS = [
  ['a program', '{ kind: shell, command: [sh, -c, "echo up; sleep 3600; echo never"] }'],
  [
    'a program that ignores signals',
    `{ kind: shell, cmds: ["trap '' TERM INT HUP", "echo up", "sleep 3600", "sleep 3600"] }`,
  ],
  [
    'a grandchild that ignores signals',
    `{ kind: shell, cmds: ["(trap '' TERM INT HUP; echo up; sleep 3600; sleep 3600) & sleep 3600"] }`,
  ],
  ['a script', '{ kind: script, interpreter: sh, inline: "echo up; sleep 3600; echo never" }'],
  ['Python code', '{ kind: python, code: "import time\\nprint(\'up\', flush=True)\\ntime.sleep(3600)" }'],
  [
    'Python code that catches everything',
    "{ kind: python, code: \"import signal, subprocess\\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\\nprint('up', flush=True)\\nsubprocess.run(['sleep', '3600'])\" }",
  ],
  ['JavaScript code', `{ kind: javascript, code: "console.log('up'); for (;;);" }`],
  ['a request', '{ kind: http, url: "{{ workload.url }}/up" }'],
] as const;

/** What stops it, and how its execution ends. */
const WAYS = [
  ['a cancel', 'task', cancel, 'cancelled', 'cancelled'],
  ['the timeout of its task', 'task', passTime, 'error', 'timeout'],
  ['the timeout of its step', 'step', passTime, 'error', 'timeout.step'],
  ['the timeout of its execution', 'execution', passTime, 'error', 'timeout.execution'],
] as const;

async function cancel(world: DisturbedWorld): Promise<void> {
  expect(await world.submit({ kind: 'cancel', reason: null, by: null })).toBe(true);
}

async function passTime(world: DisturbedWorld): Promise<void> {
  world.pass();
}

describe('work in the middle of something (ENG-14, DOC-14)', () => {
  let tools: MarkedTools;
  let server: Server;
  let url: string;
  const requests = new Set<object>();
  let arrived: () => void = () => undefined;
  beforeAll(async () => {
    tools = openMarkedTools();
    server = createServer((request, response) => {
      requests.add(request);
      response.once('close', () => requests.delete(request));
      arrived();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  });
  afterAll(async () => {
    await tools.close();
    expect(tools.processes()).toEqual([]);
    server.close();
    await once(server, 'close');
  });

  /** Runs a playbook of one task, and stops it once the task is in the middle. */
  async function stopped(task: string, timeout: keyof typeof timed, act: typeof cancel): Promise<DisturbedRun> {
    const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkload: { url: "${url}" }\nworkflow:\n  - { step: start, tool: [{ act: ${task} }] }\n`;
    const before = tools.processes().length;
    const up = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const run = await disturbedRun(
      { file: `${import.meta.dirname}/t.yaml`, text, change: timed[timeout] },
      tools,
      { at: up, act },
      (printed) => printed.includes('up') && arrived(),
    );
    // The other side learns a moment later that the request was broken off.
    await until(() => requests.size === 0);
    // Those of a pool that wait for a call may stay; what ran is gone, with everything it started.
    expect(tools.processes().filter((command) => command.includes('sleep'))).toEqual([]);
    expect(tools.processes().length).toBeLessThanOrEqual(before);
    return run;
  }

  describe.each(ENDLESS)('%s', (_, task) => {
    it.each(WAYS)('ends with %s', async (_way, timeout, act, status, kind) => {
      const { end } = await stopped(task, timeout, act);
      expect(end).toMatchObject({ status, error: { kind } });
    });
  });
});
