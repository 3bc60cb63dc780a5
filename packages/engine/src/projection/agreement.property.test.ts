import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Body } from '../execution/body.ts';
import type { ExecutionEvent } from '../execution/event.ts';
import { evolve } from '../execution/evolve.ts';
import { type ExecutionState, initialState } from '../execution/state.ts';
import { getInt, type IntMap, intEntries } from '../int-map.ts';
import { detail } from './detail.ts';
import { graphState } from './graph-state.ts';
import { type Projection, project } from './projection.ts';
import { randomLog } from './random-log.testing.ts';
import { type SummaryStatus, summary } from './summary.ts';
import { timeline } from './timeline.ts';
import { isLive } from './work-change.ts';
import { emptyTree, foldTree, type WorkRecord } from './work-tree.ts';

const PROJECTIONS: readonly (readonly [string, Projection<unknown, unknown>])[] = [
  ['summary', erased(summary)],
  ['detail', erased(detail({ runs: { from: 2, limit: 3 }, iterations: { loop: '1', from: 1, limit: 2 } }))],
  ['timeline', erased(timeline({ runs: 3, iterations: 2, attempts: 1 }))],
  ['graph state', erased(graphState)],
];

function erased<P, V>({ initial, fold, view }: Projection<P, V>): Projection<unknown, unknown> {
  return { initial, fold: (before, event) => fold(before as P, event), view: (projection) => view(projection as P) };
}

describe.each(PROJECTIONS)('the %s of a random execution', (_, projection) => {
  it('is the same whether the log is folded at once or in two parts', () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), (log, cut) => {
        const at = cut % (log.length + 1);
        const first = log.slice(0, at).reduce(projection.fold, projection.initial);
        const told = JSON.stringify(projection.view(first));
        const both = log.slice(at).reduce(projection.fold, first);
        expect(projection.view(both)).toEqual(project(projection, log));
        expect(JSON.stringify(projection.view(first))).toBe(told);
      }),
      { numRuns: 20 },
    );
  });
  it('passes over events of a later release', () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), (log, cut) => {
        const at = cut % log.length;
        const later = { ...log[at], name: 'step.dreamt', payload: { step: 'start' } } as unknown as ExecutionEvent;
        const view = project(projection, [...log.slice(0, at), later, ...log.slice(at)]);
        expect(view).toEqual(project(projection, log));
      }),
      { numRuns: 20 },
    );
  });
});

describe('after every event of a random execution', () => {
  const everything = { keeps: () => true, attempts: 1_000 };
  const every = (check: (state: ExecutionState, events: readonly ExecutionEvent[]) => void) =>
    fc.assert(
      fc.property(randomLog, (log) => {
        let state = initialState;
        for (const [index, event] of log.entries()) {
          state = evolve(state, event);
          check(state, log.slice(0, index + 1));
        }
      }),
      { numRuns: 30 },
    );

  it('the summary has the status, counters and current steps of the state', () => {
    every((state, events) => {
      const told = project(summary, events);
      expect(told.status).toBe(statusOf(state));
      expect(told.counters).toEqual(state.stats);
      expect(told.current_steps).toEqual(activeSteps(state));
      expect(told.seq).toBe(state.seq);
    });
  });
  it('runs, loops and iterations that live have the phases and counts of the state, and no others live', () => {
    every((state, events) => {
      const tree = events.reduce((before, event) => foldTree(everything, before, event), emptyTree);
      expectAgreement(tree.runs, state.runs, (run) => run.body);
    });
  });
  it('the graph counts as active the runs of the state', () => {
    every((state, events) => {
      const { steps } = project(graphState, events);
      const active = Object.entries(steps).flatMap(([step, counts]) =>
        counts.active > 0 ? [[step, counts.active]] : [],
      );
      expect(Object.fromEntries(active)).toEqual(activeSteps(state));
      for (const { runs, active, done, failed, dropped } of Object.values(steps)) {
        expect(active + done + failed + dropped).toBe(runs);
      }
    });
  });
  it('work that is only counted is counted like work that is kept', () => {
    const nothing = { keeps: ({ path }: { readonly path: readonly number[] }) => path.length === 0, attempts: 0 };
    every((_, events) => {
      const all = events.reduce((before, event) => foldTree(everything, before, event), emptyTree);
      const few = events.reduce((before, event) => foldTree(nothing, before, event), emptyTree);
      for (const [run, { loop, status }] of intEntries(all.runs)) {
        const other = getInt(few.runs, run);
        expect(other?.status).toBe(status);
        if (loop === undefined) continue;
        const statuses = [...intEntries(loop.iterations)].map(([, iteration]) => iteration.status);
        const counted = (wanted: string) => statuses.filter((each) => each === wanted).length;
        expect(other?.loop).toMatchObject({ ok: loop.ok, failed: loop.failed, inFlight: loop.inFlight });
        expect(other?.loop?.rest).toMatchObject({
          count: statuses.length,
          done: counted('done'),
          failed: counted('failed'),
          dropped: counted('dropped'),
        });
      }
    });
  });
});

function expectAgreement<T>(records: IntMap<WorkRecord>, live: IntMap<T>, bodyOf: (value: T) => Body): void {
  const known = [...intEntries(records)].filter(([, { status }]) => isLive(status));
  expect(known.map(([key]) => key)).toEqual([...intEntries(live)].map(([key]) => key));
  for (const [key, record] of known) {
    const body = bodyOf(getInt(live, key) as T);
    const opened = body.kind === 'loop' && body.plan !== undefined;
    expect(record.status).toBe(body.kind === 'pipeline' ? body.phase : opened ? 'running' : 'ready');
    if (!opened) continue;
    const { ok, failures: failed, plan, inFlight } = body;
    expect(record.loop).toMatchObject({ ok, failed, total: plan?.total, inFlight: inFlight.size });
    expectAgreement(record.loop?.iterations as IntMap<WorkRecord>, inFlight, (inner) => inner);
  }
}

function statusOf({ phase, paused, failure, outcome }: ExecutionState): SummaryStatus {
  if (outcome !== undefined) return outcome.status;
  if (phase !== 'running') return 'requested';
  return paused ? 'paused' : failure === undefined ? 'running' : 'failing';
}

function activeSteps({ runs }: ExecutionState): Readonly<Record<string, number>> {
  const steps: Record<string, number> = {};
  for (const [, { step }] of intEntries(runs)) steps[step] = (steps[step] ?? 0) + 1;
  return steps;
}
