import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type NoetlClient } from '../client/client.ts';
import { ServerProblem, ServerUnreachable } from '../client/server-error.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

const TEXT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: asks, path: flows/asks }
workload: { city: Bern }
workflow:
  - step: start
    tool: [{ ask: { kind: wait, for: signal, name: go } }]
`;

describe('a client of the server', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  let client: NoetlClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-client-'));
    server = await serverUnderTest(folder);
    client = createClient({ url: server.url });
    await client.catalog.register({ text: TEXT });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('starts an execution, signals it, follows it to its end and gets its result', async () => {
    const { execution_id: id } = await client.executions.start({ path: 'flows/asks' });
    await client.executions.signal(id, { name: 'go', payload: { yes: true } });
    const names: string[] = [];
    for await (const event of client.executions.live(id)) names.push(event.name);
    expect([names[0], names.at(-1)]).toEqual(['playbook.execution.requested', 'playbook.processed']);
    const { status, result } = await client.executions.result(id);
    expect([status, result]).toEqual(['success', expect.objectContaining({ payload: { yes: true } })]);
  });

  it('follows an execution no longer than it is wanted, also where fetch has lost the signal', async () => {
    const { execution_id: id } = await client.executions.start({ path: 'flows/asks' });
    const deaf: typeof fetch = (url, { signal: _, ...init } = {}) => fetch(url, init);
    const stop = new AbortController();
    const names: string[] = [];
    const followed = createClient({ url: server.url, fetch: deaf }).executions.live(id, { signal: stop.signal });
    for await (const { name } of followed) {
      names.push(name);
      if (name === 'task.waiting') setTimeout(() => stop.abort(), 50);
    }
    expect(names).toContain('task.waiting');
    expect(names).not.toContain('playbook.processed');
    await client.executions.cancel(id);
  });

  it('shows no token that cannot be sent in what it says of it', () => {
    for (const token of ['secret\nof-two-lines', 'secret of words', 'secret-€']) {
      expect(() => createClient({ url: server.url, token })).toThrow(/^the token holds characters/);
    }
  });

  it('says what is wrong with a server that does not speak https', async () => {
    const asked = createClient({ url: server.url.replace('http:', 'https:') }).version();
    await expect(asked).rejects.toThrow('it does not speak https; http:// may be meant');
  });

  it('lists workers, and tells of one that is not there', async () => {
    expect(await client.workers.list()).toEqual({ workers: [] });
    await expect(client.workers.drain('nobody')).rejects.toMatchObject({ status: 404, code: 'NOETL_API_NOT_FOUND' });
  });

  it('goes on behind the last event that it has when the connection is cut', async () => {
    const { execution_id: id } = await client.executions.start({ path: 'flows/asks' });
    let cuts = 0;
    const cutting: typeof fetch = async (...asked) => {
      const answer = await fetch(...asked);
      if (!String(asked[0]).includes('/live') || cuts > 0) return answer;
      cuts += 1;
      const reader = answer.body?.getReader();
      const first = await reader?.read();
      await reader?.cancel();
      return new Response(first?.value ?? '', { headers: answer.headers });
    };
    const seqs: number[] = [];
    setTimeout(() => void client.executions.signal(id, { name: 'go' }), 200);
    for await (const { seq } of createClient({ url: server.url, fetch: cutting }).executions.live(id)) seqs.push(seq);
    expect(cuts).toBe(1);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => index + 1));
  });

  it('tells a problem by its code, and that nobody answers', async () => {
    const unknown = await client.executions.get('none').catch((error) => error);
    expect(unknown).toBeInstanceOf(ServerProblem);
    expect([unknown.status, unknown.code]).toEqual([404, 'NOETL_EXECUTION_UNKNOWN']);
    const nobody = await createClient({ url: 'http://127.0.0.1:9' })
      .version()
      .catch((error) => error);
    expect(nobody).toBeInstanceOf(ServerUnreachable);
  });
});
