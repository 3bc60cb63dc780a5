import { describe, expect, it } from 'vitest';
import type { Input } from '../execution/input.ts';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';
import { failure } from '../outcome.ts';
import { project } from './projection.ts';
import { summary } from './summary.ts';

const TWO = `
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop }
`;
const world = (yaml = TWO) => new World(planFrom(yaml)).request();
const tell = (w: World) => project(summary, w.log);
const control = (kind: string, reason: string | null = null) => ({ kind, reason, by: null }) as unknown as Input;

describe('the summary of an execution', () => {
  it('names what runs, and at the end when it ended and its result', () => {
    const w = world();
    expect(tell(w)).toMatchObject({
      execution_id: 'e',
      path: 't',
      version: 1,
      status: 'running',
      started_at: '2026-01-01T00:00:00.000Z',
      ended_at: undefined,
      duration_ms: undefined,
      current_steps: { start: 1 },
      counters: { step_runs: 1, tasks: 0 },
    });
    w.now += 1_500;
    w.run('1').run('2', ok({ rows: 3 }));
    expect(tell(w)).toMatchObject({
      status: 'success',
      duration_ms: 1_500,
      current_steps: {},
      counters: { step_runs: 2, tasks: 2, failures: 0 },
      result: { rows: 3 },
      error: undefined,
    });
  });
  it('gives an error on one line', () => {
    const w = world().run('1', {
      ...failed(),
      error: failure('http.status', `the server\n  answered ${'very '.repeat(80)}badly`),
    });
    const { status, error = '' } = tell(w);
    expect(status).toBe('error');
    expect(error).toMatch(/^http\.status: the server answered very .*…$/);
    expect(error.length).toBe(200);
  });
  it('tells paused, cancelled and rejected executions apart', () => {
    const w = world();
    w.decide(control('pause'));
    expect(tell(w).status).toBe('paused');
    w.decide(control('resume'));
    expect(tell(w).status).toBe('running');
    w.decide(control('cancel', 'lunch'));
    expect(tell(w)).toMatchObject({ status: 'cancelled', error: 'cancelled: the execution was cancelled: lunch' });
    const refused = new World(planFrom(TWO)).request({}, { rejected: failure('secret.unresolved', 'no pg') } as never);
    expect(tell(refused)).toMatchObject({ status: 'rejected', error: 'secret.unresolved: no pg' });
  });
  it('says failing while work that already runs goes on after a failure that no arc took (ENG-5)', () => {
    const w = world(`
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }] }
  - step: a
    tool: { kind: noop }
  - step: b
    tool: [{ one: { kind: noop } }, { two: { kind: noop } }]
`);
    w.run('3').run('2', failed());
    expect(tell(w)).toMatchObject({ status: 'failing', current_steps: { b: 1 }, error: 'boom: boom' });
    w.run('3');
    expect(tell(w)).toMatchObject({ status: 'error', current_steps: {} });
  });
  it('names the parent of a child, and the origin of a fork, which goes on counting', () => {
    const child = new World(planFrom(TWO)).request({}, { parent_execution_id: 'p', depth: 1 } as never);
    expect(tell(child).parent_execution_id).toBe('p');
    const w = world().run('1');
    const fork = new World(planFrom(TWO));
    const origin = { execution_id: 'e', state: w.state };
    const request = { path: 't', version: 1, content_hash: 'h', edits: {} };
    fork.decide({ kind: 'fork', execution_id: 'f', origin, ...request } as unknown as Input);
    expect(tell(fork)).toMatchObject({
      execution_id: 'f',
      status: 'running',
      origin: { execution_id: 'e', seq: w.state.seq },
      current_steps: { last: 1 },
      counters: { step_runs: 2, tasks: 1 },
    });
  });
});
