import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spanIdOf, traceIdOf } from '@noetl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '../tracing/otlp-receiver.testing.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

const SECRET = 'swordfish-of-the-traces';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

const playbook = (path: string, workflow: string, keychain = ''): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${path}, path: ${path} }\n${keychain}workflow:\n${workflow}`;
const retrying = (delay: number): string =>
  `spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, attempts: 3, delay: ${delay} } }] } }`;

describe('the spans of a server', { timeout: 60_000 }, () => {
  let folder: string;
  let receiver: OtlpReceiver;
  let server: ServerUnderTest;
  let api: Server;
  /** What the API was sent as `traceparent`, by path. */
  let sent: Map<string, (string | undefined)[]>;
  let address: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-traces-'));
    receiver = await otlpReceiver();
    sent = new Map();
    api = createServer((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const calls = [...(sent.get(path) ?? []), request.headers.traceparent as string | undefined];
      sent.set(path, calls);
      response.writeHead(path === '/second' && calls.length === 1 ? 503 : path === '/broken' ? 404 : 200);
      response.end('{}');
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    server = await open();
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
    api.close();
    await rm(folder, { recursive: true });
  });

  const open = (more: Readonly<Record<string, string>> = {}): Promise<ServerUnderTest> =>
    serverUnderTest(folder, {
      ...process.env,
      ROOM_KEY: SECRET,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      ...more,
    });
  const register = (text: string) => server.send('POST', '/api/catalog', { text });
  const start = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { body } = await server.send('POST', '/api/executions', { path }, headers);
    return (body as Readonly<Record<string, string>>).execution_id ?? '';
  };
  const over = async (id: string): Promise<void> => {
    await (await fetch(`${server.url}/api/executions/${id}/live`)).text();
  };
  const run = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const id = await start(path, headers);
    await over(id);
    return id;
  };
  /** The spans of an execution, once its own has come. */
  const spansOf = async (execution: string): Promise<readonly ReceivedSpan[]> => {
    await expect
      .poll(() => receiver.spans.some(({ id }) => id === spanIdOf(execution)), { timeout: 20_000 })
      .toBe(true);
    expect(receiver.mistakes).toEqual([]);
    return receiver.spans.filter(({ attributes }) => attributes['noetl.execution.id'] === execution);
  };
  const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span '${name}' among ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };

  it('are a tree of execution, step runs, iterations and task runs, with what is known of each', async () => {
    await register(
      playbook(
        'flows/rooms',
        `  - step: start
    tool: [{ get: { kind: http, url: "${address}/rooms?key=1" } }, { say: { kind: noop, result: 1 } }]
    next: { arcs: [{ step: many }] }
  - step: many
    loop: { in: [1, 2], iterator: x, spec: { mode: parallel } }
    tool: [{ clean: { kind: http, url: "${address}/clean" } }]
