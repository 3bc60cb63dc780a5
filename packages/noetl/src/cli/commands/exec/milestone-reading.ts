import {
  type ExecutionEvent,
  type ExecutionState,
  type LoopProgress,
  type Milestone,
  type RunDetail,
  stateView,
} from '@noetl/engine';
import { FIRST_EVENTS } from '../../../ports/event-log.ts';
import type { DataFolder } from '../../data-folder.ts';
import { awaitedIn } from '../../views/awaited.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { runOf } from '../../views/work-name.ts';
import { logPages } from './log-pages.ts';

/** Of what went wrong in iterations so much is read: more is only counted. */
const MOST_TROUBLE = 2_000;

/**
 * Reads a long log by its first events and its milestones; what goes well in iterations is counted by the state. Gives
 * what reading the whole would give, or undefined where the milestones are not all there.
 */
export async function readMilestones(
  id: string,
  state: ExecutionState,
  folder: DataFolder,
): Promise<ExecutionReading | undefined> {
  const fold = createExecutionFold();
  for await (const events of logPages(id, folder, Math.min(FIRST_EVENTS, state.seq))) fold.take(events);
  if ((await folder.store.log.milestones(id, 'story', FIRST_EVENTS)) === undefined) return undefined;
  const { capped, list } = await troubleOf(id, state.seq, folder);
  const ends = createLoopEnds();
  const failed = list.filter(({ name }) => name === 'loop.iteration.failed');
  for await (const event of merged(milestones(id, 'story', state.seq, folder), list)) {
    fold.take([event]);
    ends.take(event);
  }
  const { summary, detail, failures } = fold.read();
  const { step_runs, skipped, failures: read } = summary.counters;
  const { stats } = state;
  const unread = stats.failures - read;
  const view = stateView(state);
  const live = Object.values(summary.current_steps).reduce((sum, count) => sum + count, 0);
  const complete =
    step_runs === stats.step_runs &&
    skipped === stats.skipped &&
    (capped || unread === 0) &&
    live === view.runs.length &&
    (summary.ended_at !== undefined) === (state.phase === 'processed');
  if (!complete) return undefined;

  const runs: RunDetail[] = [];
  for (const run of detail.runs) {
    if (run.loop === undefined) {
      runs.push(run);
      continue;
    }
    const open = view.runs.flatMap(({ loops }) => loops).find(({ work }) => work === run.work);
    const progress =
      open === undefined
        ? await endedProgress(run, run.loop)
        : { ok: open.ok, failed: open.failed, in_flight: open.in_flight };
    if (progress === undefined) return undefined;
    runs.push({ ...run, loop: { ...run.loop, ...progress } });
  }
  return {
    summary: { ...summary, seq: state.seq, counters: stats },
    detail: { ...detail, runs },
    failures: { ...failures, count: failures.count + unread },
    awaited: summary.ended_at === undefined ? awaitedIn(view) : [],
  };

  /** How many iterations ended while the loop lived: the event says it of one that is done, the index of one that failed. */
  async function endedProgress(
    { run, status }: RunDetail,
    loop: LoopProgress,
  ): Promise<Partial<LoopProgress> | undefined> {
    const end = ends.of(run, status);
    if (end === undefined) return loop;
    if (end.stats !== undefined) return { ...end.stats, in_flight: 0 };
    if (capped) return undefined;
    const source = { execution_id: id, loop: `${id}:${run}` };
    const { inspection } = folder.store;
    const before = await inspection.sourceSize({ ...source, until: FIRST_EVENTS });
    const ended = (await inspection.sourceSize({ ...source, until: end.seq })) - before;
    const amiss = failed.filter(({ seq, iteration_id }) => seq < end.seq && isIn(source.loop, iteration_id)).length;
    return { ok: loop.ok + ended - amiss, in_flight: 0 };
  }
}

/** Whether it is an iteration of the loop, and not of one inside. */
const isIn = (loop: string, iteration = ''): boolean =>
  iteration.startsWith(`${loop}:`) && !iteration.slice(loop.length + 1).includes('.');

interface LoopEnd {
  readonly seq: number;
  /** Of a loop that is done. */
  readonly stats?: { readonly ok: number; readonly failed: number };
}

/** How loops of step runs ended behind the first events. */
function createLoopEnds() {
  const ends = new Map<number | undefined, LoopEnd>();
  let over: LoopEnd | undefined;
  return {
    take(event: ExecutionEvent): void {
      if (event.seq <= FIRST_EVENTS || event.iteration_id !== undefined) return;
      const run = runOf(event.step_run_id);
      if (event.name === 'loop.done') {
        const { ok, failed } = event.payload.stats;
        ends.set(run, { seq: event.seq, stats: { ok, failed } });
      } else if (event.name === 'step.failed') ends.set(run, { seq: event.seq });
      else if (event.name === 'workflow.finished') over = { seq: event.seq };
    },
    /** Undefined for one that ended among the first events. What is dropped ends with the workflow. */
    of: (run: number, status: RunDetail['status']): LoopEnd | undefined =>
      ends.get(run) ?? (status === 'dropped' ? over : undefined),
  };
}

async function* milestones(
  id: string,
  kind: Milestone,
  until: number,
  { store }: DataFolder,
): AsyncGenerator<ExecutionEvent> {
  for (let after = FIRST_EVENTS; ; ) {
    const page = await store.log.milestones(id, kind, after);
    const last = page?.at(-1);
    if (page === undefined || last === undefined) return;
    for (const event of page) {
      if (event.seq > until) return;
      yield event;
    }
    after = last.seq;
  }
}

async function troubleOf(
  id: string,
  until: number,
  folder: DataFolder,
): Promise<{ readonly list: readonly ExecutionEvent[]; readonly capped: boolean }> {
  const list: ExecutionEvent[] = [];
  for await (const event of milestones(id, 'trouble', until, folder)) {
    if (list.push(event) > MOST_TROUBLE) return { list, capped: true };
  }
  return { list, capped: false };
}

/** Both in the order of the log. */
async function* merged(
  story: AsyncIterable<ExecutionEvent>,
  trouble: readonly ExecutionEvent[],
): AsyncGenerator<ExecutionEvent> {
  let next = 0;
  for await (const event of story) {
    for (let early = trouble[next]; early !== undefined && early.seq < event.seq; early = trouble[++next]) yield early;
    yield event;
  }
  yield* trouble.slice(next);
}
