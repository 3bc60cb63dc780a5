import { type Work, workKey } from '@noetl/engine';

/** Work that may be leased, oldest first. It is a cache: what the log says is ready can always be put in again. */
export interface WorkQueue {
  /** Puts work in, unless it is there already. */
  add(execution: string, work: Work): void;
  /** Takes out up to `max`, waiting until there is some; none once the signal is aborted. */
  take(max: number, signal: AbortSignal): Promise<readonly QueuedWork[]>;
}

interface QueuedWork {
  readonly execution: string;
  readonly work: Work;
}

export function createWorkQueue(): WorkQueue {
  const queued = new Map<string, QueuedWork>();
  let wake: (() => void) | undefined;

  const rung = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        signal.removeEventListener('abort', wake as () => void);
        wake = undefined;
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
    });

  return {
    add(execution, work) {
      queued.set(`${execution} ${workKey(work)}`, { execution, work });
      wake?.();
    },
    async take(max, signal) {
      while (queued.size === 0 && !signal.aborted) await rung(signal);
      if (signal.aborted) return [];
      const taken: QueuedWork[] = [];
      for (const [key, work] of queued) {
        if (taken.length >= max) break;
        queued.delete(key);
        taken.push(work);
      }
      return taken;
    },
  };
}
