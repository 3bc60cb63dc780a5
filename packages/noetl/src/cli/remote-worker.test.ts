import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTools, type Tools } from '../tools/registry.ts';
import { heartbeatsByClock } from '../worker/heartbeats.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { folderSecrets } from './folder-secrets.ts';
import { type LocalDriver, openLocalDriver } from './local-driver.ts';
import { createProgramLog } from './log/program-log.ts';
import { type RemoteWorker, startRemoteWorker } from './remote-worker.ts';
import type { SourcedPlan } from './sourced-plan.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';

function sourced(body: string): SourcedPlan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${body}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return { plan: planOf(playbook), text, folder: '/nowhere', path: 't', version: null, contentHash: text };
}

describe('a worker that gets its work from an exchange', { timeout: 60_000 }, () => {
  let folder: string;
  let data: DataFolder;
  let driver: LocalDriver;
  let real: Tools;
  const workers: RemoteWorker[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-remote-'));
    data = await openDataFolder(folder, systemClock, 'run');
    real = openTools(thisMachine);
    const machine = { ...thisMachine, environment: { ...process.env, ROOM_KEY: 'swordfish-1' } };
    driver = await openLocalDriver({
      data,
      machine,
      clock: systemClock,
      tools: openTools(thisMachine),
      driverId: 'd',
      slots: 0,
      secrets: folderSecrets(data, machine, systemClock, () => undefined),
      called: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
      remote: { key: Buffer.from('the key of a test'), ttl: 30_000 },
      committed: () => undefined,
    });
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close(0);
    await driver.close();
    await real.close();
    await rm(folder, { recursive: true });
  });

  let logged = '';
  const complain = (text: string): void => {
    logged += text;
  };
  const log = createProgramLog({ logFormat: 'json', logLevel: 'debug' }, { complain, now: Date.now });
  function work(name: string, call: Tools['call'] = real.call): RemoteWorker {
    const { exchange } = driver;
    if (exchange === undefined) throw new Error('there is no exchange');
    const card = { name, pool: 'default', labels: {}, slots: 4, host: 'h', pid: 1 };
    const worker = startRemoteWorker({
      exchange,
      card,
      clock: systemClock,
      machine: thisMachine,
      tools: { call },
      log,
      heartbeats: (ears) => heartbeatsByClock(exchange, card, systemClock, ears),
      drain: () => undefined,
      trouble: () => undefined,
    });
    workers.push(worker);
    return worker;
  }

  const start = (id: string, body: string) => driver.start(sourced(body), { execution_id: id, payload: {} });
  const HELD = 'workflow: [{ step: start, tool: { kind: noop } }]';

  it('does all of it: loops, large values, credentials that nobody sees, what tools print (RES-1, SEC-3)', async () => {
    work('anna');
    await start(
      'x',
      `
keychain: [{ name: key, kind: secret_manager, provider: env, key: ROOM_KEY }]
workflow:
  - step: start
    tool: { kind: shell, command: [sh, -c, 'echo $1; head -c 100000 /dev/zero | tr "\\\\0" x', sh, "{{ keychain.key }}"] }
    next: { arcs: [{ step: many }] }
  - step: many
    loop: { in: "{{ range(20) | list }}", iterator: x, spec: { mode: parallel } }
    tool: { kind: noop, result: "{{ iter.x + (start.stdout | length) }}" }
    next: { arcs: [{ step: sum }] }
  - step: sum
    tool: { kind: noop, result: { sum: "{{ many | sum }}", said: "{{ start.stdout[:12] }}" } }
`,
    );
    const said = '[secret:key]';
    const sum = 190 + 20 * (100_000 + said.length + 1);
    expect(await driver.over('x')).toMatchObject({ status: 'success', result: { sum, said } });
    const lines = await data.store.toolLogs.read({ execution: 'x' }, 0, 10);
    expect(lines[0]?.text.slice(0, said.length)).toBe(said);
    expect(JSON.stringify(await data.store.log.read('x', 0, 1_000))).not.toContain('swordfish');
    expect(logged).not.toContain('swordfish');
  });

  it('logs each task with its execution, step and task run, and a failed one by its kind alone (SEC-3)', async () => {
    logged = '';
    const error = { kind: 'said.swordfish-1', retryable: false, message: 'the word is told', details: null };
    work('anna', async () => ({ status: 'error', result: 'swordfish-1', error }));
    const keychain = 'keychain: [{ name: key, kind: secret_manager, provider: env, key: ROOM_KEY }]';
    await start('y', `${keychain}\nworkflow: [{ step: start, tool: [{ a: { kind: noop } }] }]`);
    await driver.over('y');
    const [entry, ...others] = logged.trimEnd().split('\n');
    const ids = { execution: 'y', step: 'start', task_run: 'y:1:a:1', attempt: 1, kind: 'noop' };
    expect(JSON.parse(entry ?? '')).toMatchObject({
      ...{ level: 'warn', message: 'task done', ...ids },
      ...{ status: 'error', error: 'said.[secret:key]' },
    });
    expect(others).toEqual([]);
    expect(logged).not.toMatch(/swordfish|the word is told/);
  });

  it('gives back what does not come to its end in time, and nothing of it is told', async () => {
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = work('anna', async (_, { signal }) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return { status: 'error', result: null };
    });
    await start('x', HELD);
    await running;
    await slow.close(0);
    work('ben', async () => ({ status: 'ok', result: 'ben' }));
    expect(await driver.over('x')).toMatchObject({ status: 'success', result: 'ben' });
  });

  it('lets what runs come to its end when there is time for it, and takes nothing more', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const anna = work('anna', async () => {
      begun();
      await finished;
      return { status: 'ok', result: 'anna' };
    });
    await start('x', HELD);
    await running;
    const closed = anna.close(30_000);
    await start('y', HELD);
    finish();
    await closed;
    work('ben', async () => ({ status: 'ok', result: 'ben' }));
    expect(await driver.over('x')).toMatchObject({ result: 'anna' });
    expect(await driver.over('y')).toMatchObject({ result: 'ben' });
  });

  it('stops a tool whose execution was cancelled (ENG-14)', async () => {
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    let stopped: () => void = () => undefined;
    const stop = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    work('anna', async (_, { signal }) => {
      begun();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      stopped();
      return { status: 'error', result: null };
    });
    await start('x', HELD);
    await running;
    await data.store.inputs.put('x', { kind: 'cancel', reason: null, by: null }, 0);
    await stop;
    expect(await driver.over('x')).toMatchObject({ status: 'cancelled' });
  });
});
