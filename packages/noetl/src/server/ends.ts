import type { Payload } from '@noetl/engine';
import type { EventLog } from '../ports/event-log.ts';

export type ExecutionEnd = Payload<'playbook.processed'>;

/** Who waits for the ends of which executions. Of an end that nobody waits for nothing is kept: the log knows it. */
export interface Ends {
  /** The end of an execution that has not ended yet. */
  wait(id: string): Promise<ExecutionEnd>;
  isAwaited(id: string): boolean;
  reached(id: string, end: ExecutionEnd): void;
  /** It will not end in this process. */
  failed(id: string, reason: unknown): void;
  allFailed(reason: unknown): void;
  /** It will never end, as it has not begun; who waited gets no answer. */
  forget(id: string): void;
}

interface End {
  readonly promise: Promise<ExecutionEnd>;
  readonly resolve: (end: ExecutionEnd) => void;
  readonly reject: (reason: unknown) => void;
}

export function createEnds(): Ends {
  const awaited = new Map<string, End>();

  function take(id: string): End | undefined {
    const end = awaited.get(id);
    awaited.delete(id);
    return end;
  }

  return {
    wait(id) {
      const end = awaited.get(id) ?? newEnd();
      awaited.set(id, end);
      return end.promise;
    },
    isAwaited: (id) => awaited.has(id),
    reached: (id, end) => take(id)?.resolve(end),
    failed: (id, reason) => take(id)?.reject(reason),
    allFailed: (reason) => {
      for (const id of [...awaited.keys()]) take(id)?.reject(reason);
    },
    forget: (id) => void take(id),
  };
}

function newEnd(): End {
  let resolve: End['resolve'] = () => undefined;
  let reject: End['reject'] = () => undefined;
  const promise = new Promise<ExecutionEnd>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  // Who waits may have a reason not to look any more.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** How an execution of the log ended; undefined if it has not. */
export async function endInLog(id: string, log: EventLog): Promise<ExecutionEnd | undefined> {
  const position = await log.position(id);
  const [last] = position === 0 ? [] : await log.read(id, position - 1, 1);
  return last?.name === 'playbook.processed' ? last.payload : undefined;
}
