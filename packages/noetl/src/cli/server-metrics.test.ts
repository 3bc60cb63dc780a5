import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

const SECRET = 'a-secret-of-the-metrics';
const playbook = (name: string, workflow: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name}, path: flows/${name} }\n${workflow}`;
const GREET = playbook(
  'greet',
  'workflow: [{ step: start, tool: [{ say: { kind: noop, result: "{{ workload.word }}" } }] }]\n',
);
const BROKEN = playbook(
  'broken',
  'workflow: [{ step: start, tool: [{ run: { kind: shell, command: [sh, -c, "exit 3"] } }] }]\n',
);
const ELSEWHERE = playbook(
  'elsewhere',
  'workflow: [{ step: start, spec: { pool: painters }, tool: [{ a: { kind: noop } }] }]\n',
);

describe('the metrics of a server', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-metrics-'));
    server = await serverUnderTest(folder);
    for (const text of [GREET, BROKEN, ELSEWHERE]) await server.send('POST', '/api/catalog', { text });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const start = async (path: string): Promise<string> => {
    const { body } = await server.send('POST', '/api/executions', { path, payload: { word: SECRET } });
    return (body as Readonly<Record<string, string>>).execution_id ?? '';
  };
  /** Until its last event. */
  const ended = async (path: string): Promise<string> => {
    const id = await start(path);
    await (await fetch(`${server.url}/api/executions/${id}/live`)).text();
    return id;
  };
  const textOf = (body: Json): string => String(body);
  const look = async (): Promise<string> => textOf((await server.get('/metrics')).body);
  const amount = (text: string, series: string): number | undefined => {
    const line = text.split('\n').find((some) => some.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };

  it('are in the text format of Prometheus, every line of them', async () => {
    const { status, type, body } = await server.get('/metrics');
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const lines = textOf(body).trimEnd().split('\n');
    const comment = /^# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))$/;
    const sample = /^\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? \d+(\.\d+)?(e[+-]\d+)?$/;
    for (const line of lines) expect(line).toMatch(line.startsWith('#') ? comment : sample);
  });

  it('count executions by status, durations by kind, events and claims', async () => {
    const before = await look();
    await ended('flows/greet');
    await ended('flows/greet');
    await ended('flows/broken');
    const after = await look();
    const more = (series: string) => (amount(after, series) ?? 0) - (amount(before, series) ?? 0);
    expect(more('noetl_executions_started_total')).toBe(3);
    expect(more('noetl_executions_ended_total{status="success"}')).toBe(2);
    expect(more('noetl_executions_ended_total{status="error"}')).toBe(1);
    expect(more('noetl_execution_duration_seconds_count')).toBe(3);
    expect(more('noetl_task_duration_seconds_count{kind="noop",status="ok"}')).toBe(2);
    expect(more('noetl_task_duration_seconds_count{kind="shell",status="error"}')).toBe(1);
    expect(more('noetl_claim_latency_seconds_count')).toBeGreaterThanOrEqual(3);
    expect(more('noetl_events_total')).toBeGreaterThan(20);
  });

  it('say how much work waits, by pool', async () => {
    const waiting = 'noetl_queue_depth{pool="painters"}';
    expect(amount(await look(), waiting)).toBeUndefined();
    const id = await start('flows/elsewhere');
    await expect.poll(async () => amount(await look(), waiting), { timeout: 20_000 }).toBe(1);
    expect(amount(await look(), 'noetl_executions_under_way')).toBe(1);
    await server.send('POST', `/api/executions/${id}/cancel`, {});
  });

  it('show a pool that has lost its last worker', async () => {
    const card = { name: 'w1', pool: 'movers', labels: {}, slots: 1, host: 'here', pid: 1 };
    const workers = async () => amount(await look(), 'noetl_workers{pool="movers"}');
    expect(await workers()).toBeUndefined();
    const tell = async (what: string, body: object) =>
      (await server.send('POST', `/api/work/${what}`, body, { 'content-type': 'application/octet-stream' })).status;
    expect(await tell('heartbeat', { worker: card, leases: [] })).toBe(200);
    expect(await workers()).toBe(1);
    expect(await tell('leave', { worker: card })).toBe(200);
    expect(await workers()).toBe(0);
  });

  it('count requests by route and status, whatever they ask for', async () => {
    const id = await ended('flows/greet');
    await server.get(`/api/executions/${id}`);
    await server.get('/api/executions/no-such-execution');
    for (const nth of [1, 2, 3]) await server.get(`/nothing/${nth}`);
    const series = (route: string, status: number, method = 'GET') =>
      `noetl_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
    // An answer is counted once it is sent: that may be a moment after it has come.
    await expect.poll(async () => amount(await look(), series('none', 404, 'none')), { timeout: 20_000 }).toBe(3);
    const text = await look();
    expect(amount(text, series('/api/executions/{id}', 200))).toBe(1);
    expect(amount(text, series('/api/executions/{id}', 404))).toBe(1);
    expect(text).not.toContain(id);
    expect(text).not.toContain('nothing');
  });

  it('show the memory and the event loop of the process', async () => {
    const text = await look();
    expect(amount(text, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(amount(text, 'nodejs_heap_used_bytes')).toBeGreaterThan(1e6);
    for (const of of ['mean', 'p99', 'max']) {
      expect(amount(text, `nodejs_eventloop_delay_seconds{of="${of}"}`)).toBeGreaterThanOrEqual(0);
    }
  });

  it('hold no value, no secret and no path of a playbook (SEC-3)', async () => {
    await ended('flows/greet');
    const text = await look();
    for (const word of [SECRET, 'flows/', 'word', server.token]) expect(text).not.toContain(word);
  });

  it('are those that the reference lists', async () => {
    const page = readFileSync(new URL('../../../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `(\w+)` \| (\w+) \|.*\| (.*) \|$/gm)].map((row) => row.slice(1).join(' '));
    const text = await look();
    const help = new Map([...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name, words]) => [name, words]));
    const known = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
      ([, name, type]) => `${name} ${type} ${help.get(name)}`,
    );
    expect(listed).toEqual(known);
  });
});
