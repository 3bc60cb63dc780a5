import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;

/** The second request is answered only when it is let through. */
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

describe.each(WAYS)(
  'an execution that is asked from another terminal (ENG-14), by the %s',
  { timeout: TIMEOUT },
  (way) => {
    let program: WayProgram;
    let api: LocalApi;
    let held: Promise<void>;
    let letThrough: () => void;
    let arrived: Promise<void>;
    let arrive: () => void;
    beforeAll(async () => {
      program = await openProgramBy(way);
      api = await openLocalApi(async ({ path }) => {
        if (path === '/second') {
          arrive();
          await held;
        }
        return { body: { path } };
      });
    });
    beforeEach(() => {
      held = new Promise((resolve) => {
        letThrough = resolve;
      });
      arrived = new Promise((resolve) => {
        arrive = resolve;
      });
    });
    afterAll(async () => {
      await api.close();
      await program.close();
    });

    const exec = (data: string, ...args: string[]) => program.run(['exec', ...args, '--data', data]);

    async function inTheMiddle(data: string, ...options: string[]) {
      const file = program.playbook('asked', PLAYBOOK);
      const run = await followedRun(program, [file, '--set', `api_url=${api.url}`, '--data', data, ...options]);
      await arrived;
      return run;
    }

    it('is cancelled, with the request it waits for, and says why', async () => {
      const data = program.newData();
      const run = await inTheMiddle(data);
      const asked = await exec(data, 'cancel', run.id, '--reason', 'wrong list', '--by', 'ada');
      expect(asked).toMatchObject({ code: 0, stdout: `${run.id} is cancelled.\n`, stderr: '' });
      const { code, stdout, stderr } = await run.ending;
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain('asked: cancelled: wrong list');
      expect(api.underWay).toBe(0);
      const [execution] = await intactExecutions(program, data, { roots: [run.id] });
      expect(execution?.events.slice(-3)).toMatchObject([
        { name: 'playbook.cancel.requested', payload: { reason: 'wrong list', by: 'ada' } },
        { name: 'workflow.finished', payload: { status: 'cancelled' } },
        { name: 'playbook.processed', payload: { status: 'cancelled', error: { kind: 'cancelled' } } },
      ]);
      expect(await exec(data, 'cancel', run.id)).toMatchObject({
        code: 0,
        stdout: `${run.id} was cancelled already.\n`,
      });
    });

    it('is paused and goes on, and the run that drives it stays', async () => {
      const data = program.newData();
      const run = await inTheMiddle(data, '--json');
      const paused = await exec(data, 'pause', run.id, '--reason', 'lunch', '--json');
      expect(JSON.parse(paused.stdout)).toEqual({
        execution_id: run.id,
        asked: 'pause',
        status: 'paused',
        driven: true,
        event: (await run.event('playbook.paused')).seq,
      });
      expect(await exec(data, 'pause', run.id)).toMatchObject({
        code: 0,
        stdout: `${run.id} is paused already.\nLift the pause with: noetl exec resume ${run.id} ${program.place(data)}\n`,
      });
      letThrough();
      await run.event('loop.iteration.done', 2);
      const status = await exec(data, 'status', run.id);
      expect(status.stdout).toContain(`noetl exec resume ${run.id} ${program.place(data)}`);
      expect(status.stdout).not.toContain('run --resume');
      expect(status.stdout).toContain(`paused`);
      const resumed = await exec(data, 'resume', run.id);
      expect(resumed).toMatchObject({ code: 0, stdout: `${run.id} goes on.\n` });
      const { code } = await run.ending;
      expect(code).toBe(0);
      const [execution] = await intactExecutions(program, data, { roots: [run.id] });
      const names = execution?.events.map(({ name }) => name) ?? [];
      // Nothing new began in the pause: the iteration ended, and the next was scheduled by the resume.
      const pause = names.indexOf('playbook.paused');
      const resume = names.indexOf('playbook.resumed');
      expect(names.slice(pause, resume)).not.toContain('loop.iteration.started');
      expect(execution?.events.at(-1)).toMatchObject({ payload: { status: 'success', result: RESULT } });
    });

    it('stays paused when its run is stopped; a run that goes on says how to lift the pause, and waits', async () => {
      const data = program.newData();
      const run = await inTheMiddle(data);
      await exec(data, 'pause', run.id, '--reason', 'lunch');
      await run.tells('asked: paused: lunch');
      run.interrupt();
      const stopped = await run.ending;
      expect(stopped.code).toBe(130);
      const lift = `noetl exec resume ${run.id} ${program.place(data)}`;
      expect(stopped.stderr).toMatch(/stopped( watching)?; it stays paused until: /);
      expect(stopped.stderr).toContain(`until: ${lift}\n`);
      letThrough();
      const again = await followedRun(program, ['--resume', run.id, '--data', data]);
      await again.tells(`it is paused; nothing new begins until: ${lift}`);
      const resumed = await exec(data, 'resume', run.id);
      expect(resumed.stdout).toBe(`${run.id} goes on.\n`);
      const { code, stdout } = await again.ending;
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual(RESULT);
    });

    it('cannot be asked anything when it is over, or when it does not exist', async () => {
      const data = program.newData();
      letThrough();
      const run = await inTheMiddle(data);
      await run.ending;
      const refused = async (verb: string, ...rest: string[]) => {
        const [over, unknown] = await Promise.all([
          exec(data, verb, run.id, ...rest),
          exec(data, verb, 'nobody', ...rest),
        ]);
        expect(over).toMatchObject({
          code: 1,
          stdout: '',
          stderr: `error: NOETL_EXECUTION_OVER: the execution '${run.id}' is over (success); nothing can change it.\n`,
        });
        expect(unknown).toMatchObject({
          code: 2,
          stdout: '',
          stderr: `error: ${program.where(data)} has no execution 'nobody'. noetl exec list shows them.\n`,
        });
      };
      await Promise.all([refused('pause'), refused('resume'), refused('cancel'), refused('signal', 'go')]);
    });
  },
);
