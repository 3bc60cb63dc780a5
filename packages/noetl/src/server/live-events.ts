import type { Clock } from '../ports/clock.ts';
import type { Doorbell } from '../ports/doorbell.ts';
import type { EventLog } from '../ports/event-log.ts';

interface LiveOptions {
  readonly execution: string;
  readonly after: number;
  readonly log: Pick<EventLog, 'read'>;
  /** Rung with the id of an execution when something was appended to it here. */
  readonly doorbell: Doorbell;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How many events are read at first, and at most. */
const FIRST = 16;
const MOST = 200;
/** Characters that are sent at once, more or less: of events that are large, few are read, since nobody may ever take them. */
const PIECE = 128 * 1024;
/** What another process appends rings nowhere here: so often it is looked for, in milliseconds. */
const LOOK = 500;
/** Looks without news after which a sign of life is sent, so that nobody between takes the connection for dead. */
const SILENCE = 30;

/** The events of an execution as server-sent events, up to its last, whoever drives it. */
export async function* liveEvents(options: LiveOptions): AsyncGenerator<string> {
  const { execution, log, signal } = options;
  let silent = 0;
  let page = FIRST;
  for (let position = options.after; !signal.aborted; ) {
    const next = nextLook(options);
    const events = await log.read(execution, position, page);
    if (events.length > 0) {
      const last = events.at(-1);
      const isOver = last?.name === 'playbook.processed';
      // Where there was room for more, there is none until it rings.
      if (events.length === page || isOver) next.forget();
      const text = events
        .map((event) => `id: ${event.seq}\nevent: ${event.name}\ndata: ${JSON.stringify(event)}\n\n`)
        .join('');
      page = Math.max(1, Math.min(MOST, 2 * page, Math.floor((PIECE * events.length) / text.length)));
      yield text;
      if (isOver) return;
      position = last?.seq ?? position;
      silent = 1;
    } else {
      silent = (silent + 1) % SILENCE;
      if (silent === 1) yield ': nothing new\n\n';
    }
    await next.come;
  }
}

/** Listens before the log is read: what is appended in between is not missed. */
function nextLook({ execution, doorbell, clock, signal }: LiveOptions): {
  readonly come: Promise<void>;
  forget(): void;
} {
  let forget = (): void => undefined;
  const come = new Promise<void>((resolve) => {
    const stopListening = doorbell.listen(execution, () => forget());
    const cancel = clock.at(clock.now() + LOOK, () => forget());
    forget = () => {
      stopListening();
      cancel();
      signal.removeEventListener('abort', forget);
      resolve();
    };
    signal.addEventListener('abort', forget, { once: true });
  });
  return { come, forget: () => forget() };
}
