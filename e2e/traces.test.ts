import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { spanIdOf, traceIdOf } from '@noetl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OtlpReceiver,
  otlpReceiver,
  type ReceivedSpan,
} from '../packages/noetl/src/tracing/otlp-receiver.testing.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { openProgram, type Program } from './program.testing.ts';
import { exitCode, firstLine, openServerCalls, type ServerCalls, until } from './server-calls.testing.ts';

/** Three steps; the second waits for an answer until it is let go. */
const workflow = (url: string): string => `
workflow:
  - step: start
    tool: [{ first: { kind: http, url: "${url}/first" } }]
    next: { arcs: [{ step: middle }] }
  - step: middle
    tool: [{ held: { kind: http, url: "${url}/held" } }]
    next: { arcs: [{ step: last }] }
  - step: last
    loop: { in: [1, 2], iterator: x, spec: { mode: parallel, policy: { exec: distributed } } }
    tool: [{ each: { kind: http, url: "${url}/each" } }]
`;

describe('traces of a server and its workers, each a process of its own', { timeout: 240_000 }, () => {
  let program: Program;
  let data: string;
  let server: ChildProcess;
  let calls: ServerCalls;
  let port: number;
  let receiver: OtlpReceiver;
  let api: LocalApi;
  /** Lets what is held be answered. */
  let letGo: () => void;
  let stderr: string;
  beforeEach(async () => {
    program = openProgram();
    data = program.newData();
    port = 0;
    stderr = '';
    receiver = await otlpReceiver();
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    api = await openLocalApi(async ({ path }) => {
      if (path === '/held') await gate;
      return { body: { path } };
    });
    await serve();
    await calls.register(readFileSync(program.playbook('traced', workflow(api.url)), 'utf8'));
  });
  afterEach(async () => {
    letGo();
    await program.close();
    await receiver.close();
    await api.close();
  });

  async function serve(endpoint = receiver.url): Promise<void> {
    const args = ['server', 'start', '--port', `${port}`, '--data', data, '--no-worker', '--json', '--lease-ttl', '3'];
    server = program.start([...args, '--drain', '1'], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_SERVICE_NAME: 'rooms' },
    });
    server.stderr?.on('data', (text) => {
      stderr += text;
    });
    const { url } = (await firstLine(server)) as { url: string };
    port = Number(new URL(url).port);
    calls = openServerCalls(url);
  }

  /** Workers are told nothing about traces. */
  async function work(): Promise<ChildProcess> {
    const worker = program.start(['worker', 'start', '--server', `http://127.0.0.1:${port}`, '--drain', '1', '--json']);
    await firstLine(worker);
    return worker;
  }

  const asked = (path: string) => api.requests.filter((request) => request.path === path);

  /** The whole trace, once it has come: one tree, every span once. */
  async function traceOf(id: string): Promise<ReadonlyMap<string, ReceivedSpan>> {
    await until(async () => receiver.spans.some((span) => span.id === spanIdOf(id)));
    const spans = receiver.spans.filter(({ trace }) => trace === traceIdOf(id));
    const ids = new Map(spans.map((span) => [span.id, span]));
    expect(receiver.mistakes).toEqual([]);
    expect(ids.size).toBe(spans.length);
    for (const { id: own, parent } of spans) {
      expect(parent === undefined ? own : ids.has(parent)).toBe(parent === undefined ? spanIdOf(id) : true);
    }
    return ids;
  }

  /** The names of an execution's spans, each with those below it. */
  const namesOf = (spans: ReadonlyMap<string, ReceivedSpan>): readonly string[] =>
    [...spans.values()]
      .map((span) => {
        const above: string[] = [span.name];
        for (let up = spans.get(span.parent ?? ''); up !== undefined; up = spans.get(up.parent ?? ''))
          above.push(up.name);
        return above.reverse().join(' / ');
      })
      .sort();

  const WHOLE = [
    'execution traced',
    'execution traced / step last',
    'execution traced / step last / iteration last',
    'execution traced / step last / iteration last',
    'execution traced / step last / iteration last / task each',
    'execution traced / step last / iteration last / task each',
    'execution traced / step middle',
    'execution traced / step middle / task held',
    'execution traced / step start',
    'execution traced / step start / task first',
  ];

  it('are one tree, and what workers ask of an API hangs below their tasks', async () => {
    letGo();
    await Promise.all([work(), work()]);
    const id = await calls.start('traced');
    await calls.end(id);
    const spans = await traceOf(id);
    expect(namesOf(spans)).toEqual(WHOLE);
    expect(receiver.resources[0]).toMatchObject({ 'service.name': 'rooms' });
    const sent = api.requests.map(({ headers }) => String(headers.traceparent));
    expect(sent).toHaveLength(4);
    for (const header of sent) {
      expect(header).toMatch(new RegExp(`^00-${traceIdOf(id)}-[0-9a-f]{16}-01$`));
      expect(spans.get(header.split('-')[2] ?? '')?.name).toMatch(/^task /);
    }
    const done = (await calls.events(id)).filter(({ name }) => name === 'task.done');
    for (const { payload } of done) {
      expect(payload).toMatchObject({ outcome: { meta: { trace_id: traceIdOf(id) } } });
    }
  });

  it('have one span for a task whose worker is killed and which another one does again', async () => {
    const first = await work();
    const id = await calls.start('traced');
    await until(async () => asked('/held').length === 1);
    // It is known that the task has begun.
    await until(async () => (await calls.events(id)).filter(({ name }) => name === 'task.started').length === 2);
    first.kill('SIGKILL');
    await work();
    await until(async () => asked('/held').length === 2);
    letGo();
    await calls.end(id);
    const spans = await traceOf(id);
    expect(namesOf(spans)).toEqual(WHOLE);
    const task = spans.get(spanIdOf(`${id}:2:held:1`));
    expect(task?.attributes).toMatchObject({ 'noetl.task.attempts': 1, 'noetl.task.status': 'ok' });
    const headers = asked('/held').map((request) => request.headers.traceparent);
    expect(new Set(headers)).toEqual(new Set([`00-${traceIdOf(id)}-${task?.id}-01`]));
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('are whole where the server ends by %s and starts again', async (signal) => {
    await work();
    const id = await calls.start('traced');
    await until(async () => asked('/held').length === 1);
    await until(async () => (await calls.events(id)).filter(({ name }) => name === 'task.started').length === 2);
    const begun = (await calls.events(id)).find(({ name, payload }) => {
      return name === 'step.scheduled' && (payload as { step: string }).step === 'middle';
    }) as unknown as { timestamp: string };
    // What ended so far is on its way already; an end by SIGTERM sends it.
    if (signal === 'SIGKILL') await until(async () => receiver.spans.some(({ name }) => name === 'step start'));
    server.kill(signal);
    await exitCode(server);
    await serve();
    letGo();
    await calls.end(id);
    const spans = await traceOf(id);
    expect(namesOf(spans)).toEqual(WHOLE);
    expect(spans.get(spanIdOf(`${id}:2`))?.start).toBe(Date.parse(begun.timestamp));
    const requested = (await calls.events(id))[0] as unknown as { timestamp: string };
    expect(spans.get(spanIdOf(id))?.start).toBe(Date.parse(requested.timestamp));
  });

  it('cost nothing but a warning where nobody takes them', async () => {
    server.kill('SIGTERM');
    await exitCode(server);
    await receiver.close();
    letGo();
    await serve();
    await work();
    for (let nth = 0; nth < 3; nth++)
      expect(await calls.end(await calls.start('traced'))).toMatchObject({ status: 'success' });
    await until(async () => stderr.includes('warning: spans cannot be sent'));
    server.kill('SIGTERM');
    expect(await exitCode(server)).toBe(0);
    expect(stderr.match(/warning: spans cannot be sent/g)).toHaveLength(1);
  });

  it('of a run in one process go on with TRACEPARENT, and come before it ends', async () => {
    letGo();
    const caller = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const file = program.playbook('traced', workflow(api.url));
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TRACEPARENT: caller };
    const { code } = await program.run(['run', file, '--data', program.newData(), '--quiet'], { env });
    expect(code).toBe(0);
    expect(receiver.mistakes).toEqual([]);
    expect(receiver.spans).toHaveLength(WHOLE.length);
    const [execution] = receiver.spans.filter(({ name }) => name === 'execution traced');
    expect(execution).toMatchObject({ trace: '4bf92f3577b34da6a3ce929d0e0e4736', parent: '00f067aa0ba902b7' });
    const away = await program.run(['run', file, '--data', program.newData(), '--quiet'], {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    });
    expect([away.code, away.stderr.match(/warning: spans cannot be sent/g)?.length]).toEqual([0, 1]);
  });
});
