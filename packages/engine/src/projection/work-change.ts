import type { Json } from '@noetl/playbook';
import type { Body, Pipeline } from '../execution/body.ts';
import type { ExecutionEvent } from '../execution/event.ts';
import { workOf } from '../execution/evolve-work.ts';
import { unpacked, type Work, workOfKey } from '../execution/ids.ts';
import type { Schedules } from '../execution/payloads.ts';
import { decodeState } from '../execution/snapshot.ts';
import type { ExecutionState } from '../execution/state.ts';
import { getInt, type IntMap, intEntries, removeInt, setInt } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import { isTagged } from '../result-reference.ts';

/** The phase of a pipeline while it lives; then how it ended. `dropped`: it ended without an event of its own. */
export type WorkStatus = Pipeline['phase'] | 'done' | 'failed' | 'dropped';

export const isLive = (status: WorkStatus): boolean => status !== 'done' && status !== 'failed' && status !== 'dropped';

/** What an event means for step runs and iterations, in the few words that every projection understands. */
export type Change =
  /** A step run exists from now on. */
  | { readonly kind: 'run'; readonly run: number; readonly step: string; readonly args: Json }
  /** A loop knows its items, and how many are over already: none, unless the execution is a fork. */
  | { readonly kind: 'loop'; readonly work: Work; readonly loop: OpenLoop }
  /** Iterations of a loop are in flight from now on. */
  | { readonly kind: 'iterations'; readonly of: Work; readonly from: number; readonly count: number }
  | { readonly kind: 'phase'; readonly work: Work; readonly phase: Pipeline['phase'] }
  | {
      readonly kind: 'end';
      readonly work: Work;
      readonly status: 'done' | 'failed' | 'dropped';
      readonly result?: Json;
      readonly error?: OutcomeError;
    }
  /** The workflow is over, and with it whatever was still in flight. */
  | { readonly kind: 'over' };

export interface OpenLoop {
  readonly mode: 'sequential' | 'parallel';
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
}

export function changesOf(event: ExecutionEvent): readonly Change[] {
  const work = workOf(event);
  switch (event.name) {
    case 'step.scheduled':
      return [{ kind: 'run', run: work.run, step: event.payload.step, args: event.payload.args }];
    case 'step.started':
    case 'loop.iteration.started':
    case 'task.started':
    case 'task.done':
      return [{ kind: 'phase', work, phase: 'running' }];
    case 'task.waiting':
      return [{ kind: 'phase', work, phase: 'waiting' }];
    case 'task.resumed':
      return [{ kind: 'phase', work, phase: event.payload.held === true ? 'held' : 'ready' }];
    case 'loop.started': {
      const { mode, total, schedules } = event.payload;
      return [{ kind: 'loop', work, loop: { mode, total, ok: 0, failed: 0 } }, ...scheduled(work, schedules)];
    }
    case 'loop.iteration.done': {
      const { result, schedules } = event.payload;
      return [{ kind: 'end', work, status: 'done', result }, ...scheduled(loopAround(work), schedules)];
    }
    case 'loop.iteration.failed': {
      const { error, dropped, schedules } = event.payload;
      const end: Change = { kind: 'end', work, status: 'failed', error };
      return [end, ...drops(dropped), ...scheduled(loopAround(work), schedules)];
    }
    case 'step.done':
    case 'loop.done':
      return [{ kind: 'end', work, status: 'done', result: event.payload.result }];
    case 'step.failed': {
      const { step, tokens, args = {}, error, dropped } = event.payload;
      // A step that took tokens here failed before it was scheduled.
      const run: Change[] = tokens === undefined ? [] : [{ kind: 'run', run: work.run, step, args }];
      return [...run, { kind: 'end', work, status: 'failed', error }, ...drops(dropped)];
    }
    case 'next.evaluated':
      return drops(event.payload.dropped);
    case 'playbook.resumed':
      return [
        ...unpacked(event.payload.releases).map(
          (key): Change => ({ kind: 'phase', work: workOfKey(key), phase: 'ready' }),
        ),
        ...Object.entries(event.payload.schedules).flatMap(([key, schedules]) => scheduled(workOfKey(key), schedules)),
      ];
    case 'execution.forked':
      return carriedOver(forkedState(event.payload.state));
    case 'workflow.finished':
      return [{ kind: 'over' }];
    default:
      return NOTHING;
  }
}

const NOTHING: readonly Change[] = [];

const drops = (dropped: readonly string[] = []): readonly Change[] =>
  unpacked(dropped).map((key) => ({ kind: 'end', work: workOfKey(key), status: 'dropped' }));

const scheduled = (of: Work, schedules: Schedules | undefined): readonly Change[] =>
  schedules === undefined || schedules.count === 0 ? NOTHING : [{ kind: 'iterations', of, ...schedules }];

export const loopAround = ({ run, path }: Work): Work => ({ run, path: path.slice(0, -1) });

/**
 * The state that a fork starts from; undefined where it is kept elsewhere and nobody has put it in. Then the fork's own
 * events are all that is known.
 */
export const forkedState = (state: Json): ExecutionState | undefined =>
  isTagged(state) || !isSnapshot(state) ? undefined : decodeState(state);

const isSnapshot = (state: Json): boolean =>
  typeof state === 'object' && state !== null && 'runs' in state && 'tokens' in state && 'shared' in state;

/** A fork goes on with the work that its origin had in flight. */
function carriedOver(state: ExecutionState | undefined): readonly Change[] {
  if (state === undefined) return NOTHING;
  return [...intEntries(state.runs)].flatMap(([run, { step, args, body }]): readonly Change[] => [
    { kind: 'run', run, step, args },
    ...carriedBody(body, { run, path: [] }),
  ]);
}

function carriedBody(body: Body, work: Work): readonly Change[] {
  if (body.kind === 'pipeline') return body.phase === 'ready' ? [] : [{ kind: 'phase', work, phase: body.phase }];
  if (body.kind === 'none' || body.plan === undefined) return NOTHING;
  const { mode, total } = body.plan;
  return [
    { kind: 'loop', work, loop: { mode, total, ok: body.ok, failed: body.failures } },
    ...[...intEntries(body.inFlight)].flatMap(([index, inner]): readonly Change[] => [
      { kind: 'iterations', of: work, from: index, count: 1 },
      ...carriedBody(inner, { run: work.run, path: [...work.path, index] }),
    ]),
  ];
}

/** The steps of the runs in flight, by run: all that a projection needs to know the step of a run that is dropped. */
export type LiveRuns = IntMap<string>;

export function withLiveRun(live: LiveRuns, change: Change): LiveRuns {
  if (change.kind === 'run') return setInt(live, change.run, change.step);
  if (change.kind !== 'end' || change.work.path.length > 0) return live;
  return getInt(live, change.work.run) === undefined ? live : removeInt(live, change.work.run);
}
