import type { EventOf, ExecutionEvent } from '@noetl/engine';
import type { EventLog } from '../../../ports/event-log.ts';
import type { StopSignal } from '../../machine.ts';
import { systemClock } from '../../system-clock.ts';

export interface Following {
  readonly log: Pick<EventLog, 'read'>;
  readonly execution: string;
  /** Events up to here are known. */
  readonly after: number;
  readonly stop: Promise<StopSignal>;
  take(events: readonly ExecutionEvent[]): void;
  /** Called now and then while nothing happens. */
  idle(): Promise<void>;
}

/** How soon something new is seen, in milliseconds. */
const POLL = 150;
const PAGE = 1_000;

/** Reads what is appended to a log as it comes, up to its last event, or until somebody wants to stop. */
export async function follow({
  log,
  execution,
  after,
  stop,
  take,
  idle,
}: Following): Promise<EventOf<'playbook.processed'> | StopSignal> {
  for (let position = after; ; ) {
    const events = await log.read(execution, position, PAGE);
    if (events.length > 0) take(events);
    const last = events.at(-1);
    if (last?.name === 'playbook.processed') return last;
    position = last?.seq ?? position;
    // Also behind a full page: who reads without a pause never hears that it should stop.
    const waited = await Promise.race([pause(events.length === PAGE ? 0 : POLL), stop]);
    if (waited !== undefined) return waited;
    if (events.length === 0) await idle();
  }
}

const pause = (ms: number): Promise<undefined> =>
  new Promise((resolve) => void systemClock.at(systemClock.now() + ms, () => resolve(undefined)));
