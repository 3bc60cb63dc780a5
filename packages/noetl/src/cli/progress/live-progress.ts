import type { Clock } from '../../ports/clock.ts';
import { type Line, type Part, tinted } from '../views/line.ts';
import type { Places } from '../views/places.ts';
import { activeRows } from './active-rows.ts';
import type { Board } from './board.ts';
import type { Note } from './note.ts';
import { doneText, noteLine } from './note-line.ts';
import { createScreen } from './screen.ts';
import type { Progress } from './watching.ts';

export interface LiveOptions {
  readonly board: Board;
  readonly places: Places;
  readonly clock: Clock;
  readonly color: boolean;
  columns(): number;
  write(text: string): void;
}

/** Between two drawings after news, and between two that only let the clock go on. */
const FRAME = 100;
const TICK = 1000;

/** Draws at most ten times a second, however much happens in between. */
export function liveProgress({ board, places, clock, color, columns, write }: LiveOptions): Progress {
  const screen = createScreen({ color, columns, write });
  let staying: Line[] = [];
  let drawnAt = Number.NEGATIVE_INFINITY;
  let due: { readonly at: number; readonly cancel: () => void } | undefined;

  function drawBy(at: number): void {
    if (due !== undefined && due.at <= at) return;
    due?.cancel();
    due = { at, cancel: clock.at(at, draw) };
  }

  function draw(): void {
    due = undefined;
    drawnAt = clock.now();
    screen.draw(staying, activeRows(board, drawnAt, screen.width()));
    staying = [];
    if (board.active.size > 0) drawBy(drawnAt + TICK);
  }

  return {
    recall(events) {
      const now = clock.now();
      board.recall(events, now);
      drawBy(now);
    },
    events(events) {
      const now = clock.now();
      for (const event of events) {
        for (const note of board.take(event, now)) {
          const line = stayingLine(note, places, now);
          if (line !== undefined) staying.push(line);
        }
      }
      if (events.length > 0) drawBy(Math.max(now, drawnAt + FRAME));
    },
    say(text) {
      staying.push([text]);
      drawBy(clock.now());
    },
    close() {
      due?.cancel();
      screen.draw(staying, []);
      staying = [];
    },
  };
}

/** What stays on the screen when it is over; the rest is seen among what is under way. */
function stayingLine(note: Note, places: Places, now: number): Line | undefined {
  const said = (mark: Part): Line => [mark, tinted('bold', note.name), ' ', ...noteLine(note, places, now)];
  switch (note.kind) {
    case 'scheduled':
    case 'loop':
    case 'progress':
    case 'hushed':
    case 'retry':
    case 'waiting':
    case 'resumed':
      return undefined;
    case 'done':
      return [tinted('green', '✓ '), note.name, tinted('dim', ` ${doneText(note.ms, note.retries, note.stats)}`)];
    case 'failed':
    case 'loop-failed':
      return said(tinted('red', '✗ '));
    case 'skipped':
      return said(tinted('dim', '– '));
    case 'handled':
      return said(tinted('yellow', '→ '));
    case 'ended':
      return said(note.end.status === 'success' ? tinted('green', '✓ ') : tinted('red', '✗ '));
    default:
      return said('  ');
  }
}
