import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from '../server-under-test.testing.ts';
import { createProgramLog } from './program-log.ts';

const SECRET = 'swordfish-of-the-log';
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: rooms, path: flows/rooms }
workload: { word: "" }
keychain: [{ name: key, kind: secret_manager, provider: env, key: ROOM_KEY }]
workflow:
  - step: start
    tool: [{ say: { kind: shell, command: [sh, -c, 'echo $1', sh, "{{ keychain.key }}"] } }]
    next: { arcs: [{ step: broken }] }
  - step: broken
    tool: [{ run: { kind: shell, command: [sh, -c, 'echo $1 $2 >&2; exit 3', sh, "{{ keychain.key }}", "{{ workload.word }}"] } }]
`;

describe('what a server logs of its executions', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  let text: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-log-'));
    text = '';
    const complain = (more: string): void => {
      text += more;
    };
    const log = createProgramLog({ logFormat: 'json', logLevel: 'debug' }, { complain, now: Date.now });
    server = await serverUnderTest(folder, { ...process.env, ROOM_KEY: SECRET }, { log });
    await server.send('POST', '/api/catalog', { text: PLAYBOOK });
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** The entries of an execution, by their message. */
  const entriesOf = (execution: string) => {
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return (message: string) => entries.filter((entry) => entry.message === message && entry.execution === execution);
  };

  const run = async (path = 'flows/rooms'): Promise<string> => {
    const asked = { path, payload: { word: 'told-by-the-payload' } };
    const { body } = await server.send('POST', '/api/executions', asked);
    const id = (body as Readonly<Record<string, string>>).execution_id ?? '';
    await (await fetch(`${server.url}/api/executions/${id}/live`)).text();
    return id;
  };

  it('has the ids of execution, step run and task run, and how each of them ended', async () => {
    const execution = await run();
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = (message: string) => entries.filter((entry) => entry.message === message);
    expect(of('execution requested')).toMatchObject([{ level: 'info', execution, playbook: 'flows/rooms' }]);
    expect(of('step started')).toMatchObject([
      { level: 'debug', execution, step: 'start', step_run: `${execution}:1` },
      { level: 'debug', execution, step: 'broken', step_run: `${execution}:2` },
    ]);
    expect(of('task done')).toMatchObject([
      { execution, step: 'start', task_run: `${execution}:1:say:1`, kind: 'shell', attempt: 1, status: 'ok' },
      { execution, step: 'broken', task_run: `${execution}:2:run:1`, kind: 'shell', status: 'error' },
    ]);
    expect(of('step failed')).toMatchObject([{ level: 'warn', execution, step: 'broken', error: 'process.exit' }]);
    expect(of('execution ended')).toMatchObject([{ level: 'warn', execution, status: 'error', error: 'process.exit' }]);
    expect(of('request answered')).toContainEqual(
      expect.objectContaining({ level: 'debug', method: 'POST', route: '/api/executions', status: 201 }),
    );
  });

  it('tells of loops, waits and steps that are skipped, and in which trace an execution is', async () => {
    const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: loops, path: flows/loops }
workflow:
  - step: start
    loop: { in: [1, 2], iterator: x, spec: { policy: { failure: best_effort } } }
    tool: [{ run: { kind: shell, command: [sh, -c, "test $0 = 1", "{{ iter.x }}"] } }]
    next: { spec: { mode: inclusive }, arcs: [{ step: nap }, { step: never }] }
  - step: nap
    tool: [{ rest: { kind: wait, for: delay, seconds: 0.1 } }]
  - step: never
    spec: { policy: { admit: { rules: [{ else: { then: { allow: false } } }] } } }
    tool: [{ run: { kind: noop } }]
`;
    await server.send('POST', '/api/catalog', { text });
    const execution = await run('flows/loops');
    const of = entriesOf(execution);
    const { body } = await server.get(`/api/executions/${execution}/events?limit=1`);
    const { events } = body as unknown as { events: readonly { payload: { trace_id: string } }[] };
    expect(of('execution requested')).toMatchObject([{ trace: events[0]?.payload.trace_id }]);
    expect(of('iteration failed')).toMatchObject([
      { step: 'start', iteration: `${execution}:1:1`, error: 'process.exit', level: 'debug' },
    ]);
    expect(of('loop done')).toMatchObject([{ step: 'start', total: 2, ok: 1, failed: 1 }]);
    expect(of('task waiting')).toMatchObject([{ step: 'nap', task_run: `${execution}:2:rest:1`, reason: 'delay' }]);
    expect(of('step skipped')).toMatchObject([{ step: 'never', reason: 'admission.denied' }]);
  });

  it('holds no secret and no value, at any level (SEC-3)', async () => {
    await run();
    expect(text).toContain('execution ended');
    for (const word of [SECRET, 'told-by-the-payload', server.token]) expect(text).not.toContain(word);
  });
});
