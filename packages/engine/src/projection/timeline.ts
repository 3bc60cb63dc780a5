import { type Work, workKey } from '../execution/ids.ts';
import { type Instant, instantOf } from '../instant.ts';
import { type IntMap, intEntries } from '../int-map.ts';
import { type Attempt, type AttemptWait, attemptsIn } from './attempt.ts';
import type { Projection } from './projection.ts';
import { openIn, type Rest } from './rest.ts';
import { emptyTree, foldTree, type LoopRecord, type Skip, type WorkRecord, type WorkTree } from './work-tree.ts';

/** A bar of a Gantt chart. */
export interface Span {
  /**
   * `run`, `iteration`: from its scheduling to its end. `attempt`, `wait`: inside the bar of their pipeline, on its lane.
   * `skip`: a moment, in which a token fired nothing. `more`: runs or iterations beyond the limits, together; `count` says
   * how many.
   */
  readonly kind: 'run' | 'iteration' | 'attempt' | 'wait' | 'skip' | 'more';
  /** The row from the top, from 0. */
  readonly lane: number;
  /** The step run or iteration as events name it; of `more` the loop, or undefined for runs; of `skip` undefined. */
  readonly work: string | undefined;
  readonly label: string;
  readonly status: WorkRecord['status'] | Attempt['status'];
  readonly start: Instant;
  /** Undefined while it lasts. */
  readonly end: Instant | undefined;
  readonly count?: number;
  /** Of a run or an iteration that is a loop: how far it is. */
  readonly loop?: { readonly total: number; readonly ok: number; readonly failed: number; readonly in_flight: number };
  /** Of `attempt`: which try of its visit, from 1. */
  readonly attempt?: number;
  /** Of `skip`: why nothing was fired. */
  readonly reason?: Skip['reason'];
  /** Of `wait`: what is waited for. */
  readonly for?: AttemptWait['for'];
}

export interface TimelineLimits {
  /** Step runs with a bar of their own; of the others those of a step share one. */
  readonly runs?: number;
  /** Iterations of each loop with a bar of their own; the others of the loop share one. */
  readonly iterations?: number;
  /** The newest attempts of each pipeline. */
  readonly attempts?: number;
}

/** What ran when. However long the execution, the limits bound how many spans there are. */
export function timeline(limits: TimelineLimits = {}): Projection<WorkTree, readonly Span[]> {
  const { runs = 500, iterations = 50, attempts = 50 } = limits;
  const keeps = ({ run, path }: Work): boolean => run <= runs && path.every((index) => index < iterations);
  return {
    initial: emptyTree,
    fold: (tree, event) => foldTree({ keeps, attempts }, tree, event),
    view: spansOf,
  };
}

function spansOf(tree: WorkTree): readonly Span[] {
  const spans: Span[] = [];
  let lane = 0;
  for (const [run, record] of intEntries(tree.runs)) {
    lane += addWork(spans, 'run', record.step, lane, { run, path: [] }, record);
  }
  for (const [, { step, at, reason }] of intEntries(tree.skips)) {
    const moment = instantOf(at);
    spans.push({
      kind: 'skip',
      lane,
      work: undefined,
      label: step,
      status: 'skipped',
      start: moment,
      end: moment,
      reason,
    });
    lane += 1;
  }
  for (const [step, rest] of Object.entries(tree.rest)) {
    spans.push(moreSpan(rest, lane, `${more(rest.count, 'run')} of ${step}`, undefined));
    lane += 1;
  }
  return spans;
}

/** Adds the bars of a piece of work and answers how many lanes they take. */
function addWork(
  spans: Span[],
  kind: 'run' | 'iteration',
  label: string,
  lane: number,
  work: Work,
  record: WorkRecord,
): number {
  const { status, scheduled_at, ended_at, attempts, loop } = record;
  const key = workKey(work);
  spans.push({ kind, lane, work: key, label, status, ...lasting(scheduled_at, ended_at), ...progressOf(loop) });
  let before: Attempt | undefined;
  for (const attempt of attemptsIn(attempts)) {
    addAttempt(spans, lane, key, attempt, before);
    before = attempt;
  }
  return loop === undefined ? 1 : 1 + addLoop(spans, lane + 1, work, loop);
}

