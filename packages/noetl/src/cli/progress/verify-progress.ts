import type { Terminal } from '../terminal.ts';
import { tinted } from '../views/line.ts';
import { grouped } from '../views/quantity.ts';
import { createMeter, type Meter } from './meter.ts';
import { createScreen, type Screen } from './screen.ts';

/** How far a verification is, for a person who watches; for nobody else. */
export interface VerifyProgress {
  begin(execution: string, events: number): void;
  seen(events: number): void;
  /** Takes the line away, so that something else can be written. */
  pause(): void;
  close(): void;
}

/** Milliseconds between two drawings. What takes less than one is not drawn at all. */
const PAUSE = 100;

export function createVerifyProgress(terminal: Terminal): VerifyProgress {
  if (!terminal.watched) return UNWATCHED;
  const screen: Screen = createScreen({
    color: terminal.watchedInColor,
    columns: () => terminal.columns,
    write: (text) => terminal.complain(text),
  });
  let [execution, total] = ['', 0];
  let meter: Meter = createMeter(terminal.elapsed());
  let drawn = terminal.elapsed();
  const pause = (): void => screen.draw([], []);
  return {
    begin(id, events) {
      [execution, total] = [id, events];
      meter = createMeter(terminal.elapsed());
      drawn = terminal.elapsed();
    },
    seen(events) {
      const now = terminal.elapsed();
      if (now - drawn < PAUSE) return;
      drawn = now;
      const rate = meter.rate(events, now);
      const pace = rate === undefined ? '' : `, ${grouped(Math.round(rate))}/s`;
      screen.draw(
        [],
        [[`verifying ${execution}: `, `${grouped(events)} of ${grouped(total)} events`, tinted('dim', pace)]],
      );
    },
    pause,
    close: pause,
  };
}

const UNWATCHED: VerifyProgress = {
  begin: () => undefined,
  seen: () => undefined,
  pause: () => undefined,
  close: () => undefined,
};
