import { createMeter, type Meter } from './meter.ts';

/** How far the loops of a step run are: its own, and those inside its iterations together. */
export interface LoopCount {
  readonly total: number;
  ok: number;
  failed: number;
  inFlight: number;
  /** Undefined where the iterations run pipelines. */
  readonly inner: InnerCount | undefined;
  readonly meter: Meter;
  /** When and at which count it was last told. */
  told: { readonly at: number; readonly ended: number };
}

interface InnerCount {
  /** Inner loops that were opened, and their items. */
  opened: number;
  total: number;
  ended: number;
  failed: number;
  inFlight: number;
}

export function newLoop(total: number, nested: boolean, now: number): LoopCount {
  const inner = nested ? { opened: 0, total: 0, ended: 0, failed: 0, inFlight: 0 } : undefined;
  return { total, ok: 0, failed: 0, inFlight: 0, inner, meter: createMeter(now), told: { at: now, ended: 0 } };
}

export function countInnerLoop({ inner }: LoopCount, total: number, scheduled: number): void {
  if (inner === undefined) return;
  inner.opened += 1;
  inner.total += total;
  inner.inFlight += scheduled;
}

/** Iterations of the loop, or of its inner ones, that are in flight from now on; negative for those that end unbegun. */
export function countScheduled(loop: LoopCount, isInner: boolean, count: number): void {
  const counted = isInner ? loop.inner : loop;
  if (counted !== undefined) counted.inFlight += count;
}

export function countEnded(loop: LoopCount, isInner: boolean, ok: boolean): void {
  countScheduled(loop, isInner, -1);
  if (!isInner) loop[ok ? 'ok' : 'failed'] += 1;
  else if (loop.inner !== undefined) {
    loop.inner.ended += 1;
    loop.inner.failed += ok ? 0 : 1;
  }
}

/** Pipelines that are over: iterations of the loop, or of its inner loops. */
export const endedIn = ({ ok, failed, inner }: LoopCount): number => inner?.ended ?? ok + failed;

/** Pipelines that there will be, as far as the opened inner loops tell. */
function expectedIn({ total, inner }: LoopCount): number | undefined {
  if (inner === undefined) return total;
  return inner.opened === 0 ? undefined : Math.max(inner.total, (inner.total / inner.opened) * total);
}

export interface LoopPace {
  /** Pipelines per second. */
  readonly rate: number;
  /** Milliseconds, if it goes on like this. */
  readonly remaining: number | undefined;
}

/** Undefined as long as there is too little to tell. */
export function paceOf(loop: LoopCount, now: number): LoopPace | undefined {
  const ended = endedIn(loop);
  const rate = loop.meter.rate(ended, now);
  if (rate === undefined || rate === 0) return undefined;
  const left = (expectedIn(loop) ?? 0) - ended;
  return { rate, remaining: left > 0 ? (left * 1000) / rate : undefined };
}

const LEAST_PAUSE = 1000;
const LONGEST_SILENCE = 30_000;

/** Whether lines about a loop are due: a tenth more is over, or nothing was said for long; never twice in a second. */
export function isWorthTelling(loop: LoopCount, now: number): boolean {
  const silence = now - loop.told.at;
  if (silence < LEAST_PAUSE) return false;
  const ended = loop.ok + loop.failed;
  // The end of the loop has a line of its own.
  if (ended >= loop.total) return false;
  return silence >= LONGEST_SILENCE || (ended - loop.told.ended) * 10 >= loop.total;
}
