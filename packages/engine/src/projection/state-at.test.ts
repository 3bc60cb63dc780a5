import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from '../execution/event.ts';
import { fold } from '../execution/evolve.ts';
import { encodeState } from '../execution/snapshot.ts';
import { ok, planFrom, World } from '../execution/world.testing.ts';
import { randomLog } from './random-log.testing.ts';
import { stateAt, stateView } from './state-at.ts';

describe('the state as of an event', () => {
  const w = new World(
    planFrom(`
workflow:
  - step: start
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { n: "{{ outcome.result }}" } } } }] } } }
    next: { spec: { mode: inclusive }, arcs: [{ step: both, args: { a: 1 } }, { step: nap }] }
  - step: nap
    tool: { kind: wait, for: approval, name: boss }
    next: { arcs: [{ step: both }] }
  - step: both
    spec: { join: all }
`),
  )
    .request({ city: 'Bern' })
    .run('1', ok(7))
    .run('2');

  it('tells ctx, tokens, runs, waits and results', () => {
    expect(stateView(stateAt(w.log, Number.POSITIVE_INFINITY))).toEqual({
      seq: w.log.length,
      phase: 'running',
      paused: false,
      failure: undefined,
      workload: { city: 'Bern' },
      ctx: { n: 7 },
      results: { start: 7 },
      tokens: { both: [{ id: 2, from: 'start', args: { a: 1 } }] },
      runs: [
        {
          run: 2,
          step: 'nap',
          args: {},
          deadline: undefined,
          pipelines: [
            { work: '2', phase: 'waiting', task: 'task_1', visit: 1, attempt: 1, prev: null, iter: {}, set_ctx: {} },
          ],
          loops: [],
        },
      ],
      waits: [
        {
          work: '2',
          step: 'nap',
          task: 'task_1',
          for: 'approval',
          until: undefined,
          name: 'boss',
          child: undefined,
        },
      ],
      signals: {},
      owed: [],
    });
  });
  it('says in the middle of an append what is still owed', () => {
    const done = w.eventsNamed('step.done')[0]?.seq ?? 0;
    expect(stateView(stateAt(w.log, done)).owed).toEqual(['route start']);
  });
  it('is that of a log that ends there, and JSON', () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), (log, cut) => {
        const seq = cut % (log.length + 1);
        const state = stateAt(log, seq);
        expect(encodeState(state)).toEqual(encodeState(fold(log.slice(0, seq))));
        const view = stateView(state);
        expect(JSON.parse(JSON.stringify(view))).toMatchObject({ seq, ctx: state.ctx, phase: state.phase });
        expect(view.runs).toHaveLength(state.runs.size);
      }),
      { numRuns: 20 },
    );
  });
  it('passes over events of a later release', () => {
    const later = { ...w.log[3], name: 'step.dreamt' } as unknown as ExecutionEvent;
    const log = [...w.log.slice(0, 4), later, ...w.log.slice(4)];
    expect(stateAt(log, w.log.length)).toEqual(w.state);
  });
});
