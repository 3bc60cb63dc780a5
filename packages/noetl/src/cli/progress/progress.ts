import type { ExecutionEvent } from '@noetl/engine';
import type { Playbook } from '@noetl/playbook';
import type { Clock } from '../../ports/clock.ts';
import type { Terminal } from '../terminal.ts';
import { eventListJson } from '../views/event-list.ts';
import { placesOf } from '../views/places.ts';
import { createBoard } from './board.ts';
import { createCalledWaits } from './called-waits.ts';
import { liveProgress } from './live-progress.ts';
import { plainProgress } from './plain-progress.ts';
import type { Progress } from './watching.ts';

export type { Progress } from './watching.ts';

/**
 *   live   lines that stay, and what is under way below them; for a terminal
 *   plain  a line for whatever is worth one; for logs
 *   json   every event as it is stored, on standard output
 *   quiet  nothing
 */
export type ProgressMode = 'live' | 'plain' | 'json' | 'quiet';

export interface ProgressOptions {
  readonly terminal: Pick<Terminal, 'print' | 'complain' | 'columns'>;
  /** Of other executions, such as children, only what they ask of people is told. */
  readonly execution: string;
  readonly playbook: Playbook;
  /** What the user calls it. */
  readonly file: string;
  /** `--data`, as the user gave it. */
  readonly data: string | undefined;
  readonly mode: ProgressMode;
  /** Whether standard error, where `live` and `plain` write, may have colours. */
  readonly color: boolean;
  readonly clock: Clock;
}

export function createProgress(options: ProgressOptions): Progress {
  const { execution, mode, data, clock } = options;
  const progress = progressOf(options);
  const own = (events: readonly ExecutionEvent[]): readonly ExecutionEvent[] =>
    events.every(({ execution_id }) => execution_id === execution)
      ? events
      : events.filter(({ execution_id }) => execution_id === execution);
  const asking = mode === 'live' || mode === 'plain' ? createCalledWaits(execution, data, clock) : undefined;
  let closed = false;
  return {
    recall: (events) => progress.recall(own(events)),
    events(events) {
      // What runs may still report while it is stopped.
      if (closed) return;
      progress.events(own(events));
      if (asking !== undefined)
        for (const { at, text } of asking(events)) progress.say(mode === 'plain' ? `${at} ${text}` : text);
    },
    say(text) {
      if (!closed) progress.say(text);
    },
    close() {
      if (!closed) progress.close();
      closed = true;
    },
  };
}

/** A terminal that was never told its size says 0. */
const UNKNOWN_WIDTH = 80;

function progressOf({ terminal, playbook, file, data, mode, color, clock }: ProgressOptions): Progress {
  const write = (text: string) => terminal.complain(text);
  const places = placesOf(playbook, file);
  const board = createBoard(playbook, data);
  switch (mode) {
    case 'live':
      return liveProgress({ board, places, clock, color, columns: () => terminal.columns || UNKNOWN_WIDTH, write });
    case 'plain':
      return plainProgress({ board, places, clock, color, write });
    case 'json':
      return {
        ...SILENT,
        events: (events) => terminal.print(eventListJson(events)),
        say: (text) => write(`${text}\n`),
      };
    case 'quiet':
      return SILENT;
  }
}

const SILENT: Progress = {
  recall: () => undefined,
  events: () => undefined,
  say: () => undefined,
  close: () => undefined,
};
