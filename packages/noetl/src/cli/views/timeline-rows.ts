import { type Instant, instantOf, type Span, type Summary } from '@noetl/engine';
import { duration, grouped, things } from './quantity.ts';

/** A line of a Gantt chart: the bars of one step run or of some iterations that followed each other. */
export interface TimelineRow {
  /** As users wrote it: not yet fit for a terminal or a page. */
  readonly name: string;
  /** How many loops it is in. */
  readonly depth: number;
  readonly status: Span['status'];
  readonly start: Instant;
  /** Undefined while it lasts. */
  readonly end: Instant | undefined;
  /** In the order they are drawn: the later ones cover the earlier. */
  readonly bars: readonly Bar[];
  readonly note: string;
}

export interface Bar {
  /** `idle`: scheduled, and nobody at work on it. `retry`, `wait`: it stands still, for another attempt or otherwise. */
  readonly sort: 'idle' | 'ok' | 'failed' | 'running' | 'dropped' | 'retry' | 'wait';
  readonly label: string;
  readonly start: Instant;
  readonly end: Instant | undefined;
}

export interface TimelineRows {
  readonly rows: readonly TimelineRow[];
  /** Rows that are left out. */
  readonly hidden: number;
}

/** The rows of spans that a timeline told, at most so many. Of a loop one row tells how far it is, and no other. */
export function timelineRows(spans: readonly Span[], most: number): TimelineRows {
  const lanes = new Map<number, Span[]>();
  const loops = new Set(spans.flatMap(({ loop, work }) => (loop === undefined ? [] : [work])));
  const listed = new Set(spans.flatMap(({ kind, work = '' }) => (kind === 'iteration' ? [loopAround(work)] : [])));
  for (const span of spans) {
    // Where no iteration has a row of its own, the row of the loop counts them all.
    if (span.kind === 'more' && span.work !== undefined && loops.has(span.work) && !listed.has(span.work)) continue;
    lanes.set(span.lane, [...(lanes.get(span.lane) ?? []), span]);
  }
  const nth = new Map<string, number>();
  const all = [...lanes].sort(([a], [b]) => a - b).map(([, lane]) => lane);
  // What sums up many runs stands last, and is worth more than the last of the single ones.
  const sums = all.filter(([first]) => first?.kind === 'more' && first.work === undefined).length;
  const last = Math.min(sums, Math.ceil(most / 3));
  const shown =
    all.length <= most ? all : [...all.slice(0, most - last), ...all.slice(all.length - sums).slice(0, last)];
  return { rows: shown.map((lane) => rowOf(lane, nth)), hidden: all.length - shown.length };
}

/** What a chart of the rows has to hold: clocks of workers may be ahead of that of the server, or behind it. */
export function timeSpan(
  { started_at, ended_at }: Pick<Summary, 'started_at' | 'ended_at'>,
  rows: readonly TimelineRow[],
  now: Instant,
): { readonly from: Instant; readonly until: Instant } {
  const over = ended_at === undefined ? now : instantOf(ended_at);
  return {
    from: rows.reduce(
      (first, { start }) => Math.min(first, start),
      started_at === undefined ? over : instantOf(started_at),
    ),
    until: rows.reduce((last, { end }) => Math.max(last, end ?? over), over),
  };
}

/** `2:0.3` is in the loop `2:0`, and `2:0` in `2`. */
const loopAround = (work: string): string => work.slice(0, Math.max(work.lastIndexOf('.'), work.lastIndexOf(':')));

function rowOf(lane: readonly Span[], nth: Map<string, number>): TimelineRow {
  const heads = lane.filter(({ kind }) => kind !== 'attempt' && kind !== 'wait');
  const [first] = heads;
  if (first === undefined) throw new Error('a lane of a timeline holds a run, an iteration, or what is left of them');
  const ends = heads.map(({ end }) => end);
  return {
    name: nameOf(first, heads.length, nth),
    depth: first.kind === 'run' || first.kind === 'skip' ? 0 : depthOf(first),
    status: heads.find(({ status }) => status === 'failed')?.status ?? heads.at(-1)?.status ?? first.status,
    start: first.start,
    end: ends.includes(undefined) ? undefined : Math.max(...ends.map((end) => end ?? 0)),
    bars: barsOf(lane, heads),
    note: noteOf(first, lane),
  };
}

