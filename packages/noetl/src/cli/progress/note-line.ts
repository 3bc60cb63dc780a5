import type { Payload } from '@noetl/engine';
import { errorLine } from '../views/error-line.ts';
import { failureLine } from '../views/failure-line.ts';
import { placedError } from '../views/failure-place.ts';
import { type Line, type Part, tinted } from '../views/line.ts';
import type { Places } from '../views/places.ts';
import { duration, grouped, seconds, things } from '../views/quantity.ts';
import { visible } from '../views/visible.ts';
import { type LoopCount, paceOf } from './loop-count.ts';
import type { Note, Retry } from './note.ts';
import { waitLine } from './wait-text.ts';

/** What a note says, behind its name. */
export function noteLine(note: Note, places: Places, now: number): Line {
  switch (note.kind) {
    case 'requested':
      return [`execution ${visible(note.execution)} of ${visible(places.file)}`, forkText(note.origin)];
    case 'scheduled':
      return ['scheduled'];
    case 'loop':
      return [loopText(note.loop)];
    case 'progress':
      return [progressText(note.loop, now)];
    case 'done':
      return [tinted('green', 'done'), ` in ${doneText(note.ms, note.retries, note.stats)}`];
    case 'failed': {
      const took = note.ms === undefined ? '' : ` after ${duration(note.ms)}`;
      return [tinted('red', 'failed'), took, ' ', ...failureLine(note.failure, places)];
    }
    case 'loop-failed':
      return [tinted('red', 'failed'), ` after ${duration(note.ms)}, because ${note.cause} did`];
    case 'hushed':
      return [tinted('dim', `further iterations ${HUSHED[note.what] ?? ''} are counted, not told one by one`)];
    case 'handled':
      return [`the failure is handled, goes on with ${note.steps.map(visible).join(', ') || 'nothing'}`];
    case 'retry':
      return [tinted('yellow', retryText(note.retry)), reasonOf(note.retry)];
    case 'waiting':
      return [tinted('yellow', waitLine(note.wait, now))];
    case 'resumed':
      return [`goes on: ${RESUMED[note.by]}`];
    case 'skipped':
      return [
        tinted('dim', `skipped: ${SKIPPED[note.reason]}${note.when === undefined ? '' : ` by ${visible(note.when)}`}`),
      ];
    case 'signal':
      return [`signal received${note.by === null ? '' : ` from ${visible(note.by)}`}`];
    case 'control':
      return [
        tinted('yellow', note.what),
        note.reason === null ? '' : `: ${visible(note.reason)}`,
        note.lift === undefined ? '' : tinted('dim', ` (${note.lift})`),
      ];
    case 'ended':
      return endLine(note.end);
  }
}

const forkText = (origin: Extract<Note, { kind: 'requested' }>['origin']): string =>
  origin === undefined ? '' : `, forked from ${visible(origin.execution_id)} at event ${origin.seq}`;

const HUSHED: Partial<Record<Note['kind'], string>> = {
  failed: 'that fail',
  retry: 'that retry',
  waiting: 'that wait',
};

const RESUMED = {
  timer: 'the time has come',
  timeout: 'the wait took too long',
  signal: 'the signal came',
  child: 'the child execution answered',
} as const;

const SKIPPED = { 'admission.denied': 'not admitted', 'join.unmet': 'its join can no longer be met' } as const;

function loopText({ total, mode, max_in_flight }: Payload<'loop.started'>): string {
  const order = mode === 'sequential' ? 'one after another' : `${grouped(max_in_flight)} at a time`;
  return `loop over ${things(total, 'item')}, ${order}`;
}

/** `120/1,000 (12 %), 3 failed, 10 in flight, 115/s, 8 s left` */
export function progressText(loop: LoopCount, now: number): string {
  const { ok, failed, total, inFlight, inner } = loop;
  const ended = ok + failed;
  const percent = total === 0 ? 100 : Math.floor((ended * 100) / total);
  const pace = paceOf(loop, now);
  const parts = [
    `${grouped(ended)}/${grouped(total)} (${percent} %)`,
    inner !== undefined && `inner ${grouped(inner.ended)}/${grouped(inner.total)}`,
    failed + (inner?.failed ?? 0) > 0 && `${grouped(failed + (inner?.failed ?? 0))} failed`,
    `${grouped(inner?.inFlight ?? inFlight)} in flight`,
    pace !== undefined && rateText(pace.rate),
    pace?.remaining !== undefined && `${seconds(pace.remaining + 999)} left`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

const rateText = (rate: number): string =>
  rate >= 10
    ? `${grouped(Math.round(rate))}/s`
    : rate >= 0.1
      ? `${rate.toFixed(1)}/s`
      : `${(rate * 60).toFixed(1)}/min`;

/** `11.0 s, 1 retry` or `2.0 s, 3 items, 1 failed` */
export function doneText(ms: number, retries: number, stats: Payload<'loop.done'>['stats'] | undefined): string {
  const parts = [
    duration(ms),
    ...(stats === undefined ? [] : [things(stats.total, 'item')]),
    ...(stats === undefined || stats.failed === 0 ? [] : [`${grouped(stats.failed)} failed`]),
    ...(retries === 0 ? [] : [things(retries, 'retry', 'retries')]),
  ];
  return parts.join(', ');
}

function retryText({ attempt, of, seconds: pause }: Retry): string {
  const next = `attempt ${attempt + 1}${of === undefined ? '' : ` of ${of}`}`;
  return `attempt ${attempt} failed, ${next} ${pause === 0 ? 'at once' : `in ${duration(pause * 1000)}`}`;
}

const reasonOf = ({ error }: Retry): Part => (error === undefined ? '' : `: ${errorLine(error)}`);

const ENDS = { success: 'green', error: 'red', cancelled: 'yellow' } as const;
const END_WORDS = { success: 'done', error: 'failed', cancelled: 'cancelled' } as const;

/** `done in 32.0 s: 3 steps, 1 skipped, 7 tasks, 1 retry, 3 iterations, 1 failure` */
function endLine({ status, stats, error }: Payload<'playbook.processed'>): Line {
  const counted = [
    things(stats.step_runs, 'step run'),
    ...(stats.skipped === 0 ? [] : [`${grouped(stats.skipped)} skipped`]),
    things(stats.tasks, 'attempt'),
    ...(stats.retries === 0 ? [] : [things(stats.retries, 'retry', 'retries')]),
    ...(stats.iterations === 0 ? [] : [things(stats.iterations, 'iteration')]),
    ...(stats.failures === 0 ? [] : [things(stats.failures, 'failure')]),
  ];
  const cause = error === null ? '' : `; ${errorLine(placedError(error))}`;
  return [tinted(ENDS[status], END_WORDS[status]), ` in ${duration(stats.duration_ms)}: ${counted.join(', ')}${cause}`];
}
