import type { ExecutionEvent, ExecutionState } from '@noetl/engine';
import type { ForkBody } from '../api/executions.ts';
import type { NoetlClient } from '../client/client.ts';
import { ServerProblem } from '../client/server-error.ts';
import type { ExecutionEnd } from '../server/ends.ts';
import type { ForkRequest } from '../server/forks.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { LocalDriver } from './local-driver.ts';
import type { SourcedPlan } from './sourced-plan.ts';

/** A driver that lets a server drive, and tells what happens there. */
export function remoteDriver(
  { executions }: NoetlClient,
  committed: (events: readonly ExecutionEvent[], state?: ExecutionState) => void,
): LocalDriver {
  const stop = new AbortController();
  const ends = new Map<string, PromiseWithResolvers<ExecutionEnd>>();

  function endOf(id: string): PromiseWithResolvers<ExecutionEnd> {
    const known = ends.get(id) ?? withResolvers<ExecutionEnd>();
    ends.set(id, known);
    return known;
  }

  /** Tells what happens from a position on, until it is over. */
  function follow(id: string, after: number): void {
    const end = endOf(id);
    (async () => {
      for await (const event of executions.live(id, { after, signal: stop.signal })) {
        committed([event]);
        if (event.name === 'playbook.processed') end.resolve(event.payload);
      }
    })().catch(end.reject);
  }

  return {
    take: async () => true,
    async start({ path, version }, { execution_id, payload, traceparent }) {
      return answered(async () => {
        const { execution_id: id } = await executions.start(
          { path, ...(typeof version === 'number' ? { version } : {}), payload, execution_id },
          undefined,
          traceparent,
        );
        follow(id, 0);
      });
    },
    fork: (source, request) =>
      answered(async () => {
        await executions.fork(request.origin.execution_id, forkBody(source, request));
        follow(request.execution_id, 0);
      }),
    async resume(id) {
      if (ends.get(id) === undefined) return;
      const { events, ended_at } = await executions.get(id);
      if (ended_at === null) await executions.continue(id);
      follow(id, ended_at === null ? events : events - 1);
    },
    exchange: undefined,
    over: (id) => endOf(id).promise,
    drives: () => false,
    stateOf: () => undefined,
    look: async () => undefined,
    // What nobody waits for goes on there without anybody here.
    underWay: () => 0,
    settled: async () => undefined,
    async close() {
      stop.abort();
    },
  };
}

/** A fork that was planned here, as the server is asked for it. */
export const forkBody = (
  { path, version }: Pick<SourcedPlan, 'path' | 'version'>,
  { execution_id, origin, edits }: ForkRequest,
): ForkBody => ({
  at: origin.state.seq,
  execution_id,
  ...(edits.playbook === true ? { path, ...(typeof version === 'number' ? { version } : {}) } : {}),
  ...(edits.workload === undefined ? {} : { workload: edits.workload }),
  ...(edits.ctx === undefined ? {} : { ctx: edits.ctx }),
});

/** What the server refuses is refused; that it cannot be asked is not. */
async function answered(ask: () => Promise<void>): ReturnType<LocalDriver['start']> {
  try {
    await ask();
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof ServerProblem) || error.status >= 500) throw error;
    throw new CommandFailure(EXIT.usage, `error: ${error.code}: ${error.message}`, { cause: error });
  }
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}
