import type { ExecutionEvent, ExecutionState } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { EventLog } from '../ports/event-log.ts';
import { StoreError } from '../ports/store-error.ts';
import { createExecutionSpans, type ExecutionSpans } from './execution-spans.ts';
import type { TraceSpan } from './span.ts';

export interface TracerOptions {
  readonly log: Pick<EventLog, 'read'>;
  readonly clock: Clock;
  ended(span: TraceSpan): void;
  /** The beginning of an execution cannot be read: it has no spans from here on. */
  unreadable(execution: string, error: unknown): void;
}

/** Makes spans of what is committed. */
export interface Tracer {
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
  /** Nothing is read any more. */
  close(): Promise<void>;
}

interface Followed {
  readonly spans: ExecutionSpans;
  /** The seq that is folded next. */
  next: number;
  /** The newest that was committed. */
  newest: number;
  /** What ended before this was given out by who drove the execution then. */
  readonly from: number;
  /** Whether it is caught up with from the log. */
  behind: boolean;
}

/** How many executions are remembered. One that is not is read again from its log. */
const MOST_FOLLOWED = 20_000;
const PAGE = 500;
/** Milliseconds between two pages: a long log is read beside everything else. */
const BREATH = 5;

/**
 * Follows the executions of a process. One that goes on here, after a restart or a takeover, is read from its log first, so
 * that its spans begin when they began, wherever that was.
 */
export function createTracer({ log, clock, ended, unreadable }: TracerOptions): Tracer {
  const followed = new Map<string, Followed>();
  let reading: Promise<void> = Promise.resolve();
  let closed = false;

  function follow(execution: string, first: number): Followed {
    const [oldest] = followed.keys();
    if (followed.size >= MOST_FOLLOWED && oldest !== undefined) followed.delete(oldest);
    const entry: Followed = {
      spans: createExecutionSpans((span) => {
        if (entry.next >= entry.from) ended(span);
      }),
      next: 1,
      newest: 0,
      from: first,
      behind: first > 1,
    };
    followed.set(execution, entry);
    if (entry.behind) reading = reading.then(() => catchUp(execution, entry));
    return entry;
  }

  function take(execution: string, entry: Followed, events: readonly ExecutionEvent[]): void {
    for (const event of events) {
      if (event.seq !== entry.next) continue;
      entry.spans.take(event);
      entry.next += 1;
      if (event.name === 'playbook.processed') followed.delete(execution);
    }
  }

  async function catchUp(execution: string, entry: Followed): Promise<void> {
    try {
      while (entry.next <= entry.newest && !closed && followed.get(execution) === entry) {
        const page = await log.read(execution, entry.next - 1, PAGE);
        if (page.length === 0) throw new Error('its log ends before what was told of it.');
        // The log may be ahead of what was told, which then comes once more.
        take(
          execution,
          entry,
          page.filter(({ seq }) => seq <= entry.newest),
        );
        if (entry.next <= entry.newest) await breath();
      }
      entry.behind = false;
    } catch (error) {
      // Stays behind: nothing of it is read again with every event.
      const isOver = closed || (error instanceof StoreError && error.code === 'NOETL_STORE_CLOSED');
      if (!isOver) unreadable(execution, error);
    }
  }

  const breath = (): Promise<void> => new Promise((resolve) => clock.at(clock.now() + BREATH, resolve));

  return {
    committed(events, { request }) {
      const [first] = events;
      if (first === undefined || request.traced !== true) return;
      const execution = first.execution_id;
      const known = followed.get(execution);
      // What is missing in between was driven elsewhere.
      const goesOn = known !== undefined && first.seq <= (known.behind ? known.newest + 1 : known.next);
      const entry = goesOn ? known : follow(execution, first.seq);
      entry.newest = events.at(-1)?.seq ?? entry.newest;
      if (!entry.behind) take(execution, entry, events);
    },
    async close() {
      closed = true;
      await reading;
    },
  };
}