`,
      ),
    );
    const id = await run('flows/rooms');
    const spans = await spansOf(id);
    const execution = named(spans, 'execution flows/rooms');
    expect(execution).toMatchObject({ trace: traceIdOf(id), id: spanIdOf(id), parent: undefined, kind: 2 });
    expect(execution.attributes).toMatchObject({
      'noetl.playbook.path': 'flows/rooms',
      'noetl.playbook.version': '1',
      'noetl.execution.status': 'success',
      'noetl.execution.iterations': 2,
    });
    const [first, many] = [named(spans, 'step start'), named(spans, 'step many')];
    expect([first.parent, many.parent]).toEqual([execution.id, execution.id]);
    expect(many.attributes).toMatchObject({ 'noetl.loop.total': 2, 'noetl.loop.ok': 2, 'noetl.loop.failed': 0 });
    const get = named(spans, 'task get');
    expect(get).toMatchObject({ parent: first.id, kind: 3, error: undefined });
    expect(get.attributes).toMatchObject({
      'noetl.task.kind': 'http',
      'noetl.task.attempts': 1,
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.full': `${address}/rooms`,
      'server.address': '127.0.0.1',
    });
    const iterations = spans.filter(({ name }) => name === 'iteration many');
    expect(iterations.map(({ parent }) => parent)).toEqual([many.id, many.id]);
    const cleaned = spans.filter(({ name }) => name === 'task clean');
    expect(new Set(cleaned.map(({ parent }) => parent))).toEqual(new Set(iterations.map((span) => span.id)));
    expect(spans).toHaveLength(1 + 2 + 2 + 2 + 2);
    for (const span of spans) expect(span.start).toBeGreaterThanOrEqual(execution.start);
    // What an API makes of it hangs below the task that called it.
    expect(sent.get('/rooms')).toEqual([`00-${traceIdOf(id)}-${get.id}-01`]);
    expect(new Set(sent.get('/clean'))).toEqual(new Set(cleaned.map((span) => `00-${span.trace}-${span.id}-01`)));
  });

  it('are one for a task run, over its retries, with the same traceparent', async () => {
    await register(
      playbook(
        'flows/retry',
        `  - { step: start, tool: [{ get: { kind: http, url: "${address}/second", ${retrying(0.05)} } }] }\n`,
      ),
    );
    const task = named(await spansOf(await run('flows/retry')), 'task get');
    expect(task.attributes).toMatchObject({ 'noetl.task.attempts': 2, 'noetl.task.status': 'ok' });
    expect(task.events).toMatchObject([
      {
        name: 'retry',
        attributes: { 'noetl.task.attempt': 1, 'error.type': 'http.status', 'noetl.retry.delay': 0.05 },
      },
    ]);
    expect(task.end - task.start).toBeGreaterThanOrEqual(50);
    expect(new Set(sent.get('/second')).size).toBe(1);
  });

  it('say what failed, by kind and message, up to the execution', async () => {
    await register(
      playbook('flows/fail', `  - { step: start, tool: [{ get: { kind: http, url: "${address}/broken" } }] }\n`),
    );
    const spans = await spansOf(await run('flows/fail'));
    for (const name of ['task get', 'step start', 'execution flows/fail']) {
      expect(named(spans, name).error).toContain('404');
      expect(named(spans, name).attributes).toMatchObject({ 'error.type': 'http.status' });
    }
  });

  it('hold no secret and no value (SEC-3)', async () => {
    const keychain = 'keychain: [{ name: key, kind: secret_manager, provider: env, key: ROOM_KEY }]\n';
    const command = `command: [sh, -c, 'echo $1 >&2; exit 3', sh, "{{ keychain.key }}"]`;
    await register(
      playbook('flows/secret', `  - { step: start, tool: [{ run: { kind: shell, ${command} } }] }\n`, keychain),
    );
    const spans = await spansOf(await run('flows/secret'));
    expect(named(spans, 'task run').error).toBeDefined();
    expect(receiver.text()).not.toContain(SECRET);
    expect(receiver.text()).not.toContain(Buffer.from(SECRET).toString('base64'));
  });

  it('have children below the task that called them, in the same trace', async () => {
    await register(
      playbook('flows/child', `  - { step: start, tool: [{ get: { kind: http, url: "${address}/child" } }] }\n`),
    );
    await register(
      playbook('flows/parent', '  - { step: start, tool: [{ call: { kind: playbook, path: flows/child } }] }\n'),
    );
    const id = await run('flows/parent');
    const call = named(await spansOf(id), 'task call');
    expect(call.events.map(({ name }) => name)).toEqual(['waiting', 'resumed']);
    const child = `${id}-1-0-1-1`;
    const execution = named(await spansOf(child), 'execution flows/child');
    expect(execution).toMatchObject({ trace: traceIdOf(id), parent: call.id, kind: 1 });
    expect(sent.get('/child')).toEqual([`00-${traceIdOf(id)}-${spanIdOf(`${child}:1:get:1`)}-01`]);
  });

  it('end with what is cancelled, and a fork is linked to its origin', async () => {
    await register(
      playbook('flows/wait', '  - { step: start, tool: [{ ask: { kind: wait, for: approval, name: boss } }] }\n'),
    );
    const id = await start('flows/wait');
    await expect
      .poll(async () => JSON.stringify((await server.get(`/api/executions/${id}/events`)).body), { timeout: 20_000 })
      .toContain('task.waiting');
    await server.send('POST', `/api/executions/${id}/cancel`, { reason: 'no' });
    const spans = await spansOf(id);
    expect(named(spans, 'execution flows/wait').attributes).toMatchObject({ 'noetl.execution.status': 'cancelled' });
    for (const name of ['task ask', 'step start']) {
      expect(named(spans, name).attributes).toMatchObject({ 'error.type': 'cancelled' });
    }
    const { body } = await server.send('POST', `/api/executions/${id}/fork`, { at: 5 });
    const fork = (body as Readonly<Record<string, string>>).execution_id ?? '';
    await server.send('POST', `/api/executions/${fork}/signal`, { name: 'boss', payload: { ok: true } });
    const forked = await spansOf(fork);
    const own = named(forked, 'execution flows/wait');
    expect(own).toMatchObject({ trace: traceIdOf(fork), links: [{ traceId: traceIdOf(id), spanId: spanIdOf(id) }] });
    expect(named(forked, 'task ask')).toMatchObject({ parent: named(forked, 'step start').id, error: undefined });
  });

  it('go on with the trace of who asks, and leave out what it leaves out', async () => {
    await register(
      playbook('flows/one', `  - { step: start, tool: [{ get: { kind: http, url: "${address}/one" } }] }\n`),
    );
    const id = await run('flows/one', { traceparent: `00-${TRACE}-${CALLER}-01` });
    expect(named(await spansOf(id), 'execution flows/one')).toMatchObject({ trace: TRACE, parent: CALLER });
    const { body } = await server.get(`/api/executions/${id}/events`);
    expect(JSON.stringify(body)).toContain(`"trace_id":"${TRACE}"`);
    const before = receiver.spans.length;
    await run('flows/one', { traceparent: `00-${TRACE}-${CALLER}-00` });
    await spansOf(await run('flows/one', { traceparent: 'nonsense' }));
    expect(receiver.spans.length).toBe(before + 3);
    expect(sent.get('/one')?.slice(0, 2)).toEqual([
      `00-${TRACE}-${spanIdOf(`${id}:1:get:1`)}-01`,
      `00-${TRACE}-${CALLER}-00`,
    ]);
  });

  it('leave a traceparent of the playbook as it is', async () => {
    const headers = `headers: { Traceparent: "00-${TRACE}-${CALLER}-01" }`;
    await register(
      playbook(
        'flows/own',
        `  - { step: start, tool: [{ get: { kind: http, url: "${address}/own", ${headers} } }] }\n`,
      ),
    );
    await run('flows/own');
    expect(sent.get('/own')).toEqual([`00-${TRACE}-${CALLER}-01`]);
  });

  it('are of the first 1,000 iterations of a loop; the others hang below its step', async () => {
    const loop = 'loop: { in: "{{ range(1500) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 50 } }';
    await register(
      playbook('flows/long', `  - { step: start, ${loop}, tool: [{ say: { kind: noop, result: 1 } }] }\n`),
    );
    const id = await run('flows/long');
    const spans = await spansOf(id);
    expect(spans).toHaveLength(1 + 1 + 1_000 + 1_000);
    expect(new Set(spans.map((span) => span.id)).size).toBe(spans.length);
    expect(named(spans, 'step start').attributes).toMatchObject({ 'noetl.loop.total': 1_500, 'noetl.loop.ok': 1_500 });
  });

  it.each([
    ['refused', { status: 400 }],
    ['refused', { status: 500 }],
    ['refused', { rejects: 3 }],
    ['dropped', { status: 503 }],
    ['dropped', 'never'],
  ] as const)('that are %s by a receiver that answers %j cost a warning and are counted', async (result, manner) => {
    await server.close();
    receiver.manner = manner;
    server = await open({ OTEL_BSP_MAX_QUEUE_SIZE: '3', OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
    await register(playbook('flows/one', `  - { step: start, tool: [{ say: { kind: noop, result: 1 } }] }\n`));
    for (let nth = 0; nth < 4; nth++) await run('flows/one');
    const counted = async () => {
      const text = String((await server.get('/metrics')).body);
      return Number(new RegExp(`^noetl_trace_spans_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
    };
    await expect.poll(counted, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    expect(server.complaints().match(/warning: spans cannot be sent/g)).toHaveLength(1);
    expect(server.complaints()).toContain(`${receiver.url}/v1/traces`);
  });

  it('are none without an address, and a wrong address costs a warning', async () => {
    await server.close();
    for (const endpoint of ['', 'collector']) {
      server = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
      await register(
        playbook('flows/one', `  - { step: start, tool: [{ get: { kind: http, url: "${address}/none" } }] }\n`),
      );
      await run('flows/one');
      expect(server.complaints().includes('no spans are recorded')).toBe(endpoint !== '');
      if (endpoint === '') await server.close();
    }
    expect(receiver.spans).toEqual([]);
    expect(sent.get('/none')).toEqual([undefined, undefined]);
  });
});
