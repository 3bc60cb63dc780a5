import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { eventsOf } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

/** The second request is answered when it is let through. */
const PLAYBOOK = `
workload: { api_url: "" }
workflow:
  - step: start
    loop: { in: [first, second, third], iterator: name, spec: { mode: sequential } }
    tool:
      - fetch: { kind: http, url: "{{ workload.api_url }}/{{ iter.name }}" }
      - report: { kind: noop, result: "{{ _prev.data.path }}" }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ results.start }}" }
`;
const RESULT = ['/first', '/second', '/third'];

/** A program whose words can be waited for. */
interface Heard {
  readonly child: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
}

describe.each(WAYS)('exec watch on an execution under way, by the %s', { timeout: 180_000 }, (way) => {
  let program: WayProgram;
  let api: LocalApi;
  let held: Promise<void>;
  let letThrough: () => void;
  let arrived: (path: string) => void = () => undefined;
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

  function hold(): void {
    held = new Promise((resolve) => {
      letThrough = resolve;
    });
  }

  function hear(args: readonly string[]): Heard {
    const child = program.start(args);
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text;
      });
    }
    return { child, said, ended: once(child, 'close').then(([code]) => code) };
  }

  async function until({ said }: Heard, text: string): Promise<void> {
    for (const begun = Date.now(); !`${said.stdout}${said.stderr}`.includes(text); ) {
      if (Date.now() - begun > 60_000) throw new Error(`it does not say '${text}', but: ${said.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function inTheMiddle(data: string): Promise<{ run: Heard; id: string }> {
    hold();
    const reached = new Promise<void>((resolve) => {
      arrived = (path) => path === '/second' && resolve();
    });
    const file = program.playbook('watched', PLAYBOOK);
    const run = hear(['run', file, '--set', `api_url=${api.url}`, '--data', data]);
    await reached;
    const { stdout } = await program.run(['exec', 'list', '--data', data, '--json']);
    return { run, id: JSON.parse(stdout)[0].execution_id };
  }

  it('tells what happens as run does, and ends as run does', async () => {
    const data = program.newData();
    const { run, id } = await inTheMiddle(data);
    const [watch, json] = [
      hear(['exec', 'watch', id, '--data', data]),
      hear(['exec', 'watch', id, '--data', data, '--json']),
    ];
    await Promise.all([until(watch, 'watching execution'), until(json, 'loop.started')]);
    letThrough();
    expect(await Promise.all([run.ended, watch.ended, json.ended])).toEqual([0, 0, 0]);
    expect(JSON.parse(watch.said.stdout)).toEqual(RESULT);
    expect(watch.said.stdout).toBe(run.said.stdout);
    const [first = '', ...lines] = watch.said.stderr.trimEnd().split('\n');
    expect(first).toMatch(new RegExp(`^watching execution ${id} of watched, from event \\d+ on$`));
    for (const line of lines.filter((line) => !line.includes('%'))) expect(run.said.stderr).toContain(`${line}\n`);
    expect(lines.at(-1)).toContain('watched: done in');
    const stored = await program.run(['exec', 'events', id, '--data', data, '--json']);
    expect(json.said).toEqual({ stdout: stored.stdout, stderr: '' });
  });

  it('is left by Ctrl-C, and the run does not notice', async () => {
    const data = program.newData();
    const { run, id } = await inTheMiddle(data);
    const watch = hear(['exec', 'watch', id, '--data', data]);
    await until(watch, 'watching execution');
    process.kill(-(watch.child.pid ?? 0), 'SIGINT');
    expect(await watch.ended).toBe(130);
    expect(watch.said.stderr).toMatch(/\nstopped watching; the execution is not disturbed\n$/);
    letThrough();
    expect(await run.ended).toBe(0);
    expect(JSON.parse(run.said.stdout)).toEqual(RESULT);
  });

  // A server goes on by itself.
  if (way === 'folder') {
    it('says that nobody runs it any more, and goes on when somebody does', async () => {
      const data = program.newData();
      const { run, id } = await inTheMiddle(data);
      const watch = hear(['exec', 'watch', id, '--data', data]);
      await until(watch, 'watching execution');
      process.kill(-(run.child.pid ?? 0), 'SIGKILL');
      await run.ended;
      await until(watch, `no process runs it now; go on with: noetl run --resume ${id} --data ${data}\n`);
      letThrough();
      const resumed = await program.run(['run', '--resume', id, '--data', data, '--json']);
      expect(resumed.code).toBe(0);
      expect(await watch.ended).toBe(0);
      expect(JSON.parse(watch.said.stdout)).toEqual(RESULT);
      expect(eventsOf(resumed.stdout).at(-1)).toMatchObject({ name: 'playbook.processed' });
    });
  }
});
