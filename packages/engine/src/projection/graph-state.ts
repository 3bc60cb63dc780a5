import type { ExecutionEvent } from '../execution/event.ts';
import type { ArcVerdict } from '../execution/payloads.ts';
import { emptyIntMap, getInt, intEntries } from '../int-map.ts';
import type { Projection } from './projection.ts';
import { type Change, changesOf, type LiveRuns, withLiveRun } from './work-change.ts';

/**
 * What happened at each step and arc of the workflow, for drawing it. Steps and arcs that nothing has reached are
 * absent. A fork tells what happened in it, beginning with the runs that it took over.
 */
export interface GraphState {
  readonly steps: Readonly<Record<string, StepCounts>>;
  /** The arcs of each step, in the order of its router. */
  readonly arcs: Readonly<Record<string, readonly ArcCounts[]>>;
}

export interface StepCounts {
  readonly runs: number;
  readonly active: number;
  readonly done: number;
  readonly failed: number;
  /** Runs that ended with the execution, or with a failure elsewhere. */
  readonly dropped: number;
  /** Tokens that were not admitted, or that a join gave up: no runs. */
  readonly skipped: number;
  readonly iterations: { readonly started: number; readonly ok: number; readonly failed: number };
}

export interface ArcCounts {
  /** The step it leads to. */
  readonly step: string;
  readonly taken: number;
  readonly not_matched: number;
  readonly not_evaluated: number;
  /** It takes no failures. */
  readonly not_considered: number;
  readonly errors: number;
}

interface GraphProjection extends GraphState {
  readonly live: LiveRuns;
}

export const graphState: Projection<GraphProjection, GraphState> = {
  initial: { steps: {}, arcs: {}, live: emptyIntMap },
  fold: (before, event) => {
    let graph = before;
    for (const change of changesOf(event)) graph = changed(graph, change);
    return folded(graph, event);
  },
  view: ({ steps, arcs }) => ({ steps, arcs }),
};

function changed(graph: GraphProjection, change: Change): GraphProjection {
  const live = withLiveRun(graph.live, change);
  switch (change.kind) {
    case 'run':
      return { ...count(graph, change.step, ({ runs, active }) => ({ runs: runs + 1, active: active + 1 })), live };
    case 'iterations':
      return countIterations(graph, change.of.run, ({ started }) => ({ started: started + change.count }));
    case 'end': {
      const { work, status } = change;
      if (work.path.length > 0) {
        if (status === 'dropped') return graph;
        const key = status === 'done' ? 'ok' : 'failed';
        return countIterations(graph, work.run, (iterations) => ({ [key]: iterations[key] + 1 }));
      }
      const step = getInt(graph.live, work.run);
      if (step === undefined) return graph;
      return { ...count(graph, step, (step) => ({ active: step.active - 1, [status]: step[status] + 1 })), live };
    }
    case 'over':
      return dropAll(graph);
    default:
      return graph;
  }
}

function dropAll(graph: GraphProjection): GraphProjection {
  let over = graph;
  for (const [, step] of intEntries(graph.live)) {
    over = count(over, step, ({ active, dropped }) => ({ active: active - 1, dropped: dropped + 1 }));
  }
  return { ...over, live: emptyIntMap };
}

function folded(graph: GraphProjection, event: ExecutionEvent): GraphProjection {
  if (event.name === 'step.skipped') {
    return count(graph, event.payload.step, ({ skipped }) => ({ skipped: skipped + 1 }));
  }
  if (event.name !== 'next.evaluated' || event.payload.arcs.length === 0) return graph;
  const { step, arcs } = event.payload;
  const before = Object.hasOwn(graph.arcs, step) ? graph.arcs[step] : undefined;
  const counted = arcs.map((arc, index) => countedArc(before?.[index] ?? newArc(arc.step), arc.verdict));
  return { ...graph, arcs: { ...graph.arcs, [step]: counted } };
}

function count(
  graph: GraphProjection,
  step: string,
  change: (before: StepCounts) => Partial<StepCounts>,
): GraphProjection {
  const before = (Object.hasOwn(graph.steps, step) ? graph.steps[step] : undefined) ?? NEW_STEP;
  return { ...graph, steps: { ...graph.steps, [step]: { ...before, ...change(before) } } };
}

function countIterations(
  graph: GraphProjection,
  run: number,
  change: (before: StepCounts['iterations']) => Partial<StepCounts['iterations']>,
): GraphProjection {
  const step = getInt(graph.live, run);
  if (step === undefined) return graph;
  return count(graph, step, ({ iterations }) => ({ iterations: { ...iterations, ...change(iterations) } }));
}

const NEW_STEP: StepCounts = {
  runs: 0,
  active: 0,
  done: 0,
  failed: 0,
  dropped: 0,
  skipped: 0,
  iterations: { started: 0, ok: 0, failed: 0 },
};

const newArc = (step: string): ArcCounts => ({
  step,
  taken: 0,
  not_matched: 0,
  not_evaluated: 0,
  not_considered: 0,
  errors: 0,
});

const COUNT_OF: Readonly<Record<ArcVerdict['verdict'], Exclude<keyof ArcCounts, 'step'>>> = {
  matched: 'taken',
  not_matched: 'not_matched',
  not_evaluated: 'not_evaluated',
  not_considered: 'not_considered',
  error: 'errors',
};

const countedArc = (arc: ArcCounts, verdict: ArcVerdict['verdict']): ArcCounts => {
  const key = COUNT_OF[verdict];
  return { ...arc, [key]: arc[key] + 1 };
};
