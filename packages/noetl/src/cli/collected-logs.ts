import type { Clock } from '../ports/clock.ts';

export interface CollectedLogs<Line> {
  add(line: Line): void;
  flush(): Promise<void>;
}

/** How long lines that tools print are collected, in milliseconds. */
const LOG_DELAY = 100;

/** Lines are kept in groups; what cannot be kept is no reason to stop the work that printed it. */
export function collectedLogs<Line>(
  append: (lines: readonly Line[]) => Promise<void>,
  clock: Clock,
): CollectedLogs<Line> {
  let lines: Line[] = [];
  let kept = Promise.resolve();
  let waiting = false;
  const flush = (): Promise<void> => {
    waiting = false;
    const group = lines;
    lines = [];
    if (group.length > 0) kept = kept.then(() => append(group)).catch(() => undefined);
    return kept;
  };
  return {
    add(line) {
      lines.push(line);
      if (waiting) return;
      waiting = true;
      clock.at(clock.now() + LOG_DELAY, () => void flush());
    },
    flush,
  };
}
