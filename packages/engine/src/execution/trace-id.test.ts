import { describe, expect, it } from 'vitest';
import { given, happened, ran, timePassed } from './given.testing.ts';
import { traceIdOf } from './trace-id.ts';
import { ok, planFrom, World } from './world.testing.ts';

const PLAN = planFrom('workflow: [{ step: start, tool: { kind: noop } }]');
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const requested = (world: World) => world.eventsNamed('playbook.execution.requested')[0]?.payload;

describe('the trace of an execution (EVT-2)', () => {
  it('follows from its id: FNV-1a with 128 bits, as others compute it', () => {
    expect(traceIdOf('a')).toBe('d228cb696f1a8caf78912b704e4a8964');
    const ids = ['e', 'f', 'e-1-0-1-1', '20260101-000000-abcdefgh', ''].map(traceIdOf);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is in its request', () => {
    expect(requested(new World(PLAN).request())).toMatchObject({ trace_id: traceIdOf('e') });
  });

  it('is the one it was asked for with', () => {
    const world = new World(PLAN).request({}, { trace_id: TRACE });
    expect(requested(world)).toMatchObject({ trace_id: TRACE });
    expect(world.assignment('1')?.request.trace_id).toBe(TRACE);
  });

  it('of a fork is its own', () => {
    const origin = new World(PLAN).request({}, { trace_id: TRACE });
    const fork = new World(PLAN);
    const named = { execution_id: 'f', path: 't', version: 1, content_hash: 'h' };
    fork.decide({ kind: 'fork', ...named, origin: { execution_id: 'e', state: origin.state }, edits: {} });
    expect(requested(fork)).toMatchObject({ trace_id: traceIdOf('f') });
    expect(fork.assignment('1')?.request.trace_id).toBe(traceIdOf('f'));
  });
});

describe('an outcome that the server makes (TOOL-1)', () => {
  const meta = (attempt: number) => expect.objectContaining({ attempt, trace_id: traceIdOf('e') });

  it('has the trace of its execution', () => {
    given('workflow: [{ step: start, tool: { kind: wait, for: delay, seconds: 60 } }]')
      .and(ran('1'))
      .when(timePassed)
      .thenEvent('task.resumed', { outcome: expect.objectContaining({ meta: meta(1) }) });
  });

  it('of a child has the trace and the attempt of its caller', () => {
    const retry = '{ when: "{{ outcome.status == \'error\' }}", then: { do: retry, delay: 0 } }';
    const { world } = given(`
workflow:
  - step: start
    tool: { kind: playbook, path: child, spec: { policy: { rules: [${retry}] } } }
`).when(ran('1'));
    const answer = (outcome: ReturnType<typeof ok>) => {
      const execution_id = [...world.children.keys()].at(-1) ?? '';
      return happened({ kind: 'child', work: { run: 1, path: [] }, execution_id, outcome })(world);
    };
    const error = { kind: 'boom', retryable: true, message: 'boom', details: {} };
    answer({ ...ok(), status: 'error', error });
    world.run('1').run('1');
    answer(ok(7));
    expect(world.eventsNamed('task.resumed').map(({ payload }) => payload.outcome?.meta)).toEqual([meta(1), meta(2)]);
  });
});
