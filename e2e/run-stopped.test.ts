import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { eventsOf, intactExecutions } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;

/** The first request is answered at once, the second only when it is let through. */
const PLAYBOOK = `
workload: { api_url: "" }
workflow:
  - step: start
    loop: { in: [first, second, third], iterator: name, spec: { mode: sequential } }
    tool:
      - fetch: { kind: http, url: "{{ workload.api_url }}/{{ iter.name }}" }
      - report: { kind: noop, result: "{{ _prev.data.path }}" }
`;
const RESULT = ['/first', '/second', '/third'];

describe.each(WAYS)('an execution under way, by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  let api: LocalApi;
  let held: Promise<void>;
  let letThrough: () => void;
  beforeAll(async () => {
    program = await openProgramBy(way);
    api = await openLocalApi(async ({ path }) => {
      arrived(path);
      if (path === '/second') await held;
      return { body: { path } };
    });
    hold();
  });
  afterEach(() => letThrough());
  afterAll(async () => {
    await api.close();
    await program.close();
  });

  let arrived: (path: string) => void = () => undefined;
  function hold(): void {
    held = new Promise((resolve) => {
      letThrough = resolve;
    });
  }

  /** Starts the playbook, and waits until it is in the middle. */
  async function inTheMiddle(data: string, ...options: string[]): Promise<{ child: ChildProcess; id: string }> {
    hold();
    const reached = new Promise<void>((resolve) => {
      arrived = (path) => path === '/second' && resolve();
    });
    const file = program.playbook('stopped', PLAYBOOK);
    const child = program.start(['run', file, '--set', `api_url=${api.url}`, '--data', data, ...options]);
    await reached;
    const { stdout } = await program.run(['exec', 'list', '--data', data, '--json']);
    const [{ execution_id: id }] = JSON.parse(stdout);
    return { child, id };
  }

  /** As Ctrl-C, or a terminal that is closed: the whole process group is told. */
  const signal = ({ pid }: ChildProcess, name: NodeJS.Signals): void => {
    if (pid !== undefined) process.kill(-pid, name);
  };

  it('can be looked at from other processes, and is driven by one alone', async () => {
    const data = program.newData();
    const { child, id } = await inTheMiddle(data, '--json');
    const look = (...args: string[]) => program.run(['exec', ...args, '--data', data]);
    const [list, status, events, result, logs, resumed] = await Promise.all([
      look('list', '--status', 'running', '--limit', '1', '--json'),
      look('status', id, '--json'),
      look('events', id, '--json'),
      look('result', id),
      look('logs', id),
      // A server drives it, and whoever resumes it there looks on.
      way === 'server' ? undefined : program.run(['run', '--resume', id, '--data', data]),
    ]);
    expect(JSON.parse(list.stdout)).toMatchObject([{ execution_id: id, status: 'running' }]);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'running' });
    expect(eventsOf(events.stdout).length).toBeGreaterThan(5);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toBe(
      `error: the execution '${id}' is not over yet. noetl exec status ${id} tells how far it is.\n`,
    );
    expect(logs.code).toBe(0);
    if (way === 'folder')
      expect(resumed).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `error: another process is running the execution '${id}' already.\n`,
      });
    letThrough();
    const { code, stdout } = await program.end(child);
    expect(code).toBe(0);
    const printed = eventsOf(stdout);
    expect(printed.at(-1)).toMatchObject({ name: 'playbook.processed', payload: { result: RESULT } });
    const [execution] = await intactExecutions(program, data, { roots: [id] });
    expect(printed).toEqual(execution?.events);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('stops on %s with the exit code %i, says how to go on, and goes on', async (name, exitCode) => {
    const data = program.newData();
    const asked = api.requests.length;
    const { child, id } = await inTheMiddle(data);
    signal(child, name);
    const stopped = await program.end(child);
    expect(stopped).toMatchObject({ code: exitCode, signal: null, stdout: '' });
    expect(stopped.stderr).toContain(
      way === 'server'
        ? `stopped watching; the server goes on with it. Look again with: noetl exec watch ${id} ${program.place(data)}\n`
        : `stopped; nothing is lost. Go on with: noetl run --resume ${id} --data ${data}\n`,
    );
    const [before] = await intactExecutions(program, data, { roots: [id] });
    // Stopping is nothing that happens to the execution.
    expect(before?.events.map(({ status }) => status)).not.toContain('error');

    letThrough();
    const resumed = await program.run(['run', '--resume', id, '--data', data, '--json']);
    expect(resumed).toMatchObject({ code: 0, stderr: '' });
    const [after] = await intactExecutions(program, data, { shown: true, roots: [id] });
    expect(after?.events.at(-1)).toMatchObject({ payload: { status: 'success', result: RESULT } });
    const told = eventsOf(resumed.stdout);
    expect(told).toEqual(after?.events.slice(way === 'server' ? -told.length : before?.events.length));
    // The first iteration was over: it did not run again.
    expect(api.requests.slice(asked).filter(({ path }) => path === '/first')).toHaveLength(1);
  });

  it('stops when nobody reads its output any more, says how to go on, and is no success', async () => {
    const data = program.newData();
    const { child, id } = await inTheMiddle(data, '--json');
    let complaints = '';
    child.stderr?.on('data', (text) => {
      complaints += text;
    });
    const code = new Promise((resolve) => child.once('exit', resolve));
    child.stdout?.destroy();
    letThrough();
    expect(await code).toBe(141);
    const goOn = way === 'server' ? 'Look again with: noetl exec watch' : 'Go on with: noetl run --resume';
    expect(complaints).toContain(`${goOn} ${id} ${program.place(data)}\n`);
    expect(await program.run(['run', '--resume', id, '--data', data, '--quiet'])).toMatchObject({ code: 0 });
  });

  if (way === 'folder') {
    it('stops when another process has taken its own for dead, says how to go on, and goes on', async () => {
      const data = program.newData();
      const { child, id } = await inTheMiddle(data);
      const { store } = await openDataFolder(data, systemClock, 'look');
      await store.drivers.bury((await store.drivers.processes()).map((process) => process.id));
      await store.close();
      const stopped = await program.end(child);
      expect(stopped).toMatchObject({ code: 1, stdout: '' });
      expect(stopped.stderr).toContain('error: NOETL_DRIVER_LOST: another process has taken this one for dead');
      expect(stopped.stderr).toContain(`go on with: noetl run --resume ${id} --data ${data}\n`);
      const [before] = await intactExecutions(program, data);
      expect(before?.events.map(({ status }) => status)).not.toContain('error');

      letThrough();
      const resumed = await program.run(['run', '--resume', id, '--data', data, '--quiet']);
      expect(resumed).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(resumed.stdout)).toEqual(RESULT);
    });
  }

  it('that is over tells the same again when it is resumed', async () => {
    const data = program.newData();
    const { child, id } = await inTheMiddle(data, '--quiet');
    letThrough();
    const { stdout } = await program.end(child);
    expect(JSON.parse(stdout)).toEqual(RESULT);
    const again = await program.run(['run', '--resume', id, '--data', data, '--quiet']);
    expect(again).toEqual({ code: 0, signal: null, stdout, stderr: '' });
    const json = await program.run(['run', '--resume', id, '--data', data, '--json']);
    expect(eventsOf(json.stdout)).toMatchObject([{ name: 'playbook.processed', payload: { result: RESULT } }]);
    const [execution] = await intactExecutions(program, data, { roots: [id] });
    expect(execution?.events.filter(({ name }) => name === 'playbook.processed')).toHaveLength(1);
  });

  // What runs at a server does not hear of it.
  if (way === 'folder') {
    it.concurrent.each([
      [
        'a program that ignores signals',
        `{ kind: shell, cmds: ["trap '' TERM INT HUP", "echo > up", "sleep 3600; sleep 3600"] }`,
      ],
      ['Python code', "{ kind: python, code: \"import time\\nopen('up', 'w').close()\\ntime.sleep(3600)\" }"],
      ['JavaScript code', `{ kind: javascript, code: "require('node:fs').writeFileSync('up', ''); for (;;);" }`],
    ])('stops on Ctrl-C in the middle of %s', async (name, task) => {
      const data = program.newData();
      const cwd = join(program.folder, name);
      mkdirSync(cwd);
      const file = program.playbook(`${name}/act`, `workflow: [{ step: start, tool: [{ act: ${task} }] }]\n`);
      const child = program.start(['run', file, '--data', data], { cwd });
      await until(() => existsSync(join(cwd, 'up')));
      signal(child, 'SIGINT');
      expect(await program.end(child)).toMatchObject({ code: 130, stdout: '' });
      const [execution] = await intactExecutions(program, data);
      expect(execution?.events.map(({ status }) => status)).not.toContain('error');
    });
  }

  if (way === 'folder') {
    it('ends at once on a second Ctrl-C, while a program does not want to end', async () => {
      const data = program.newData();
      const cwd = join(program.folder, 'twice');
      mkdirSync(cwd);
      const task = `{ kind: shell, cmds: ["trap '' TERM INT HUP", "echo > up", "sleep 3600; sleep 3600"] }`;
      const file = program.playbook('twice/act', `workflow: [{ step: start, tool: [{ act: ${task} }] }]\n`);
      const child = program.start(['run', file, '--data', data], { cwd });
      const said = new Promise<void>((resolve) => {
        child.stderr?.on('data', (text) => String(text).includes('stopped; nothing is lost') && resolve());
      });
      await until(() => existsSync(join(cwd, 'up')));
      signal(child, 'SIGINT');
      await said;
      signal(child, 'SIGINT');
      // It does not wait until the program is killed, and yet leaves nothing behind.
      expect(await program.end(child)).toMatchObject({ code: null, signal: 'SIGINT' });
      await intactExecutions(program, data);
    });
  }
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}
