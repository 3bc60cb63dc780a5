import type { Clock } from '../ports/clock.ts';
import type { Sent } from './otlp-sender.ts';
import type { TraceSpan } from './span.ts';

export interface SpanQueueOptions {
  readonly clock: Clock;
  /** How many spans may wait; more are dropped. */
  readonly most: number;
  /** How many go in one request. */
  readonly batch: number;
  /** How long spans are collected, in milliseconds. */
  readonly delay: number;
  send(spans: readonly TraceSpan[], signal: AbortSignal): Promise<Sent>;
  /** Told once when spans cannot be sent, and once when they can be again. */
  trouble(why: string | undefined): void;
}

export interface SpanCounts {
  readonly sent: number;
  /** There was no room for them, or nobody to take them. */
  readonly dropped: number;
  /** The receiver would not have them. */
  readonly refused: number;
}

/** Spans on their way out. Nobody waits for them: what cannot be sent in time is dropped, and counted. */
export interface SpanQueue {
  add(span: TraceSpan): void;
  counts(): SpanCounts;
  /** Sends what there is, for so many milliseconds at most; the rest is dropped. */
  close(most: number): Promise<void>;
}

/** A batch that is refused so often is dropped. */
const MOST_TRIES = 6;
/** How long it is waited after a failure, in milliseconds, doubling. */
const FIRST_PAUSE = 1_000;
const LAST_PAUSE = 30_000;

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { clock, most, batch, delay } = options;
  const waiting: TraceSpan[] = [];
  /** The request under way, or the wait for the next try of it. */
  let sending: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let hurry = (): void => undefined;
  let abort = (): void => undefined;
  let closing = false;
  let troubled = false;
  const counts = { sent: 0, dropped: 0, refused: 0 };

  function tell(why: string | undefined): void {
    if (troubled === (why !== undefined)) return;
    troubled = why !== undefined;
    options.trouble(why);
  }

  function drop(count: number, why: string): void {
    counts.dropped += count;
    tell(why);
  }

  function look(): void {
    if (sending !== undefined || waiting.length === 0) return;
    if (waiting.length < batch && !closing) {
      cancel ??= clock.at(clock.now() + delay, flush);
      return;
    }
    flush();
  }

  function flush(): void {
    cancel?.();
    cancel = undefined;
    if (sending !== undefined || waiting.length === 0) return;
    const spans = waiting.splice(0, batch);
    sending = carry(spans).finally(() => {
      sending = undefined;
      look();
    });
  }

  async function carry(spans: readonly TraceSpan[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const under = new AbortController();
      abort = () => under.abort();
      const sent = await options.send(spans, under.signal);
      if (sent.kind === 'taken') {
        // Whatever the receiver says, it can reject no more than it was sent.
        const rejected = Math.min(Math.max(sent.rejected, 0), spans.length);
        counts.sent += spans.length - rejected;
        counts.refused += rejected;
        tell(rejected === 0 ? undefined : `it rejects ${rejected} of ${spans.length} spans: ${sent.why}`);
        return;
      }
      if (sent.kind === 'refused') {
        counts.refused += spans.length;
        tell(sent.why);
        return;
      }
      if (tries === MOST_TRIES || closing) {
        // Nobody waits for a receiver that is away.
        const rest = closing ? waiting.splice(0).length : 0;
        drop(spans.length + rest, sent.why);
        return;
      }
      tell(sent.why);
      await pause(Math.max(sent.after, Math.min(FIRST_PAUSE * 2 ** (tries - 1), LAST_PAUSE)));
    }
  }

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const forget = clock.at(clock.now() + milliseconds, resolve);
      hurry = () => {
        forget();
        resolve();
      };
    });

  return {
    add(span) {
      if (waiting.length >= most) drop(1, `more than ${most} spans wait to be sent`);
      else waiting.push(span);
      look();
    },
    counts: () => counts,
    async close(longest) {
      closing = true;
      const forget = clock.at(clock.now() + longest, () => {
        drop(waiting.splice(0).length, 'it is too slow for what is left at the end');
        abort();
      });
      hurry();
      look();
      while (sending !== undefined) await sending;
      forget();
    },
  };
}
