import {
  type ExecutionEvent,
  type GraphState,
  graphState,
  instantOf,
  type StepCounts,
  type Summary,
  summary,
} from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { runOf } from '../views/work-name.ts';
import { comparableValue } from './comparable-value.ts';
import type { HistoryEvent } from './history.ts';

/** What an execution came to, in numbers that can stand beside those of another. */
export interface Tally {
  readonly summary: Summary;
  readonly steps: Readonly<Record<string, StepTally>>;
  readonly arcs: GraphState['arcs'];
  readonly ctx: JsonMap;
}

interface StepTally extends StepCounts {
  /** Of its runs that are over, from their scheduling to their end, added up. */
  readonly duration_ms: number;
}

export interface Tallying {
  take(event: HistoryEvent): void;
  read(): Tally;
}

export function createTallying(): Tallying {
  let told = summary.initial;
  let graph = graphState.initial;
  const ctx = new Map<string, Json>();
  const scheduled = new Map<number, number>();
  const durations = new Map<string, number>();

  function timed(event: ExecutionEvent): void {
    const run = runOf(event.step_run_id);
    if (run === undefined) return;
    if (event.name === 'step.scheduled') scheduled.set(run, instantOf(event.timestamp));
    if (event.name !== 'step.done' && event.name !== 'step.failed' && event.name !== 'loop.done') return;
    const { step } = event.payload;
    const at = instantOf(event.timestamp);
    durations.set(step, (durations.get(step) ?? 0) + at - (scheduled.get(run) ?? at));
    scheduled.delete(run);
  }

  function write(patch: JsonMap, { execution_id }: ExecutionEvent): void {
    for (const [key, value] of Object.entries(patch)) ctx.set(key, comparableValue(value, execution_id));
  }

  return {
    take({ event, forked }) {
      told = summary.fold(told, event);
      if (forked && event.name === 'playbook.execution.requested') {
        // Nobody worked between the event that was forked and the fork.
        for (const run of scheduled.keys()) scheduled.set(run, instantOf(event.timestamp));
        const edited = event.payload.edits?.ctx;
        if (typeof edited === 'object' && edited !== null) write(edited as JsonMap, event);
      }
      // The runs that a fork took over are known from its origin.
      if (!forked || event.name !== 'execution.forked') graph = graphState.fold(graph, event);
      timed(event);
      if (event.name === 'ctx.patched') write(event.payload.patch, event);
    },
    read() {
      const { steps, arcs } = graphState.view(graph);
      const timedSteps = Object.entries(steps).map(([step, counts]) => [
        step,
        { ...counts, duration_ms: durations.get(step) ?? 0 },
      ]);
      return { summary: summary.view(told), steps: Object.fromEntries(timedSteps), arcs, ctx: Object.fromEntries(ctx) };
    },
  };
}
