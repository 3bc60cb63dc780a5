import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionEvent } from '@noetl/engine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;

describe.each(WAYS)('an execution and those that it calls, by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  let data: string;
  let ledger: string;
  let ledgers = 0;
  beforeAll(async () => {
    program = await openProgramBy(way);
    mkdirSync(join(program.folder, 'tree'));
  });
  beforeEach(() => {
    data = program.newData();
    ledger = `${program.folder}/ledger-${++ledgers}`;
  });
  afterAll(() => program.close());

  const exec = (...args: string[]) => program.run(['exec', ...args, '--data', data]);
  const run = (...args: string[]) => program.run(['run', ...args, '--data', data]);
  const noted = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').filter(Boolean).sort() : []);

  /** Waits until tools have written these lines. */
  async function notes(...lines: string[]): Promise<void> {
    for (const begun = Date.now(); noted().join() !== lines.join(); ) {
      if (Date.now() - begun > 60_000) throw new Error(`only ${noted()} were noted`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Notes that it began, and waits for the signal `go`. */
  const held = (name: string, answer: string) =>
    program.playbook(
      `tree/${name}`,
      `workload: { ledger: "" }
workflow:
  - step: start
    tool:
      - note: { kind: shell, env: { LEDGER: "{{ workload.ledger }}" }, cmds: ['echo ${name} >> "$LEDGER"'] }
      - rest: { kind: wait, for: signal, name: go }
      - say: { kind: noop, result: ${answer} }
`,
    );

  /** root → middle → leaf, and root → free, which nobody waits for. */
  function tree(): string {
    held('leaf', 'first');
    held('free', 'freely');
    program.playbook(
      'tree/middle',
      `workload: { ledger: "" }
workflow: [{ step: start, tool: { kind: playbook, path: leaf.yaml, args: { ledger: "{{ workload.ledger }}" } } }]
`,
    );
    return program.playbook(
      'tree/root',
      `workload: { ledger: "" }
workflow:
  - step: start
    tool:
      - loose: { kind: playbook, path: free.yaml, wait: false, args: { ledger: "{{ workload.ledger }}" } }
      - bound: { kind: playbook, path: middle.yaml, args: { ledger: "{{ workload.ledger }}" } }
`,
    );
  }

  const idsOf = (root: string) => ({
    free: `${root}-1-0-1-1`,
    middle: `${root}-1-1-1-1`,
    leaf: `${root}-1-1-1-1-1-0-1-1`,
  });

  const startTree = async (...options: string[]) => {
    const started = await followedRun(program, [tree(), '--set', `ledger=${ledger}`, '--data', data, ...options]);
    await notes('free', 'leaf');
    const ids = idsOf(started.id);
    // What a tool did is only in the log once the run tells what comes after it.
    await started.tells(`noetl exec signal ${ids.free} go`);
    await started.tells(`noetl exec signal ${ids.leaf} go`);
    return { ...started, ...ids };
  };

  const endings = async (root: string) => {
    const executions = await intactExecutions(program, data, { roots: [root] });
    const last = (events: readonly ExecutionEvent[]) => {
      const event = events.at(-1);
      return event?.name === 'playbook.processed' ? event.payload.status : event?.name;
    };
    return Object.fromEntries(executions.map(({ id, events }) => [id, last(events)]));
  };

  it('go on together after kill -9, with the texts they began with, and nothing is done twice (ENG-15)', async () => {
    const { id, free, middle, leaf, kill, ending } = await startTree();
    kill();
    await ending;
    held('leaf', 'second');
    await program.run(['catalog', 'register', join(program.folder, 'tree/leaf.yaml'), '--data', data]);
    expect(await run('--resume', leaf)).toMatchObject({
      code: 2,
      stderr: `error: the execution '${leaf}' was called by another one and goes on with it: noetl run --resume ${id}\n`,
    });
    const resumed = await followedRun(program, ['--resume', id, '--data', data]);
    await resumed.tells(`going on with execution ${id}`);
    expect(await exec('signal', leaf, 'go')).toMatchObject({ code: 0 });
    await resumed.tells('an execution that it called goes on to the end');
    expect(await exec('signal', free, 'go')).toMatchObject({ code: 0 });
    const { code, stdout } = await resumed.ending;
    expect([code, stdout]).toEqual([0, 'first\n']);
    expect(await endings(id)).toEqual({ [id]: 'success', [free]: 'success', [middle]: 'success', [leaf]: 'success' });
    expect(noted()).toEqual(['free', 'leaf']);
  });

  it('are cancelled together, by whom they are driven or not (ENG-14)', async () => {
    const cancelled = (root: string) => {
      const { free, middle, leaf } = idsOf(root);
      return { [root]: 'cancelled', [free]: 'cancelled', [middle]: 'cancelled', [leaf]: 'cancelled' };
    };
    const driven = await startTree();
    expect(await exec('cancel', driven.id)).toMatchObject({ code: 0 });
    expect((await driven.ending).code).toBe(5);
    expect(await endings(driven.id)).toEqual(cancelled(driven.id));

    data = program.newData();
    ledger = `${program.folder}/ledger-${++ledgers}`;
    const killed = await startTree();
    killed.kill();
    await killed.ending;
    expect(await exec('cancel', killed.id)).toMatchObject({ code: 0 });
    expect(await endings(killed.id)).toEqual(cancelled(killed.id));
  });

  it('can be stopped while only those go on that nobody waits for, and resumed', async () => {
    const { id, free, leaf, tells, interrupt, ending } = await startTree();
    await exec('signal', leaf, 'go');
    await tells('an execution that it called goes on to the end');
    interrupt();
    const stopped = await ending;
    expect([stopped.code, stopped.stdout]).toEqual([130, 'first\n']);
    // What a server goes on with is no concern of who watched it.
    const goOn = way === 'server' ? `noetl exec watch ${id}` : `Go on with: noetl run --resume ${id}`;
    expect(stopped.stderr).toContain(goOn);
    const other = await run(program.playbook('other', 'workflow: [{ step: start, tool: { kind: noop } }]\n'));
    if (way === 'folder') expect(other.stderr).toContain(`not finished: ${id}. Go on with: noetl run --resume ID`);
    else expect(other.stderr).not.toContain('not finished');
    const resumed = await followedRun(program, ['--resume', id, '--data', data]);
    await resumed.tells('an execution that it called goes on to the end');
    await exec('signal', free, 'go');
    expect((await resumed.ending).code).toBe(0);
    expect((await endings(id))[free]).toBe('success');
  });

  it('are a tree in `exec status`, whoever is asked for', async () => {
    const { id, free, middle, leaf, kill, ending } = await startTree();
    kill();
    await ending;
    const rows = (text: string) => text.split('\n').filter((line) => line.includes('└'));
    const { stdout } = await exec('status', id);
    expect(rows(stdout).map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['└ free', 'running', expect.any(String), free],
      ['└ middle', 'running', expect.any(String), middle],
      ['└ leaf', 'running', expect.any(String), leaf],
    ]);
    const below = await exec('status', middle);
    expect(below.stdout).toContain(`called by  ${id}\n`);
    expect(rows(below.stdout)).toHaveLength(1);
    const { children } = JSON.parse((await exec('status', id, '--json')).stdout);
    expect(children).toMatchObject([
      {
        run: 1,
        count: 2,
        statuses: { running: 2 },
        executions: [
          { execution_id: free, path: 'free', status: 'running', children: [] },
          { execution_id: middle, children: [{ run: 1, executions: [{ execution_id: leaf }] }] },
        ],
      },
    ]);
    const list = async (...options: string[]) =>
      JSON.parse((await exec('list', '--json', ...options)).stdout).map((row: Record<string, unknown>) => [
        row.execution_id,
        row.parent_execution_id,
      ]);
    expect(await list('--top', '--limit', '1')).toEqual([[id, null]]);
    expect(await list('--parent', middle)).toEqual([[leaf, middle]]);
    expect(await list('--parent', id)).toHaveLength(2);
  });

  it('fail with the place where it began, and the execution', async () => {
    program.playbook(
      'tree/failing',
      `workflow: [{ step: start, tool: [{ say: { kind: noop, result: "{{ x }}" } }] }]\n`,
    );
    program.playbook('tree/between', 'workflow: [{ step: start, tool: { kind: playbook, path: failing.yaml } }]\n');
    const { code, stderr } = await run(
      program.playbook(
        'tree/top',
        'workflow: [{ step: start, tool: [{ call: { kind: playbook, path: between.yaml } }] }]\n',
      ),
      '--quiet',
    );
    expect(code).toBe(1);
    const [, id] = /^failed: execution (\S+)/.exec(stderr) ?? [];
    const lines = stderr.split('\n');
    expect(lines.filter((line) => /^\S/.test(line) && !/^\d/.test(line))).toEqual([
      expect.stringContaining(`failed: execution ${id} after`),
      expect.stringMatching(/^start\.call failed at .*top\.yaml:4:42$/),
      `through execution ${id}-1-0-1-1 of between.yaml: start.task_1 failed at between.yaml:4:33`,
      `It began in execution ${id}-1-0-1-1-1-0-1-1 of failing.yaml:`,
      expect.stringMatching(/^start\.say failed at failing\.yaml:4:\d+$/),
      expect.stringContaining("template: 'x' is undefined"),
    ]);
    expect(stderr).toContain(`noetl exec logs ${id}-1-0-1-1-1-0-1-1 `);
    expect((await exec('status', id ?? '')).stdout).toContain(`It began in execution ${id}-1-0-1-1-1-0-1-1`);
  });

  it('that nobody waits for fail for themselves', async () => {
    program.playbook(
      'tree/failing',
      `workflow: [{ step: start, tool: [{ say: { kind: noop, result: "{{ x }}" } }] }]\n`,
    );
    const { code, stdout, stderr } = await run(
      program.playbook(
        'tree/top',
        'workflow: [{ step: start, tool: [{ call: { kind: playbook, path: failing.yaml, wait: false } }, { ok: { kind: noop, result: done } }] }]\n',
      ),
      '--quiet',
    );
    expect([code, stdout]).toEqual([0, 'done\n']);
    expect(stderr).toMatch(
      /^failed: execution \S+-1-0-1-1 of failing\.yaml, which nobody waits for: template: .*'x' is undefined.*\(noetl exec status \S+-1-0-1-1 --(data|server) \S+\)\n$/,
    );
  });

  it('are counted where they are many, and those that failed are named', async () => {
    program.playbook(
      'tree/item',
      `workload: { n: 0 }
workflow: [{ step: start, tool: { kind: noop, result: "{{ workload.n if workload.n % 400 else missing }}" } }]
`,
    );
    const many = program.playbook(
      'tree/many',
      `workflow:
  - step: start
    loop: { in: "{{ range(1, 1001) | list }}", iterator: n, spec: { mode: parallel, max_in_flight: 50, policy: { failure: best_effort } } }
    tool: { kind: playbook, path: item.yaml, args: { n: "{{ iter.n }}" } }
`,
    );
    const { code, stdout, stderr } = await run(many, '--json', '--slots', '8');
    expect([code, stderr]).toEqual([0, '']);
    const id = JSON.parse(stdout.slice(0, stdout.indexOf('\n'))).execution_id;
    const status = await exec('status', id);
    const rows = status.stdout.split('\n').filter((line) => line.includes('└'));
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['└ 1,000 children', '2 error, 998 success'],
      ['└ item [399]', 'error', expect.any(String), `${id}-1-399-0-1-1`],
      ['└ item [799]', 'error', expect.any(String), `${id}-1-799-0-1-1`],
    ]);
    const { children } = JSON.parse((await exec('status', id, '--json')).stdout);
    expect(children).toMatchObject([{ count: 1000, statuses: { success: 998, error: 2 }, executions: { length: 2 } }]);
  });
});
