import type { ExecutionEvent, ExecutionState } from '@noetl/engine';
import type { ForkBody } from '../api/executions.ts';
import type { NoetlClient } from '../client/client.ts';
import { ServerProblem } from '../client/server-error.ts';
import type { ForkRequest } from '../server/forks.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import { followTree } from './followed-tree.ts';
import type { LocalDriver } from './local-driver.ts';
import type { SourcedPlan } from './sourced-plan.ts';

export interface RemoteDriverOptions {
  readonly client: NoetlClient;
  /** Up to which event of an execution that goes on everything is known here; undefined if nothing was read. */
  recalled(execution: string): number | undefined;
  committed(events: readonly ExecutionEvent[], state?: ExecutionState): void;
}

/** A driver that lets a server drive, and tells what happens there: in the execution, and in those that it calls. */
export function remoteDriver({ client, recalled, committed }: RemoteDriverOptions): LocalDriver {
  const { executions } = client;
  const tree = followTree(executions, committed);

  return {
    take: async () => true,
    async start({ path, version }, { execution_id, payload, traceparent }) {
      return answered(async () => {
        const { execution_id: id } = await executions.start(
          { path, ...(typeof version === 'number' ? { version } : {}), payload, execution_id },
          undefined,
          traceparent,
        );
        tree.follow(id, 0);
      });
    },
    fork: (source, request) =>
      answered(async () => {
        await executions.fork(request.origin.execution_id, forkBody(source, request));
        tree.follow(request.execution_id, 0);
      }),
    async resume(id) {
      const { events: position, ended_at } = await executions.get(id);
      const known = recalled(id) ?? position;
      if (ended_at === null) await executions.continue(id);
      if (ended_at === null || known < position) return tree.follow(id, known);
      const [last] = (await executions.events(id, { after: position - 1, limit: 1 })).events;
      if (last?.name === 'playbook.processed') tree.ended(id, last.payload);
    },
    exchange: undefined,
    over: tree.over,
    drives: () => false,
    stateOf: () => undefined,
    look: async () => undefined,
    underWay: tree.underWay,
    settled: tree.settled,
    close: tree.close,
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