const progressOf = (loop: LoopRecord | undefined): Pick<Span, 'loop'> =>
  loop === undefined ? {} : { loop: { total: loop.total, ok: loop.ok, failed: loop.failed, in_flight: loop.inFlight } };

function addAttempt(spans: Span[], lane: number, work: string, attempt: Attempt, before: Attempt | undefined): void {
  const { label, visit, attempt: nth, status, started_at, ended_at, waits } = attempt;
  const name = `${label}${visit > 1 ? `:${visit}` : ''}${nth > 1 ? ` (attempt ${nth})` : ''}`;
  const place = { lane, work };
  const addWait = (reason: AttemptWait['for'], since: string, until: string | undefined) =>
    spans.push({
      kind: 'wait',
      ...place,
      label: `${name}: ${reason}`,
      status: until === undefined ? 'waiting' : 'done',
      ...lasting(since, until),
      for: reason,
    });
  // A retry that comes soon keeps its worker, and no event tells that it waits.
  if (nth > 1 && before?.ended_at !== undefined && !waits.some((wait) => wait.for === 'retry')) {
    addWait('retry', before.ended_at, started_at);
  }
  if (started_at !== undefined) {
    spans.push({ kind: 'attempt', ...place, label: name, status, ...lasting(started_at, ended_at), attempt: nth });
  }
  for (const wait of waits) addWait(wait.for, wait.since, wait.ended_at);
}

/** Iterations that follow each other share a lane; those of an outer loop have lanes of their own, for the inner ones. */
function addLoop(spans: Span[], top: number, { run, path }: Work, { iterations, rest }: LoopRecord): number {
  const busyUntil: (Instant | undefined)[] = [];
  const nested = isNested(iterations);
  let used = 0;
  for (const [index, record] of byStart(iterations)) {
    const lane = nested ? used : placeIn(busyUntil, lasting(record.scheduled_at, record.ended_at));
    const inner = { run, path: [...path, index] };
    const taken = addWork(spans, 'iteration', `[${index}]`, top + lane, inner, record);
    used = Math.max(used, lane + taken);
  }
  if (rest.count === 0) return used;
  spans.push(moreSpan(rest, top + used, more(rest.count, 'iteration'), workKey({ run, path })));
  return used + 1;
}

const isNested = (iterations: IntMap<WorkRecord>): boolean =>
  [...intEntries(iterations)].some(([, { loop }]) => loop !== undefined);

const byStart = (iterations: IntMap<WorkRecord>): readonly (readonly [number, WorkRecord])[] =>
  [...intEntries(iterations)].sort(([, a], [, b]) => instantOf(a.scheduled_at) - instantOf(b.scheduled_at));

/** The first lane that is free again, or a new one, takes the bar. */
function placeIn(busyUntil: (Instant | undefined)[], { start, end }: Pick<Span, 'start' | 'end'>): number {
  const free = busyUntil.findIndex((until) => until !== undefined && until <= start);
  const lane = free === -1 ? busyUntil.length : free;
  busyUntil[lane] = end;
  return lane;
}

const more = (count: number, thing: string): string => `${count} more ${thing}${count === 1 ? '' : 's'}`;

function moreSpan(rest: Rest, lane: number, label: string, work: string | undefined): Span {
  const { count, failed, done, since = '', until } = rest;
  const open = openIn(rest) > 0;
  const status = open ? 'running' : failed > 0 ? 'failed' : done > 0 ? 'done' : 'dropped';
  return { kind: 'more', lane, work, label, status, ...lasting(since, open ? undefined : until), count };
}

const lasting = (start: string, end: string | undefined): Pick<Span, 'start' | 'end'> => ({
  start: instantOf(start),
  end: end === undefined ? undefined : instantOf(end),
});
