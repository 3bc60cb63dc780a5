import { describe, expect, it } from 'vitest';
import { emptyIntMap, setInt } from '../int-map.ts';
import { stateAt } from '../projection/state-at.ts';
import { pendingEffects } from './effects.ts';
import type { ExecutionEvent } from './event.ts';
import { evolve, fold } from './evolve.ts';
import { given, happened, ran } from './given.testing.ts';
import { initialState } from './state.ts';
import { ok, planFrom, World } from './world.testing.ts';

describe('values at the edge', () => {
  it('an instant behind the year 9999 is written as the last there is (EVT-1)', () => {
    given(`
workflow:
  - step: start
    tool: { kind: wait, for: delay, seconds: 1000000000000 }
`)
      .when(ran('1'))
      .thenEvent('task.waiting', { until: '9999-12-31T23:59:59.999Z' });
  });
  it('a sum that no number can hold fails the step, and state stays JSON (TPL-8)', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    loop: { in: [1.0e+308, 1.0e+308], iterator: x, spec: { mode: parallel } }
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: continue, set_shared: { t: { reduce: sum, value: "{{ iter.x }}" } } } } }] } }
`),
    ).request();
    w.run('1:0').run('1:1');
    expect(w.eventsNamed('step.failed')[0]?.payload.error).toMatchObject({ kind: 'ctx.conflict' });
  });
  it('a task may be labelled like what every object has (EVT-1)', () => {
    const { world } = given(`
workflow:
  - step: start
    tool: [{ a: { kind: noop } }, { constructor: { kind: noop } }, { toString: { kind: noop } }]
`).when(ran('1', ok(), ok(), ok()));
    expect(world.eventsNamed('task.done').map(({ task_label, visit }) => [task_label, visit])).toEqual([
      ['a', 1],
      ['constructor', 1],
      ['toString', 1],
    ]);
  });
  it('set_iter cannot hide what the loop provides', () => {
    given(`
workflow:
  - step: start
    loop: { in: [1], iterator: x }
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { index: 9 } } } }] } }
`)
      .when(ran('1:0'))
      .thenEvent('loop.iteration.failed', { error: expect.objectContaining({ kind: 'iter.reserved' }) });
  });
  it('args that are no mapping are an error of the task', () => {
    given(`
workflow:
  - step: start
    tool: { kind: playbook, path: other, args: "{{ [1, 2] }}" }
`)
      .when(ran('1'))
      .thenEvent('step.failed', { error: expect.objectContaining({ kind: 'task.args' }) });
  });
  it('the inner `in` sees what an outer iteration has written', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    loop:
      in: [0]
      iterator: a
      spec: { mode: parallel }
      loop:
        in: [0, 1]
        iterator: b
        loop: { in: "{{ [ctx.x | default('none')] }}", iterator: c }
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { x: "{{ iter.c }}-{{ iter.parent.b }}" } } } }] } }
`),
    ).request();
    w.drain();
    expect(w.eventsNamed('loop.started').map(({ payload }) => payload.in)).toContainEqual(['none-0']);
  });
});

describe('what must happen is never forgotten (ENG-15)', () => {
  const CALLS = (wait: boolean) => `
workflow:
  - step: start
    tool: { kind: playbook, path: other, wait: ${wait} }
`;
  it('a child that nobody waits for is owed until it is known to have started', () => {
    const { world } = given(CALLS(false)).when(ran('1'));
    expect(pendingEffects(fold(world.log))).toMatchObject([{ kind: 'start-child' }]);
    const [execution_id = ''] = world.children.keys();
    world.decide({ kind: 'child', work: { run: 1, path: [] }, execution_id, outcome: ok({ execution_id }) });
    expect(pendingEffects(fold(world.log))).toMatchObject([{ kind: 'dispatch' }]);
  });
  it('a child of a cancelled execution can be told so later', () => {
    const cancel = happened({ kind: 'cancel', reason: null, by: null });
    const { world } = given(CALLS(true)).and(ran('1')).when(cancel);
    const [execution_id] = world.children.keys();
    expect(pendingEffects(fold(world.log))).toEqual([{ kind: 'cancel-child', execution_id }]);
  });
  it('an edit of ctx reaches the pipeline that wrote the key', () => {
    const plan = planFrom(`
workflow:
  - step: start
    tool:
      - a: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { x: 1 } } } }] } } }
      - b: { kind: noop, result: "{{ ctx.x }}" }
`);
    const origin = new World(plan).request().run('1', ok());
    const fork = new World(plan);
    const edits = { ctx: { x: 5 } };
    const named = { execution_id: 'f', path: 't', version: 1, content_hash: 'h' };
    fork.decide({ kind: 'fork', ...named, origin: { execution_id: 'e', state: origin.state }, edits });
    const { ctx, pipeline } = fork.assignment('1') ?? {};
    expect({ ...ctx, ...pipeline?.ctx }).toEqual({ x: 5 });
  });
  it('an edit of ctx wins over what was written before it, at every event', () => {
    const plan = planFrom(`
workflow:
  - step: start
    tool:
      - a: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { x: 1, y: { a: 1 } } } } }] } } }
      - b: { kind: noop }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop }
`);
    const origin = new World(plan).request().run('1', ok(), ok()).run('2', ok());
    const written = origin.eventsNamed('task.done')[0]?.seq ?? 0;
    const named = { execution_id: 'f', path: 't', version: 1, content_hash: 'h' };
    for (let seq = written; seq < origin.log.length; seq++) {
      const fork = new World(plan);
      fork.now = origin.now;
      const edits = { ctx: { x: 5, y: { b: 2 } } };
      fork.decide({ kind: 'fork', ...named, origin: { execution_id: 'e', state: stateAt(origin.log, seq) }, edits });
      fork.drain(() => ok());
      expect([seq, fork.state.ctx]).toEqual([seq, { x: 5, y: { a: 1, b: 2 } }]);
    }
  });
});

describe('evolve is total', () => {
  const event = (name: string, payload: unknown, ids: object = {}): ExecutionEvent =>
    ({
      name,
      seq: 1,
      event_id: 'e:1',
      execution_id: 'e',
      timestamp: 'x',
      payload,
      ...ids,
    }) as unknown as ExecutionEvent;

  it('a fork without a state, a run that cannot be, and a name from the future change nothing but the position', () => {
    for (const state of [5, null, {}, { $noetl: 'reference' }]) {
      expect(evolve(initialState, event('execution.forked', { state }))).toEqual({ ...initialState, seq: 1 });
    }
    const scheduled = { step: 's', args: {}, tokens: [], work: 'pipeline' };
    expect(evolve(initialState, event('step.scheduled', scheduled, { step_run_id: 'e:-1' })).runs.size).toBe(0);
    expect(evolve(initialState, event('step.dreamt', {}))).toEqual({ ...initialState, seq: 1 });
    expect(setInt(emptyIntMap, 2 ** 31, 1)).toBe(emptyIntMap);
  });
});
