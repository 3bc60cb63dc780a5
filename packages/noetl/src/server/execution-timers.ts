import type { Instant } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';

/** What the clock is to call back about, by execution; nothing is kept of a timer that was due or is not wanted. */
export interface ExecutionTimers {
  set(id: string, at: Instant, due: () => void): void;
  cancelOf(id: string): void;
  cancelAll(): void;
}

export function createExecutionTimers(clock: Clock): ExecutionTimers {
  const timers = new Map<string, Set<() => void>>();

  function drop(id: string, cancel: () => void): void {
    const ofExecution = timers.get(id);
    ofExecution?.delete(cancel);
    if (ofExecution?.size === 0) timers.delete(id);
  }

  function cancelOf(id: string): void {
    for (const cancel of timers.get(id) ?? []) cancel();
    timers.delete(id);
  }

  return {
    set(id, at, due) {
      const cancel = clock.at(at, () => {
        drop(id, cancel);
        due();
      });
      const ofExecution = timers.get(id) ?? new Set();
      timers.set(id, ofExecution.add(cancel));
    },
    cancelOf,
    cancelAll() {
      for (const id of [...timers.keys()]) cancelOf(id);
    },
  };
}