function depthOf({ kind, work }: Span): number {
  if (work === undefined) return 0;
  const path = work.includes(':') ? work.slice(work.indexOf(':') + 1).split('.').length : 0;
  return kind === 'more' ? path + 1 : path;
}

function nameOf({ kind, label }: Span, count: number, nth: Map<string, number>): string {
  if (kind === 'iteration') return count === 1 ? label : `${label} and ${count - 1} more`;
  if (kind === 'more' || kind === 'skip') return label;
  const runs = (nth.get(label) ?? 0) + 1;
  nth.set(label, runs);
  return runs === 1 ? label : `${label}#${runs}`;
}

const ORDER = ['idle', 'wait', 'retry', 'dropped', 'ok', 'running', 'failed'] as const satisfies readonly Bar['sort'][];

function barsOf(lane: readonly Span[], heads: readonly Span[]): readonly Bar[] {
  const waits = lane.filter(({ kind }) => kind === 'wait');
  const attempts = lane.filter(({ kind }) => kind === 'attempt');
  const bars = [
    ...heads.map((head) => headBar(head, attempts)),
    ...waits.map((wait): Bar => ({ ...spanOf(wait), sort: wait.for === 'retry' ? 'retry' : 'wait' })),
    ...attempts.flatMap((attempt) => withoutWaits(attempt, waits)),
  ];
  return bars.sort((a, b) => ORDER.indexOf(a.sort) - ORDER.indexOf(b.sort));
}

const spanOf = ({ label, start, end }: Span): Pick<Bar, 'label' | 'start' | 'end'> => ({ label, start, end });

/** What lies below the attempts of a pipeline; a loop, and a step without a tool, have none. */
function headBar(head: Span, attempts: readonly Span[]): Bar {
  const works = head.kind !== 'more' && attempts.some(({ work }) => work === head.work);
  return { ...spanOf(head), sort: works ? 'idle' : sortOf(head) };
}

function sortOf({ status }: Span): Bar['sort'] {
  if (status === 'failed') return 'failed';
  if (status === 'dropped' || status === 'skipped') return 'dropped';
  if (status === 'done') return 'ok';
  return status === 'running' ? 'running' : 'idle';
}

/** A task that waits is not at work. */
function withoutWaits(attempt: Span, waits: readonly Span[]): readonly Bar[] {
  const sort = attempt.status === 'waiting' ? 'running' : sortOf(attempt);
  const inside = waits.filter(({ work, label, for: reason }) => {
    return reason !== 'retry' && work === attempt.work && label === `${attempt.label}: ${reason}`;
  });
  const bars: Bar[] = [];
  let start = attempt.start;
  for (const wait of inside) {
    if (wait.start > start) bars.push({ sort, label: attempt.label, start, end: wait.start });
    if (wait.end === undefined) return bars;
    start = wait.end;
  }
  if (inside.length === 0 || attempt.end === undefined || start < attempt.end) {
    bars.push({ sort, label: attempt.label, start, end: attempt.end });
  }
  return bars;
}

/** `3/3, 1 failed`, `skipped: denied`, `2 retries, waited 3.0 s`, `waits for approval` */
function noteOf({ loop, kind, reason }: Span, lane: readonly Span[]): string {
  if (kind === 'skip') return reason === undefined ? 'skipped' : `skipped: ${reason}`;
  if (loop !== undefined) {
    const { total, ok, failed, in_flight } = loop;
    const parts = [
      `${grouped(ok + failed)}/${grouped(total)}`,
      ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
      ...(in_flight === 0 ? [] : [`${grouped(in_flight)} in flight`]),
    ];
    return parts.join(', ');
  }
  if (kind === 'more') return '';
  const retries = lane.filter(({ attempt = 1 }) => attempt > 1).length;
  const open = lane.find((span) => span.kind === 'wait' && span.end === undefined);
  const waited = lane.filter((span) => span.kind === 'wait' && span.end !== undefined);
  const time = waited.reduce((sum, { start, end = start }) => sum + end - start, 0);
  const parts = [
    ...(retries > 0 ? [things(retries, 'retry', 'retries')] : []),
    ...(open === undefined ? [] : [`waits for ${open.for === 'retry' ? 'a retry' : open.for}`]),
    ...(time === 0 ? [] : [`waited ${duration(time)}`]),
  ];
  return parts.join(', ');
}
