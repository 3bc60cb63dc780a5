import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

const WAIT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: wait, path: flows/wait }
workflow:
  - step: start
    tool: [{ ask: { kind: wait, for: signal, name: go } }]
`;
const FULL = { status: 429, type: 'application/problem+json; charset=utf-8' };

describe('SPEC §9: running executions', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-running-'));
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await rm(folder, { recursive: true });
  });

  async function opened(environment: Readonly<Record<string, string>>): Promise<ServerUnderTest> {
    server = await serverUnderTest(folder, { ...process.env, ...environment });
    await server.send('POST', '/api/catalog', { text: WAIT }, own(server));
    return server;
  }
  const own = ({ token }: ServerUnderTest) => ({ authorization: `Bearer ${token}` });
  const start = (to: ServerUnderTest, headers: Record<string, string>) =>
    to.send('POST', '/api/executions', { path: 'flows/wait' }, headers);
  const idOf = (body: Json): string => (body as { execution_id: string }).execution_id;
  const tokenOf = async (to: ServerUnderTest, name: string) => {
    const { body } = await to.send('POST', '/api/tokens', { name, role: 'runner' }, own(to));
    return { authorization: `Bearer ${(body as { token: string }).token}` };
  };
  /** A start is let through as soon as the one that was ended is over. */
  async function startedSoon(to: ServerUnderTest, headers: Record<string, string>): Promise<number> {
    for (let tries = 0; ; tries++) {
      const { status } = await start(to, headers);
      if (status !== 429 || tries > 200) return status;
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }

  it('of a server are so many; one more is refused with a problem, until one is over', async () => {
    const to = await opened({ NOETL_MAX_EXECUTIONS: '2' });
    const answers = await Promise.all([1, 2, 3, 4].map(() => start(to, own(to))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
    expect(await start(to, own(to))).toMatchObject({
      ...FULL,
      body: { code: 'NOETL_API_EXECUTIONS_LIMIT', limit: 'limit.executions', most: 2 },
    });
    const [one = ''] = answers.filter(({ status }) => status === 201).map(({ body }) => idOf(body));
    expect(await to.send('POST', `/api/executions/${one}/fork`, { at: 1 }, own(to))).toMatchObject(FULL);
    await to.send('POST', `/api/executions/${one}/cancel`, {}, own(to));
    expect(await startedSoon(to, own(to))).toBe(201);
  });

  it('of a token are so many; others are not kept from theirs, and a request that is repeated is answered again', async () => {
    const to = await opened({ NOETL_MAX_EXECUTIONS_PER_TOKEN: '1' });
    const [ada, bob] = [await tokenOf(to, 'ada'), await tokenOf(to, 'bob')];
    const keyed = { ...ada, 'idempotency-key': 'once' };
    const first = await start(to, keyed);
    expect(first.status).toBe(201);
    const refused = await start(to, ada);
    expect(refused).toMatchObject({ ...FULL, body: { limit: 'limit.token_executions', most: 1 } });
    expect((refused.body as { detail: string }).detail).toBe(
      "limit.token_executions: the token 'ada' has as many executions running as it may: 1. Wait until one is over, or cancel one; NOETL_MAX_EXECUTIONS_PER_TOKEN of the server allows more.",
    );
    expect(await start(to, keyed)).toMatchObject({ status: 200, body: first.body });
    expect((await start(to, bob)).status).toBe(201);
    expect([(await start(to, own(to))).status, (await start(to, own(to))).status]).toEqual([201, 201]);
    await to.send('POST', `/api/executions/${idOf(first.body)}/cancel`, {}, ada);
    expect(await startedSoon(to, ada)).toBe(201);
  });

  it('are not counted where the limit is 0', async () => {
    const to = await opened({ NOETL_MAX_EXECUTIONS: '0', NOETL_MAX_EXECUTIONS_PER_TOKEN: '0' });
    const ada = await tokenOf(to, 'ada');
    for (let nth = 0; nth < 3; nth++) expect((await start(to, ada)).status).toBe(201);
  });
});
