import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { eventsOf, intactExecutions } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;

const LOOP = `
workload: { api_url: "", suffix: "" }
workflow:
  - step: start
    loop: { in: [first, held, last], iterator: name, spec: { mode: sequential } }
    tool:
      - fetch: { kind: http, url: "{{ workload.api_url }}/{{ iter.name }}" }
      - name: { kind: noop, result: "{{ _prev.data.path }}{{ workload.suffix }}" }
`;

const FRAGILE = `
workload: { api_url: "" }
workflow:
  - step: start
    tool:
      - before: { kind: http, url: "{{ workload.api_url }}/before" }
      - fragile: { kind: http, url: "{{ workload.api_url }}/fragile" }
      - after: { kind: http, url: "{{ workload.api_url }}/after" }
    next: { arcs: [{ step: report }] }
  - step: report
    tool: { kind: noop, result: "{{ results.start.data.path }}" }
`;

describe.each(WAYS)('noetl exec fork (ENG-15), by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  let api: LocalApi;
  let isBroken = false;
  let held: Promise<void> = Promise.resolve();
  let arrived = (): void => undefined;
  beforeAll(async () => {
    program = await openProgramBy(way);
    api = await openLocalApi(async ({ path }) => {
      if (path === '/held') {
        arrived();
        await held;
      }
      return isBroken && path === '/fragile' ? { status: 500, body: 'broken' } : { body: { path } };
    });
  });
  afterAll(async () => {
    await api.close();
    await program.close();
  });

  const fork = (data: string, ...args: string[]) => program.run(['exec', 'fork', ...args, '--data', data]);
  const looked = async (data: string, ...args: string[]) =>
    JSON.parse((await program.run(['exec', ...args, '--data', data, '--json'])).stdout);
  /** The paths that the API was asked for since. */
  const askedSince = (before: number) => api.requests.slice(before).map(({ path }) => path);

  /** An execution that failed, because the API did. */
  async function failedRun(): Promise<{ readonly data: string; readonly id: string }> {
    const data = program.newData();
    isBroken = true;
    const file = program.playbook('fragile', FRAGILE);
    expect(await program.run(['run', file, '--set', `api_url=${api.url}`, '--data', data, '--quiet'])).toMatchObject({
      code: 1,
    });
    isBroken = false;
    const [{ execution_id: id }] = await looked(data, 'list');
    return { data, id };
  }

  it('goes on from the failure: what was done is not done again, under keys of its own', async () => {
    const { data, id } = await failedRun();
    const before = api.requests.length;
    const { code, stdout, stderr } = await fork(data, id, '--from-failure');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '/after\n' });
    expect(askedSince(before)).toEqual(['/fragile', '/after']);
    const [forked, origin] = await looked(data, 'list');
    expect(forked).toMatchObject({ status: 'success', origin: { execution_id: id } });
    expect(origin).toMatchObject({ execution_id: id, status: 'error' });
    expect(stderr).toContain(`execution ${forked.execution_id} of fragile@1, forked from ${id} at event `);
    expect(api.requests.at(-1)?.headers['idempotency-key']).toBe(`${forked.execution_id}:1:after:1`);
    const status = await program.run(['exec', 'status', forked.execution_id, '--data', data]);
    expect(status.stdout).toContain(`forked     from ${id} at event ${forked.origin.seq}`);
    await intactExecutions(program, data);
    const verified = await program.run(['exec', 'verify', '--all', '--data', data]);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(verified.stdout).toContain('2 executions, all intact');
  });

  it('prints its events as run does, and ends with its exit code', async () => {
    const { data, id } = await failedRun();
    isBroken = true;
    const { code, stdout, stderr } = await fork(data, id, '--at', '6', '--json');
    isBroken = false;
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const events = eventsOf(stdout);
    expect(events[0]).toMatchObject({ seq: 1, payload: { origin: { execution_id: id, seq: 6 }, edits: {} } });
    expect(events[1]).toMatchObject({ name: 'execution.forked' });
    expect(events.at(-1)).toMatchObject({ name: 'playbook.processed', payload: { status: 'error' } });
    const forked = events[0]?.execution_id ?? '';
    const [stored] = await intactExecutions(program, data, { roots: [forked] });
    expect(events).toEqual(stored?.events);
  });

  it('goes on from one that another process is driving, and leaves that alone', async () => {
    const data = program.newData();
    let letThrough = (): void => undefined;
    held = new Promise((resolve) => {
      letThrough = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const file = program.playbook('loop', LOOP);
    const run = await followedRun(program, [file, '--set', `api_url=${api.url}`, '--data', data]);
    await reached;
    const events = eventsOf((await program.run(['exec', 'events', run.id, '--data', data, '--json'])).stdout);
    const fetched = events.find(({ name, task_label }) => name === 'task.done' && task_label === 'fetch')?.seq;
    const before = api.requests.length;
    const forking = fork(data, run.id, '--at', String(fetched), '--set', 'suffix=!', '--quiet');
    // The fork asks for it, too.
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
    letThrough();
    const { code, stdout } = await forking;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['/first!', '/held!', '/last!']);
    expect(JSON.parse((await run.ending).stdout)).toEqual(['/first', '/held', '/last']);
    expect(askedSince(before).filter((path) => path === '/first')).toEqual([]);
    await intactExecutions(program, data, { roots: [run.id] });
  });

  // A server goes on with what its folder has: nothing is left for later there.
  if (way === 'folder') {
    it('writes a fork for later, also one with another playbook', async () => {
      const { data, id } = await failedRun();
      const edited = program.playbook(
        'edited',
        FRAGILE.replace('- fragile:', '- added: { kind: noop }\n      - fragile:'),
      );
      const { code, stdout } = await fork(data, id, '--from-failure', '--playbook', edited, '--no-run', '--json');
      expect(code).toBe(0);
      const { execution_id, origin, go_on } = JSON.parse(stdout);
      expect(origin).toMatchObject({ execution_id: id });
      expect(go_on).toBe(`noetl run --resume ${execution_id} --data ${data}`);
      expect(await looked(data, 'list', '--status', 'running')).toMatchObject([{ execution_id, path: 'edited' }]);
      const before = api.requests.length;
      const resumed = await program.run(['run', '--resume', execution_id, '--data', data, '--quiet']);
      expect(resumed).toMatchObject({ code: 0, stdout: '/after\n', stderr: '' });
      expect(askedSince(before)).toEqual(['/fragile', '/after']);
      await intactExecutions(program, data);
    });
  }

  it('lifts the pause of its origin', async () => {
    const data = program.newData();
    const file = program.playbook(
      'paused',
      'workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]\n',
    );
    const run = await followedRun(program, [file, '--data', data]);
    await program.run(['exec', 'pause', run.id, '--data', data]);
    await program.run(['exec', 'signal', run.id, 'go', '--payload', '7', '--data', data]);
    const { position } = await looked(data, 'state', run.id);
    const forked = await fork(data, run.id, '--at', String(position), '--quiet');
    expect(forked).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(forked.stdout)).toMatchObject({ payload: 7 });
    await program.run(['exec', 'cancel', run.id, '--data', data]);
    expect((await run.ending).code).toBe(5);
    const [{ execution_id }] = await looked(data, 'list');
    const [execution] = await intactExecutions(program, data, { roots: [execution_id] });
    expect(execution?.events.map(({ name }) => name)).toContain('playbook.resumed');
  });

  // The environment is the server's, and not another one for each request.
  if (way === 'folder') {
    it('resolves credentials again, and is refused without them', async () => {
      const data = program.newData();
      const file = program.playbook(
        'secret',
        `keychain: [{ name: token, kind: secret_manager, key: FORK_TOKEN }]
workflow: [{ step: start, tool: { kind: shell, command: [printenv, TOKEN], env: { TOKEN: "{{ keychain.token }}" } } }]
`,
      );
      const run = (args: string[], token?: string) =>
        program.run([...args, '--data', data, '--quiet'], { env: token === undefined ? {} : { FORK_TOKEN: token } });
      expect(await run(['run', file], 'first-secret')).toMatchObject({ code: 0 });
      const [{ execution_id: id }] = await looked(data, 'list');
      const refused = await run(['exec', 'fork', id, '--at', '4']);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(/^error: NOETL_FORK_REFUSED: .*FORK_TOKEN/);
      expect(await looked(data, 'list')).toHaveLength(1);
      const forked = await run(['exec', 'fork', id, '--at', '4'], 'second-secret');
      expect(forked).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(forked.stdout)).toMatchObject({ stdout: '[secret:token]\n' });
    });
  }

  it('refuses what cannot be, with a sentence and without a trace', async () => {
    const { data, id } = await failedRun();
    const other = program.playbook('other', 'workflow: [{ step: start, tool: [{ nothing: { kind: noop } }] }]\n');
    const broken = join(program.folder, 'broken.yaml');
    writeFileSync(broken, 'nonsense: true\n');
    const [entry] = await looked(data, 'list');
    const answers = await Promise.all([
      fork(data, id, '--at', '6', '--playbook', other),
      fork(data, id, '--at', '6', '--playbook', broken),
      fork(data, id, '--at', '999'),
      fork(data, id, '--at', '0'),
      fork(data, id),
      fork(data, id, '--at', '3', '--from-failure'),
      fork(data, 'nobody', '--at', '1'),
      fork(data, id, '--at', '3', '--ctx', 'nonsense'),
    ]);
    expect(answers.map(({ code }) => code)).toEqual([2, 4, 2, 2, 2, 2, 2, 2]);
    expect(answers.map(({ stdout }) => stdout).join('')).toBe('');
    const said = answers.map(({ stderr }) => stderr);
    expect(said[0]).toBe(
      "error: NOETL_FORK_REFUSED: the task 'before' of the step 'start' is under way, and the edited playbook does not have it.\n",
    );
    expect(said[2]).toBe(`error: --at 999: the execution '${id}' has the events 1 to ${entry.events}.\n`);
    expect(said[4]).toBe(
      `error: name the event to go on from by --at SEQ (noetl exec events ${id} lists them), or --from-failure.\n`,
    );
    expect(said[6]).toContain("has no execution 'nobody'");
    expect(said[7]).toBe('error: --ctx nonsense: write NAME=VALUE, or NAME.INNER=VALUE.\n');
    expect((await looked(data, 'list'))[0]).toEqual(entry);
    expect((await program.run(['catalog', 'list', '--data', data])).stdout).not.toContain('other');
  });
});
