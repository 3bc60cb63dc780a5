import type { Json, JsonMap } from '@noetl/playbook';
import { type Body, loopsOf, type Pipeline, pipelinesOf } from '../execution/body.ts';
import { EVENT_NAMES, type ExecutionEvent } from '../execution/event.ts';
import { evolve } from '../execution/evolve.ts';
import { workKey } from '../execution/ids.ts';
import { type ExecutionState, initialState, type Owed, type StepRun } from '../execution/state.ts';
import { timestampOf } from '../instant.ts';
import { getInt, intEntries } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';

const KNOWN = new Set<string>(EVENT_NAMES);

/**
 * The state as of an event: that of a log that ends with it. Events that this release does not know are passed over. The
 * state that a fork starts from has to be in its event, not behind a reference.
 */
export function stateAt(
  events: Iterable<ExecutionEvent>,
  seq: number,
  from: ExecutionState = initialState,
): ExecutionState {
  let state = from;
  for (const event of events) {
    if (event.seq > seq) break;
    if (KNOWN.has(event.name)) state = evolve(state, event);
  }
  return state;
}

/** A state for people: what there is, without what only the engine needs. */
export interface StateView {
  readonly seq: number;
  readonly phase: ExecutionState['phase'];
  readonly paused: boolean;
  /** Why the execution drains. */
  readonly failure: OutcomeError | undefined;
  readonly workload: Json;
  readonly ctx: JsonMap;
  /** The newest result of each step that completed. */
  readonly results: JsonMap;
  /** Tokens that no run has taken yet, by the step they are at. */
  readonly tokens: Readonly<Record<string, readonly TokenView[]>>;
  readonly runs: readonly RunView[];
  readonly waits: readonly WaitView[];
  /** Signals that no task has taken yet: how many of each name. */
  readonly signals: Readonly<Record<string, number>>;
  /** What the log has to say next, such as `route start`. */
  readonly owed: readonly string[];
}

interface TokenView {
  readonly id: number;
  readonly from: string | undefined;
  readonly args: Json;
}

interface RunView {
  readonly run: number;
  readonly step: string;
  readonly args: Json;
  readonly deadline: string | undefined;
  /** Its pipeline, or those of its iterations in flight. */
  readonly pipelines: readonly PipelineView[];
  readonly loops: readonly LoopView[];
}

interface PipelineView {
  readonly work: string;
  readonly phase: Pipeline['phase'];
  /** How it ended, where its run or iteration has still to say so. */
  readonly ended: 'done' | 'failed' | undefined;
  /** The task in front, or the last one; which visit of it, and which attempt of the visit. */
  readonly task: string;
  readonly visit: number;
  readonly attempt: number;
  readonly prev: Json;
  readonly iter: JsonMap;
  /** What it wrote itself, over the ctx that it was scheduled with. */
  readonly set_ctx: JsonMap;
}

interface LoopView {
  readonly work: string;
  readonly total: number | undefined;
  /** The index that is scheduled next. */
  readonly next: number;
  readonly in_flight: number;
  readonly ok: number;
  readonly failed: number;
}

interface WaitView {
  readonly work: string;
  readonly step: string;
  readonly task: string;
  readonly for: string;
  readonly until: string | undefined;
  readonly name: string | undefined;
  /** What is asked of the person who answers. */
  readonly form: Json | undefined;
  readonly child: string | undefined;
}

export function stateView(state: ExecutionState): StateView {
  const { seq, phase, paused, failure, workload, ctx, results, tokens, runs, signals, owed } = state;
  const all = [...intEntries(runs)].map(([, run]) => run);
  return {
    seq,
    phase,
    paused,
    failure,
    workload,
    ctx,
    results,
    tokens: Object.fromEntries(
      Object.entries(tokens).map(([step, there]) => [
        step,
        [...intEntries(there)].map(([id, { from, args }]) => ({ id, from, args })),
      ]),
    ),
    runs: all.map(runView),
    waits: all.flatMap(waitsOf),
    signals: Object.fromEntries(Object.entries(signals).map(([name, kept]) => [name, kept.length])),
    owed: owed.map((entry) => owedText(entry, state)),
  };
}

const runView = ({ run, step, args, deadline, body }: StepRun): RunView => ({
  run,
  step,
  args,
  deadline: deadline === undefined ? undefined : timestampOf(deadline),
  pipelines: pipelinesIn(run, body).map(([work, pipeline]) => pipelineView(workKey(work), pipeline)),
  loops: [...loopsOf(body, { run, path: [] })].map(([work, loop]) => ({
    work: workKey(work),
    total: loop.plan?.total,
    next: loop.next,
    in_flight: loop.inFlight.size,
    ok: loop.ok,
    failed: loop.failures,
  })),
});

const pipelinesIn = (run: number, body: Body) => [...pipelinesOf(body, { run, path: [] })];

function pipelineView(work: string, { phase, state }: Pipeline): PipelineView {
  const { label, visits, attempt, prev, iter, ctx, ended } = state;
  return {
    work,
    phase,
    ended: ended?.kind,
    task: label,
    visit: Object.hasOwn(visits, label) ? (visits[label] ?? 1) : 1,
    attempt,
    prev,
    iter,
    set_ctx: ctx,
  };
}

const waitsOf = ({ run, step, body }: StepRun): readonly WaitView[] =>
  pipelinesIn(run, body).flatMap(([work, { state, wait }]) => {
    if (wait === undefined) return [];
    const until = wait.until === undefined ? undefined : timestampOf(wait.until);
    const child = wait.child?.execution_id;
    return [
      { work: workKey(work), step, task: state.label, for: wait.for, until, name: wait.name, form: wait.form, child },
    ];
  });

function owedText(owed: Owed, { runs }: ExecutionState): string {
  if (owed.kind === 'route') return `route ${owed.boundary.step}`;
  if (owed.kind === 'publish') return `publish ${owed.step}`;
  return `${owed.kind} ${getInt(runs, owed.work.run)?.step ?? ''} ${workKey(owed.work)}`;
}
