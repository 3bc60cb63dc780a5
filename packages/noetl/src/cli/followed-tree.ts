import { setMaxListeners } from 'node:events';
import type { ExecutionEvent } from '@noetl/engine';
import type { NoetlClient } from '../client/client.ts';
import { ServerProblem } from '../client/server-error.ts';
import { createEnds, type ExecutionEnd } from '../server/ends.ts';
import { createSettling, type Settling } from '../server/settling.ts';
import { pause } from './pause.ts';
import { systemClock } from './system-clock.ts';

/** Executions of a server, told about as they go on: those that are followed, and those that they call. */
export interface FollowedTree {
  /** Tells what happens from a position on, until it is over. */
  follow(execution: string, after: number): void;
  /** The end of an execution of which everything is known. */
  ended(execution: string, end: ExecutionEnd): void;
  /** The end of an execution, once also those that it waited for have told everything. */
  over(execution: string): Promise<ExecutionEnd>;
  /** How many executions that were called are not over. */
  underWay(): number;
  settled: Settling['settled'];
  close(): Promise<void>;
}

/** So many connections are kept for what is called; further children are told about when one is free. */
const CONNECTIONS = 32;
/** A child is announced before it is there: how soon it is looked for again, in milliseconds. */
const PAUSE = 100;
/** What was called and not waited for to the end, as its caller failed, is told about no longer than this, in milliseconds. */
const LATE = 2_000;

interface Called {
  readonly execution: string;
  readonly after: number;
  /** The task that called it, and the execution which that belongs to. */
  readonly by: { readonly task: string | undefined; readonly execution: string } | undefined;
  /** Whether the task waits for it. */
  readonly awaited: boolean;
  /** Whether it may still come, if it is not there yet: not once the call is answered. */
  expected: boolean;
}

export function followTree(
  { live }: Pick<NoetlClient['executions'], 'live'>,
  committed: (events: readonly ExecutionEvent[]) => void,
): FollowedTree {
  const stop = new AbortController();
  // Each that is followed listens to it; Node takes more than ten for a leak, and would say so to the user.
  setMaxListeners(2 * CONNECTIONS, stop.signal);
  const ends = createEnds();
  /** Those that are not over. */
  const called = new Map<string, Called>();
  const queue: Called[] = [];
  let open = 0;
  const settling = createSettling(() => called.size);
  let someEnded = (): void => undefined;

  function add(child: Called): void {
    if (called.has(child.execution)) return;
    called.set(child.execution, child);
    queue.push(child);
    tellNext();
  }

  function note(event: ExecutionEvent): void {
    const { execution_id: execution, task_run_id: task } = event;
    if (event.name === 'task.waiting' && event.payload.child !== undefined) {
      const { execution_id, wait } = event.payload.child;
      add({ execution: execution_id, after: 0, by: { task, execution }, awaited: wait, expected: true });
    }
    if (event.name !== 'task.resumed' && event.name !== 'playbook.processed') return;
    for (const child of called.values()) {
      const isEnd = event.name === 'playbook.processed' && child.by?.execution === execution;
      if (isEnd || (child.by !== undefined && child.by.task === task)) child.expected = false;
    }
  }

  function tellNext(): void {
    for (let child = queue[0]; child !== undefined && open < CONNECTIONS; child = queue[0]) {
      queue.shift();
      open += 1;
      void tellCalled(child);
    }
  }

  async function tellCalled(child: Called): Promise<void> {
    try {
      for (let comes = true; comes && !stop.signal.aborted; await pause(PAUSE)) {
        comes = child.expected;
        if ((await tell(child.execution, child.after)) !== 'unknown') break;
      }
    } catch (error) {
      settling.givenUp(error);
    } finally {
      open -= 1;
      called.delete(child.execution);
      someEnded();
      settling.look();
      tellNext();
    }
  }

  /** Up to the end of the execution, or until nobody wants to know. */
  async function tell(execution: string, after: number): Promise<ExecutionEnd | 'unknown' | undefined> {
    try {
      for await (const event of live(execution, { after, signal: stop.signal })) {
        committed([event]);
        note(event);
        if (event.name === 'playbook.processed') return event.payload;
      }
      return undefined;
    } catch (error) {
      if (error instanceof ServerProblem && error.status === 404) return 'unknown';
      throw error;
    }
  }

  /** What was waited for is over, and has told everything, or is late. */
  async function awaitedTold(): Promise<void> {
    let isLate = false;
    const forget = systemClock.at(systemClock.now() + LATE, () => {
      isLate = true;
      someEnded();
    });
    while (!isLate && [...called.values()].some(({ awaited }) => awaited)) {
      await new Promise<void>((resolve) => {
        someEnded = resolve;
      });
    }
    forget();
  }

  async function followRoot(execution: string, after: number): Promise<void> {
    try {
      const end = await tell(execution, after);
      if (end === 'unknown') throw new Error(`the server does not know the execution '${execution}' any more.`);
      await awaitedTold();
      if (end !== undefined) ends.reached(execution, end);
    } catch (error) {
      ends.failed(execution, error);
    }
  }

  return {
    follow(execution, after) {
      if (ends.isAwaited(execution)) void followRoot(execution, after);
      else add({ execution, after, by: undefined, awaited: false, expected: false });
    },
    ended: ends.reached,
    over: ends.wait,
    underWay: () => called.size,
    settled: settling.settled,
    async close() {
      stop.abort();
    },
  };
}
