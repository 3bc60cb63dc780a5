import type { Json } from '@noetl/playbook';
import { type Work, workKey, workOfKey } from '../execution/ids.ts';
import { intEntries } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import { type Attempt, attemptsIn } from './attempt.ts';
import type { Projection } from './projection.ts';
import type { WorkStatus } from './work-change.ts';
import { emptyTree, foldTree, recordAt, type Skip, type WorkRecord, type WorkTree } from './work-tree.ts';

/** What of an execution is looked at. It takes memory for what is asked, not for what happened. */
export interface DetailQuery {
  /** Step runs by number, which count from 1. */
  readonly runs?: Page;
  /** The iterations of one loop by index: `12` is the loop of run 12, `12:3` the inner one of its iteration 3. */
  readonly iterations?: Page & { readonly loop: string };
  /** How many attempts of each pipeline; the newest are shown. */
  readonly attempts?: number;
}

interface Page {
  readonly from: number;
  readonly limit: number;
}

export interface Detail {
  readonly runs: readonly RunDetail[];
  /** The number of the newest run. */
  readonly run_count: number;
  /** Tokens that fired nothing, while the runs of the page were the newest. */
  readonly skips: readonly (Skip & { readonly seq: number })[];
  /** Undefined where the loop that was asked for is not known, or not open yet. */
  readonly iterations: readonly IterationDetail[] | undefined;
}

interface WorkDetail {
  /** As events name it: `12`, `12:3`, `12:3.0`. */
  readonly work: string;
  readonly step: string;
  readonly status: WorkStatus;
  readonly scheduled_at: string;
  readonly started_at: string | undefined;
  readonly ended_at: string | undefined;
  readonly worker: string | undefined;
  readonly result: Json | undefined;
  readonly error: OutcomeError | undefined;
  readonly loop: LoopProgress | undefined;
  /** Oldest first; those before the ones that are shown are only counted. */
  readonly attempts: readonly Attempt[];
  readonly attempt_count: number;
}

export interface RunDetail extends WorkDetail {
  readonly run: number;
  readonly args: Json;
}

export interface IterationDetail extends WorkDetail {
  readonly index: number;
}

export interface LoopProgress {
  readonly mode: 'sequential' | 'parallel';
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
  readonly in_flight: number;
}

const RUNS: Page = { from: 1, limit: 100 };
const ATTEMPTS = 100;

/** Step runs with their attempts, and one page of one loop. */
export function detail(query: DetailQuery = {}): Projection<WorkTree, Detail> {
  const { runs = RUNS, iterations, attempts = ATTEMPTS } = query;
  const loop = iterations === undefined ? undefined : workOfKey(iterations.loop);
  const asked = (run: number): boolean => within(runs, run);
  const keeps = ({ run, path }: Work): boolean => {
    if (path.length === 0 && asked(run)) return true;
    if (loop === undefined || iterations === undefined || run !== loop.run || path.length > loop.path.length + 1) {
      return false;
    }
    // What the loop stands in has to be kept, too.
    return path.every((index, level) => index === loop.path[level] || isIn(iterations, index, level, loop));
  };
  return {
    initial: emptyTree,
    fold: (tree, event) => foldTree({ keeps, attempts }, tree, event),
    view: (tree) => ({
      runs: [...intEntries(tree.runs)].filter(([run]) => asked(run)).map(([run, record]) => runDetail(run, record)),
      run_count: tree.newest,
      skips: [...intEntries(tree.skips)].map(([seq, skip]) => ({ seq, ...skip })),
      iterations: loop && iterationsOf(tree, loop),
    }),
  };
}

const within = ({ from, limit }: Page, at: number): boolean => at >= from && at < from + limit;

const isIn = (page: Page, index: number, level: number, { path }: Work): boolean =>
  level === path.length && within(page, index);

const runDetail = (run: number, record: WorkRecord): RunDetail => ({
  run,
  args: record.args ?? {},
  ...workDetail({ run, path: [] }, record),
});

function iterationsOf(tree: WorkTree, { run, path }: Work): readonly IterationDetail[] | undefined {
  const loop = recordAt(tree, { run, path })?.loop;
  return (
    loop &&
    [...intEntries(loop.iterations)].map(([index, record]) => ({
      index,
      ...workDetail({ run, path: [...path, index] }, record),
    }))
  );
}

function workDetail(work: Work, record: WorkRecord): WorkDetail {
  const { step, status, scheduled_at, started_at, ended_at, worker, result, error, loop, attempts } = record;
  return {
    work: workKey(work),
    step,
    status,
    scheduled_at,
    started_at,
    ended_at,
    worker,
    result,
    error,
    loop: loop && {
      mode: loop.mode,
      total: loop.total,
      ok: loop.ok,
      failed: loop.failed,
      in_flight: loop.inFlight,
    },
    attempts: attemptsIn(attempts),
    attempt_count: attempts.count,
  };
}
