import type { Clock } from '../../ports/clock.ts';
import { paint, tinted } from '../views/line.ts';
import type { Places } from '../views/places.ts';
import type { Board } from './board.ts';
import { noteLine } from './note-line.ts';
import type { Progress } from './watching.ts';

export interface PlainOptions {
  readonly board: Board;
  readonly places: Places;
  readonly clock: Clock;
  readonly color: boolean;
  write(text: string): void;
}

/**
 * One line for each note, in the order of the log and with the time of its event. A worker reports some of what happened
 * a moment later, so that the log has it behind newer events (EVT-1): such a line has the time of the one above.
 */
export function plainProgress({ board, places, clock, color, write }: PlainOptions): Progress {
  let last = '';
  return {
    recall: (events) => board.recall(events, clock.now()),
    events(events) {
      const now = clock.now();
      let text = '';
      for (const event of events) {
        for (const note of board.take(event, now)) {
          last = note.at > last ? note.at : last;
          text += `${paint([tinted('dim', last), ` ${note.name}: `, ...noteLine(note, places, now)], color)}\n`;
        }
      }
      if (text !== '') write(text);
    },
    say: (text) => write(`${text}\n`),
    close: () => undefined,
  };
}
