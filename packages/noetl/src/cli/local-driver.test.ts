import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../ports/store.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import type { Tools } from '../tools/registry.ts';
import { openDataFolder } from './data-folder.ts';
import { folderSecrets } from './folder-secrets.ts';
import { type LocalDriver, openLocalDriver } from './local-driver.ts';
import type { SourcedPlan } from './sourced-plan.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';

/** Long enough for a thread to get its turn on a busy machine. */
const ALIVE = 1_500;

function sourced(workflow: string): SourcedPlan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return { plan: planOf(playbook), text, folder: '.', path: 't', version: null, contentHash: 'h' };
}

const PLAYBOOK = sourced(`
workflow:
  - step: start
    tool: [{ act: { kind: noop, result: 7 } }]
`);

describe('a process that drives executions', { timeout: 60_000 }, () => {
  let folder: string;
  let other: Store;
  let driver: LocalDriver;
  let begun: Promise<void>;
  let finish: () => void;
  let stopped: boolean;
  let secrets: ReturnType<typeof folderSecrets>;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-driver-'));
    driver = await open('self');
    other = await openSqliteStore(folder, systemClock, { thread: false });
  });
  afterEach(async () => {
    await driver.close();
    await other.close();
    await rm(folder, { recursive: true });
  });

  async function open(driverId: string): Promise<LocalDriver> {
    stopped = false;
    let begin: () => void = () => undefined;
    begun = new Promise((resolve) => {
      begin = resolve;
    });
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    /** A tool that goes on until the test lets it finish, or until it is stopped. */
    const call: Tools['call'] = async (_, { signal }) => {
      begin();
      const abort = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([finished, abort]);
      stopped = signal.aborted;
      return { status: 'ok', result: 7 };
    };
    const data = await openDataFolder(folder, systemClock, 'run');
    secrets = folderSecrets(data, thisMachine, systemClock, () => undefined);
    return openLocalDriver({
      data,
      machine: thisMachine,
      clock: systemClock,
      tools: { has: () => true, call, close: async () => undefined },
      driverId,
      slots: 2,
      alive: ALIVE,
      secrets,
      called: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
      committed: () => undefined,
    });
  }

  /** In the middle of its tool. */
  async function underWay(): Promise<void> {
    await driver.start(PLAYBOOK, { execution_id: 'x', payload: {} });
    expect(await other.drivers.driverOf('x')).toMatchObject({ id: 'self' });
    await begun;
  }

  it('SEC-3: hides what is secret in the payload of a signal', async () => {
    const waiting = sourced(`
keychain: [{ name: token, kind: static, value: tok-12345678 }]
workflow: [{ step: start, tool: [{ asked: { kind: wait, for: signal, name: go } }] }]
`);
    await driver.start(waiting, { execution_id: 'x', payload: {} });
    const payload = { said: 'the token is tok-12345678' };
    await other.inputs.put('x', { kind: 'signal', name: 'go', payload, by: 'ada' }, 5);
    expect(await driver.over('x')).toMatchObject({
      status: 'success',
      result: { payload: { said: 'the token is [secret:token]' } },
    });
    expect(JSON.stringify(await other.log.read('x', 0, 100))).not.toContain('tok-12345678');
  });

  it('SEC-1: keeps no credential of what could not begin', async () => {
    const declared = sourced('keychain: [{ name: token, kind: static, value: tok-1 }]\nworkflow: [{ step: start }]\n');
    await driver.start(declared, { execution_id: 'x', payload: {} });
    await driver.over('x');
    const again = await driver.start(declared, { execution_id: 'x', payload: {} });
    expect(again).toMatchObject({ kind: 'refused', code: 'NOETL_EXECUTION_EXISTS' });
    expect(secrets.of('x').keychain).toEqual({});
    const lacking = sourced(
      'keychain: [{ name: token, kind: secret_manager, key: NOT_SET_1 }]\nworkflow: [{ step: start }]\n',
    );
    await driver.start(lacking, { execution_id: 'y', payload: {} });
    expect(await driver.over('y')).toMatchObject({ status: 'error', error: { kind: 'secret.unresolved' } });
    expect(secrets.of('y').keychain).toEqual({});
  });

  it('keeps its executions while its main thread is busy for longer than a sign of life lasts', async () => {
    await underWay();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ALIVE);
    await other.drivers.beat({ id: 'other', pid: 1, startedAt: 'then' }, ALIVE);
    expect(await other.drivers.drive('other', ['x'])).toEqual(['refused']);
    finish();
    expect(await driver.over('x')).toMatchObject({ status: 'success', result: 7 });
  });

  it('stops driving when another has buried it: the tool is stopped, nothing more is written, who waits is told', async () => {
    await underWay();
    const over = driver.over('x');
    await other.drivers.bury(['self']);
    await expect(over).rejects.toMatchObject({ code: 'NOETL_DRIVER_LOST' });
    const position = await other.log.position('x');
    await driver.close();
    expect(stopped).toBe(true);
    expect(await other.log.position('x')).toBe(position);

    driver = await open('next');
    expect(await driver.take('x')).toBe(true);
    await driver.resume('x', PLAYBOOK);
    finish();
    expect(await driver.over('x')).toMatchObject({ status: 'success', result: 7 });
  });

  it('meets a control that was left before it had opened the execution when it has', async () => {
    expect(await driver.take('x')).toBe(true);
    await other.inputs.put('x', { kind: 'pause', reason: null, by: null }, 0);
    // Long enough for it to look for controls.
    await new Promise((wake) => setTimeout(wake, 400));
    expect(await other.inputs.list(0, 10)).toHaveLength(1);
    await driver.start(PLAYBOOK, { execution_id: 'x', payload: {} });
    while ((await other.inputs.list(0, 10)).length > 0) await new Promise((wake) => setTimeout(wake, 10));
    const events = await other.log.read('x', 0, 100);
    expect(events.map(({ name }) => name)).toContain('playbook.paused');
  });

  describe('whose process dies again and again while a step runs', () => {
    /** Goes on with the execution in the next process, up to the middle of its tool, or to its end. */
    async function goOn(nth: number): Promise<'under way' | Awaited<ReturnType<LocalDriver['over']>>> {
      driver = await open(`next ${nth}`);
      expect(await driver.take('x')).toBe(true);
      await driver.resume('x', PLAYBOOK);
      return Promise.race([begun.then(() => 'under way' as const), driver.over('x')]);
    }

    it('is not taken over more than 10 times, and ends in an error (ENG-13)', async () => {
      await underWay();
      // What is not in the log yet when its process dies is not known to have run.
      while (!(await other.log.read('x', 0, 100)).some(({ name }) => name === 'step.started')) await sleep(50);
      for (let taken = 1; taken <= 10; taken++) {
        await other.drivers.bury([taken === 1 ? 'self' : `next ${taken - 1}`]);
        await driver.close();
        expect(await goOn(taken)).toBe('under way');
      }
      await other.drivers.bury(['next 10']);
      await driver.close();
      expect(await goOn(11)).toMatchObject({
        status: 'error',
        error: { kind: 'limit.takeovers', message: expect.stringContaining('has died 11 times') },
      });
      expect(await other.log.leases('x')).toEqual([]);
    });

    it('may be stopped and resumed as often as one likes', async () => {
      await underWay();
      for (let stops = 1; stops <= 12; stops++) {
        await driver.close();
        expect(await goOn(stops)).toBe('under way');
      }
      finish();
      expect(await driver.over('x')).toMatchObject({ status: 'success', result: 7 });
    });
  });

  it('that was buried begins nothing any more', async () => {
    await other.drivers.bury(['self']);
    await expect(driver.over('waited for')).rejects.toMatchObject({ code: 'NOETL_DRIVER_LOST' });
    const start = driver.start(PLAYBOOK, { execution_id: 'x', payload: {} });
    await expect(start).rejects.toMatchObject({ code: 'NOETL_DRIVER_LOST' });
    expect(await other.log.position('x')).toBe(0);
  });
});
