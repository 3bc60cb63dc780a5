import { failure, type KnownValues, type Tagged, type WorkerEvent } from '@noetl/engine';
import { persistently } from '../persistently.ts';
import type { Clock } from '../ports/clock.ts';
import type { Keep } from '../ports/keep.ts';
import type { ResultSink } from '../ports/result-store.ts';
import type { ToolAnswer, ToolCall } from '../tools/define-tool.ts';
import { runWork } from './run-work.ts';
import { ServerAway } from './server-calls.ts';
import type { WorkSecrets } from './work-secrets.ts';

/** Where a worker gets its work, and tells what became of it; in the process, or a server somewhere else. */
interface WorkSource<Assigned extends WorkItem> {
  claim(max: number, signal: AbortSignal): Promise<readonly Assigned[]>;
  report(work: Assigned, events: readonly WorkerEvent[]): Promise<boolean>;
  release(work: Assigned, failed?: ReturnType<typeof failure>): void;
  /** What was done cannot be told: nobody takes the reports. */
  abandon(work: Assigned, reason: unknown): void;
}

type WorkItem = {
  readonly plan: Parameters<typeof runWork>[0];
  readonly assignment: Parameters<typeof runWork>[1];
  readonly isSuspect?: boolean;
  isStopped(): boolean;
  readonly signal: AbortSignal;
};

export interface WorkerOptions<Assigned extends WorkItem> {
  /** The name under which it is known. */
  readonly name: string;
  readonly source: WorkSource<Assigned>;
  readonly clock: Clock;
  /** Where what the work gives is kept. */
  resultsOf(work: Assigned): ResultSink;
  /** How many pipelines run at a time. */
  readonly slots: number;
  call(call: ToolCall, work: Assigned, keep: Keep): Promise<ToolAnswer>;
  load(tags: readonly Tagged[], work: Assigned): Promise<KnownValues>;
  secretsOf(work: Assigned): WorkSecrets;
}

/** Takes work as long as there are free slots, until the signal is aborted; then lets what runs come to its end. */
export async function runWorker<Assigned extends WorkItem>(
  options: WorkerOptions<Assigned>,
  signal: AbortSignal,
): Promise<void> {
  const { source, slots } = options;
  let running = 0;
  let freed: () => void = () => undefined;
  const slotFreed = (): Promise<void> =>
    new Promise((resolve) => {
      freed = resolve;
    });
  const end = (): void => {
    running -= 1;
    freed();
  };
  while (!signal.aborted) {
    if (running >= slots) {
      await slotFreed();
      continue;
    }
    for (const work of await source.claim(slots - running, signal)) {
      running += 1;
      void runOne(options, work).then(end);
    }
  }
  while (running > 0) await slotFreed();
}

async function runOne<Assigned extends WorkItem>(options: WorkerOptions<Assigned>, work: Assigned): Promise<void> {
  const { source, clock, load } = options;
  let broken: { readonly reason: unknown } | undefined;
  /** A store may need a while to recover; if it does not, that is no failure of the work. Undefined if it must stop. */
  const insist = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await persistently(action, work.isStopped, clock);
    } catch (reason) {
      broken = { reason };
      throw reason;
    }
  };
  const fetched = async <T>(action: () => Promise<T>): Promise<T> => {
    const value = await insist(action);
    if (value === undefined) throw new Error('the work must stop.');
    return value;
  };
  try {
    await runWork(work.plan, work.assignment, {
      worker: options.name,
      clock,
      results: insisting(options.resultsOf(work), fetched, (reason) => {
        broken = { reason };
      }),
      load: (tags) => fetched(() => load(tags, work)),
      secrets: options.secretsOf(work),
      lease: work,
      async call(call, keep) {
        const answer = await options.call(call, work, keep);
        // Where the server was away, what the tool gave is nowhere: that is no failure of the task.
        if (broken !== undefined) throw broken.reason;
        return answer;
      },
      // What was done must be told: the work ends only when the report is taken, or the work must stop anyway.
      report: async (events) => (await insist(() => source.report(work, events))) ?? false,
    });
    source.release(work);
  } catch (error) {
    if (broken !== undefined) {
      source.abandon(work, broken.reason);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    source.release(work, failure('worker.failed', `the worker could not go on: ${message}`));
  }
}

/** Tries again to put what a store does not take at once. Pieces come but once: without a server the work cannot go on here. */
function insisting(
  results: ResultSink,
  fetched: <T>(action: () => Promise<T>) => Promise<T>,
  cutOff: (reason: ServerAway) => void,
): ResultSink {
  const { named } = results;
  const put: ResultSink['put'] = (value) => fetched(() => results.put(value));
  const putPieces: ResultSink['putPieces'] = (pieces, hint) =>
    results.putPieces(pieces, hint).catch((error) => {
      if (error instanceof ServerAway) cutOff(error);
      throw error;
    });
  if (named === undefined) return { ...results, put, putPieces };
  return {
    ...results,
    put,
    putPieces,
    named: (store) => {
      const found = named(store);
      return 'problem' in found ? found : insisting(found, fetched, cutOff);
    },
  };
}
