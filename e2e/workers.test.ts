import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFaultyLine } from './chaos/server/faulty-line.ts';
import { openProgram, type Program } from './program.testing.ts';
import { exitCode, firstLine, openServerCalls, type ServerCalls, until } from './server-calls.testing.ts';

/** Seconds; a worker that is silent for so long has lost its leases. */
const TTL = 3;

/** A step that prints something. */
const LOUD = 'workflow: [{ step: start, tool: { kind: python, code: "print(\'hello\')\\nresult = 7" } }]';

/** What is told of a server and its workers, each a process of its own. */
describe('workers in processes of their own', { timeout: 240_000 }, () => {
  let program: Program;
  let data: string;
  let server: ChildProcess;
  let calls: ServerCalls;
  let port: number;
  beforeEach(async () => {
    program = openProgram();
    data = program.newData();
    port = 0;
    await serve();
  });
  afterEach(() => program.close());

  async function serve(): Promise<void> {
    const ttl = ['--lease-ttl', `${TTL}`, '--drain', '1'];
    server = program.start(['server', 'start', '--port', `${port}`, '--data', data, '--no-worker', '--json', ...ttl], {
      env: { ROOM_KEY: 'swordfish-1' },
    });
    const { url } = (await firstLine(server)) as { url: string };
    port = Number(new URL(url).port);
    calls = openServerCalls(url);
  }

  async function work(...args: readonly string[]): Promise<{ readonly process: ChildProcess; readonly name: string }> {
    const url = `http://127.0.0.1:${port}`;
    const process = program.start(['worker', 'start', '--server', url, '--drain', '1', '--json', ...args]);
    const { name } = (await firstLine(process)) as { name: string };
    return { process, name };
  }

  const bodyOf = (name: string, body: string) => readFileSync(program.playbook(name, body), 'utf8');

  /** A tool that notes each call, ends at once, and may be held: the n-th call waits for a file of its number. */
  function heldStep(): { readonly body: string; calls(): number; letGo(call: number): void } {
    const folder = mkdtempSync(join(program.folder, 'held-'));
    const code = [
      'import os, time',
      `n = len(os.listdir(${JSON.stringify(folder)})) + 1`,
      `open(os.path.join(${JSON.stringify(folder)}, 'call-%d' % n), 'w').close()`,
      `while not os.path.exists(${JSON.stringify(folder)} + '-go-%d' % n): time.sleep(0.02)`,
      'result = n',
    ];
    const indented = code.map((line) => `        ${line}`).join('\n');
    const body = `workflow:\n  - step: start\n    tool:\n      kind: python\n      code: |\n${indented}\n`;
    return {
      body,
      calls: () => [1, 2, 3, 4, 5].filter((n) => existsSync(join(folder, `call-${n}`))).length,
      letGo: (call) => writeFileSync(`${folder}-go-${call}`, ''),
    };
  }

  it('do what a run in one process does, each in its own pool (SEC-1, RES-1, ENG-8)', async () => {
    const mixed = `
keychain: [{ name: key, kind: secret_manager, provider: env, key: ROOM_KEY }]
workflow:
  - step: start
    tool: { kind: python, args: { key: "{{ keychain.key }}" }, code: "print(key)\\nresult = {'n': len(key), 'said': key, 'big': 'x' * 100000}" }
    next: { arcs: [{ step: many }] }
  - step: many
    loop: { in: "{{ range(30) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 12, policy: { exec: distributed } } }
    tool: { kind: python, args: { x: "{{ iter.x }}", b: "{{ start.big | length }}" }, code: "import time; time.sleep(0.05); result = x + b" }
    next: { arcs: [{ step: sum }] }
  - step: sum
    spec: { pool: "painters,floor=2" }
    tool:
      - add: { kind: noop, result: { sum: "{{ many | sum }}", said: "{{ start.said }}", n: "{{ start.n }}" } }
      - fail: { kind: python, code: "raise ValueError('no')", spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: break } }] } } }
`;
    await Promise.all([work(), work('--slots', '3'), work('--pool', 'painters', '--label', 'floor=2')]);
    await until(async () => (await calls.workers()).length === 3);
    const names = new Map((await calls.workers()).map(({ name, pool }) => [name, pool]));

    await calls.register(bodyOf('mixed', mixed));
    const ids = await Promise.all(Array.from({ length: 10 }, () => calls.start('mixed')));
    const ends = await Promise.all(ids.map(calls.end));

    const file = join(program.folder, 'mixed.yaml');
    const run = await program.run(['run', file, '--data', program.newData(), '--json'], {
      env: { ROOM_KEY: 'swordfish-1' },
    });
    const embedded = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '').payload;
    for (const { status, result, error } of ends) {
      expect({ status, result, error }).toEqual({
        status: embedded.status,
        result: embedded.result,
        error: embedded.error,
      });
    }
    expect(ends[0]).toMatchObject({ status: 'success', result: { n: 11, said: '[secret:key]' } });

    const doers = new Map<string, Set<string>>();
    for (const id of ids) {
      for (const { name, payload } of await calls.events(id)) {
        if (name !== 'step.started' && name !== 'loop.iteration.started') continue;
        const { step, worker } = payload as { step: string; worker: string };
        doers.set(step, (doers.get(step) ?? new Set()).add(worker));
      }
      expect(JSON.stringify(await calls.events(id))).not.toContain('swordfish');
    }
    expect([...(doers.get('sum') ?? [])].map((name) => names.get(name))).toEqual(['painters']);
    expect(doers.get('many')?.size).toBe(2);
    expect([...(doers.get('many') ?? [])].every((name) => names.get(name) === 'default')).toBe(true);
  });

  it('are missed where work waits for them: lists of workers and pools, and the log, tell of it', async () => {
    let log = '';
    server.stderr?.on('data', (piece) => {
      log += piece;
    });
    const body = 'workflow: [{ step: start, spec: { pool: kiln }, tool: { kind: noop, result: fired } }]\n';
    await calls.register(bodyOf('pots', body));
    const id = await calls.start('pots');
    const list = () => program.run(['worker', 'list', '--server', `http://127.0.0.1:${port}`]);
    await until(async () => (await list()).stdout.includes("1 piece of work for 'kiln': no worker is there for it."));
    await until(async () => /no worker for pool.*kiln/.test(log));
    await work('--pool', 'kiln', '--slots', '2');
    expect(await calls.end(id)).toMatchObject({ status: 'success', result: 'fired' });
    const { pools } = (await (await fetch(`http://127.0.0.1:${port}/api/pools`)).json()) as { pools: unknown };
    expect(pools).toEqual([{ pool: 'kiln', workers: 1, slots: 2, waiting: 0 }]);
    expect((await list()).stdout).not.toContain('no worker is there');
  });

  it('are waited for, and replaced when they are killed: another goes on (ENG-15)', async () => {
    const held = heldStep();
    await calls.register(bodyOf('held', held.body));
    const id = await calls.start('held');
    const first = await work();
    await until(async () => held.calls() === 1);
    first.process.kill('SIGKILL');
    const second = await work();
    await until(async () => held.calls() === 2);
    held.letGo(2);
    expect(await calls.end(id)).toMatchObject({ status: 'success', result: 2 });
    await until(async () => (await calls.workers()).every(({ name }) => name === second.name));
  });

  it('that stood still for longer than their lease are fenced: what they report is refused (EVT-3)', async () => {
    const held = heldStep();
    await calls.register(bodyOf('held', held.body));
    const first = await work();
    const id = await calls.start('held');
    await until(async () => held.calls() === 1);
    first.process.kill('SIGSTOP');
    const second = await work();
    await until(async () => held.calls() === 2);
    held.letGo(1);
    first.process.kill('SIGCONT');
    // It has reported when it takes work again, and its report was refused: the other still has the work.
    const other = heldStep();
    await calls.register(bodyOf('other', other.body));
    second.process.kill('SIGSTOP');
    const next = await calls.start('other');
    other.letGo(1);
    expect(await calls.end(next)).toMatchObject({ status: 'success', result: 1 });
    second.process.kill('SIGCONT');
    const before = await calls.events(id);
    expect(before.some(({ name }) => name === 'task.done')).toBe(false);
    for (const call of [2, 3, 4, 5]) held.letGo(call);
    const end = await calls.end(id);
    expect(end.status).toBe('success');
    expect(end.result).not.toBe(1);
    expect((await calls.events(id)).filter(({ name }) => name === 'task.done')).toHaveLength(1);
  });

  it('go on when their server is killed and starts again, and nothing is done twice (DESIGN §4)', async () => {
    const held = heldStep();
    await calls.register(bodyOf('held', held.body));
    await work();
    const id = await calls.start('held');
    await until(async () => held.calls() === 1);
    server.kill('SIGKILL');
    held.letGo(1);
    await serve();
    expect(await calls.end(id)).toMatchObject({ status: 'success', result: 1 });
    expect(held.calls()).toBe(1);
    const again = await calls.start('held');
    await until(async () => held.calls() === 2);
    held.letGo(2);
    expect(await calls.end(again)).toMatchObject({ status: 'success', result: 2 });
  });

  it('tell again what nobody heard, and keep their lease: nothing is lost, done twice, or taken over (DESIGN §4)', async () => {
    const line = await openFaultyLine(() => port);
    try {
      await work('--server', `http://127.0.0.1:${line.port}`);
      await calls.register(bodyOf('loud', LOUD));
      for (const lost of ['request', 'answer'] as const) {
        for (const kind of ['report', 'log']) {
          line.lose(lost, `POST /api/work/${kind}`);
          const id = await calls.start('loud');
          expect(await calls.end(id)).toMatchObject({ status: 'success', result: 7 });
          const events = await calls.events(id);
          expect(events.filter(({ name }) => name === 'task.done')).toHaveLength(1);
          expect(events.filter(({ name }) => name === 'step.started')).toHaveLength(1);
          const logs = await program.run(['exec', 'logs', id, '--server', `http://127.0.0.1:${port}`]);
          expect(logs.stdout.match(/hello/g)).toHaveLength(1);
        }
      }
    } finally {
      await line.close();
    }
  });

  it('stop what was cancelled, end in good order, and are ended by name (ENG-14)', async () => {
    const held = heldStep();
    await calls.register(bodyOf('held', held.body));
    const worker = await work();
    const id = await calls.start('held');
    await until(async () => held.calls() === 1);
    await calls.cancel(id);
    expect(await calls.end(id)).toMatchObject({ status: 'cancelled' });
    const url = `http://127.0.0.1:${port}`;
    const stop = await program.run(['worker', 'stop', worker.name, '--server', url, '--json']);
    expect([stop.code, JSON.parse(stop.stdout)]).toEqual([0, { stopped: [worker.name] }]);
    expect(await exitCode(worker.process)).toBe(0);
    const list = await program.run(['worker', 'list', '--server', url, '--json']);
    expect(JSON.parse(list.stdout)).toEqual([]);
    const polite = await work();
    polite.process.kill('SIGTERM');
    expect(await exitCode(polite.process)).toBe(0);
  });
});

it('a label of a worker has a name', async () => {
  const program = openProgram();
  try {
    for (const label of [' =x', '=x', 'x']) {
      const { code, stderr } = await program.run(['worker', 'start', '--label', label]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`'${label}' is invalid. expected name=value`)]);
    }
  } finally {
    await program.close();
  }
});
