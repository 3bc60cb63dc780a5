import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from './finished-run.testing.ts';
import { followedRun } from './followed-run.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;

const APPROVAL = `
workflow:
  - step: start
    tool:
      - ask: { kind: wait, for: approval, name: release, form: { approved: boolean } }
      - note: { kind: noop, result: "{{ _prev }}" }
`;

describe.each(WAYS)('an execution that waits (TOOL-2, ENG-14), by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  beforeAll(async () => {
    program = await openProgramBy(way);
  });
  afterAll(() => program.close());

  const exec = (data: string, ...args: string[]) => program.run(['exec', ...args, '--data', data]);
  const answer = (id: string, data: string, by: string) =>
    exec(data, 'signal', id, 'release', '--by', by, '--payload', '{"approved": true}');

  it('says what it waits for and how to answer, and records who answered and when', async () => {
    const data = program.newData();
    const run = await followedRun(program, [program.playbook('approval', APPROVAL), '--data', data]);
    await run.tells(`start.ask: waits for the approval 'release'`);
    await run.tells(`noetl exec signal ${run.id} release ${program.place(data)}`);
    const [status, json, wrong] = await Promise.all([
      exec(data, 'status', run.id),
      exec(data, 'status', run.id, '--json'),
      exec(data, 'signal', run.id, 'relese'),
    ]);
    expect(status.stdout).toContain(
      `start.ask waits for the approval 'release': noetl exec signal ${run.id} release ${program.place(data)}`,
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      awaited: [{ step: 'start', task: 'ask', for: 'approval', name: 'release', form: { approved: 'boolean' } }],
    });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toBe(
      `error: the playbook approval of the execution '${run.id}' waits for no signal 'relese'. Did you mean 'release'?\n`,
    );
    const signalled = await exec(data, 'signal', run.id, 'release', '--payload', '{"approved": true}', '--json');
    expect(JSON.parse(signalled.stdout)).toMatchObject({
      status: expect.stringMatching(/running|success/),
      driven: true,
      signal: 'release',
      taken_by: { step: 'start', task: 'ask' },
    });
    const { code, stdout } = await run.ending;
    expect(code).toBe(0);
    const [execution] = await intactExecutions(program, data, { roots: [run.id] });
    const [received] = named(execution?.events ?? [], 'signal.received');
    expect(JSON.parse(stdout)).toEqual({
      payload: { approved: true },
      by: userInfo().username,
      at: received?.timestamp,
    });
  });

  it('goes on after kill -9, whether the answer came before or comes after', async () => {
    const data = program.newData();
    const file = program.playbook('approval', APPROVAL);
    const runs = await Promise.all([1, 2].map(() => followedRun(program, [file, '--data', data, '--json'])));
    const [before, after] = runs;
    if (before === undefined || after === undefined) throw new Error('no runs');
    await Promise.all(runs.map((run) => run.event('task.waiting')));
    for (const run of runs) run.kill();
    await Promise.all(runs.map(({ ending }) => ending));

    expect(await answer(before.id, data, 'ada')).toMatchObject({
      code: 0,
      stdout:
        `${before.id} has the signal 'release', which start.ask waited for.\n` +
        // A server goes on without who watched.
        (way === 'server' ? '' : `No process runs it. Go on with: noetl run --resume ${before.id} --data ${data}\n`),
    });
    const first = await program.run(['run', '--resume', before.id, '--data', data, '--quiet']);
    expect(JSON.parse(first.stdout)).toMatchObject({ payload: { approved: true }, by: 'ada' });

    const second = await followedRun(program, ['--resume', after.id, '--data', data]);
    await second.tells(
      `start.ask: waits for the approval 'release': noetl exec signal ${after.id} release ${program.place(data)}`,
    );
    expect(await answer(after.id, data, 'bob')).toMatchObject({
      stdout: `${after.id} has the signal 'release', which start.ask waited for.\n`,
    });
    expect(JSON.parse((await second.ending).stdout)).toMatchObject({ by: 'bob' });
    await intactExecutions(program, data, { roots: [before.id, after.id] });
  });

  it('gets a signal that came before the wait, also one that no process was there to take', async () => {
    const data = program.newData();
    const file = program.playbook(
      'early',
      `workflow:
  - step: start
    tool:
      - first: { kind: wait, for: signal, name: begin }
      - second: { kind: wait, for: signal, name: release }
      - note: { kind: noop, result: "{{ _prev.payload }}" }
`,
    );
    const run = await followedRun(program, [file, '--data', data, '--json']);
    await run.event('task.waiting');
    expect(await exec(data, 'signal', run.id, 'release', '--payload', '7')).toMatchObject({
      code: 0,
      stdout: `${run.id} has the signal 'release'; it is kept until a task waits for it.\n`,
    });
    await exec(data, 'signal', run.id, 'begin');
    expect((await run.ending).code).toBe(0);
    const [execution] = await intactExecutions(program, data, { roots: [run.id] });
    expect(execution?.events.at(-1)).toMatchObject({ payload: { result: 7 } });
  });

  it('tells each of several who answer at once what became of their own answer', async () => {
    const data = program.newData();
    const file = program.playbook(
      'two',
      `workflow:
  - step: start
    tool:
      - ask: { kind: wait, for: approval, name: release }
      - then: { kind: wait, for: approval, name: release }
`,
    );
    const run = await followedRun(program, [file, '--data', data]);
    await run.tells(`start.ask: waits for the approval 'release'`);
    const said = await Promise.all(
      ['ada', 'bob'].map((by) => exec(data, 'signal', run.id, 'release', '--by', by, '--json')),
    );
    expect((await run.ending).code).toBe(0);
    const [execution] = await intactExecutions(program, data, { roots: [run.id] });
    const received = named(execution?.events ?? [], 'signal.received');
    const events = said.map(({ stdout }) => JSON.parse(stdout).event);
    expect(events).toEqual(['ada', 'bob'].map((by) => received.find(({ payload }) => payload.by === by)?.seq));
  });

  it('is waited for by a fork as well, which says how to answer', async () => {
    const data = program.newData();
    const run = await followedRun(program, [program.playbook('approval', APPROVAL), '--data', data]);
    await run.tells(`start.ask: waits for the approval 'release'`);
    await answer(run.id, data, 'ada');
    await run.ending;
    const [execution] = await intactExecutions(program, data, { roots: [run.id] });
    const [waiting] = named(execution?.events ?? [], 'task.waiting');
    const fork = await followedRun(program, ['exec', 'fork', run.id, '--at', `${waiting?.seq}`, '--data', data]);
    await fork.tells(
      `start.ask: waits for the approval 'release': noetl exec signal ${fork.id} release ${program.place(data)}`,
    );
    await answer(fork.id, data, 'ada');
    expect((await fork.ending).code).toBe(0);
  });

  it('holds no slot, however many wait, and is cancelled with all of them', async () => {
    const data = program.newData();
    const file = program.playbook(
      'many',
      `workflow:
  - step: start
    loop: { in: "{{ range(25) | list }}", iterator: n, spec: { mode: parallel, max_in_flight: 25 } }
    tool: { kind: wait, for: signal, name: go }
`,
    );
    const run = await followedRun(program, [file, '--data', data, '--json', '--slots', '1']);
    await run.event('task.waiting', 25);
    const status = await exec(data, 'status', run.id);
    expect(status.stdout).toContain(`start[0].task_1 waits for the signal 'go'`);
    expect(status.stdout).toContain('and 15 more');
    await exec(data, 'cancel', run.id);
    expect((await run.ending).code).toBe(5);
  });

  it('waits no longer than its timeout, for which a policy has an answer (DOC-14)', async () => {
    const file = program.playbook(
      'late',
      `workflow:
  - step: start
    tool:
      - ask:
          kind: wait
          for: approval
          name: release
          spec:
            timeout: 0.3
            policy:
              rules:
                - when: "{{ outcome.error.kind == 'timeout' }}"
                  then: { do: jump, to: give_up }
      - note: { kind: noop, result: answered, spec: { policy: { rules: [{ else: { then: { do: break } } }] } } }
      - give_up: { kind: noop, result: nobody answered }
`,
    );
    const { code, stdout } = await program.run(['run', file, '--data', program.newData(), '--quiet']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'nobody answered\n' });
  });

  it('is answered where it waits, in a child, and cancelled with those that wait for it', async () => {
    const data = program.newData();
    program.playbook('asking', APPROVAL);
    const file = program.playbook(
      'calling',
      `workflow:
  - step: start
    tool: { kind: playbook, path: ./asking.yaml }
`,
    );
    const open = () => followedRun(program, [file, '--data', data]);
    const [answered, cancelled, killed] = await Promise.all([open(), open(), open()]);
    const childOf = async ({ id, tells }: typeof answered) => {
      const child = `${id}-1-0-1-1`;
      await tells(`noetl exec signal ${child} release ${program.place(data)}`);
      return child;
    };
    const children = await Promise.all([answered, cancelled, killed].map(childOf));

    expect((await answer(children[0] ?? '', data, 'ada')).stdout).toContain('which start.ask waited for.');
    expect(JSON.parse((await answered.ending).stdout)).toMatchObject({ by: 'ada' });
    await exec(data, 'cancel', cancelled.id);
    expect((await cancelled.ending).code).toBe(5);
    killed.kill();
    await killed.ending;
    expect(await exec(data, 'cancel', killed.id)).toMatchObject({ code: 0, stdout: `${killed.id} is cancelled.\n` });

    const roots = [answered.id, cancelled.id, killed.id];
    const ends = (await intactExecutions(program, data, { roots })).map(({ id, events }) => {
      const last = events.at(-1);
      return [id, last?.name === 'playbook.processed' ? last.payload.status : last?.name];
    });
    expect(Object.fromEntries(ends)).toEqual({
      [answered.id]: 'success',
      [children[0] ?? '']: 'success',
      [cancelled.id]: 'cancelled',
      [children[1] ?? '']: 'cancelled',
      [killed.id]: 'cancelled',
      [children[2] ?? '']: 'cancelled',
    });
  });
});
