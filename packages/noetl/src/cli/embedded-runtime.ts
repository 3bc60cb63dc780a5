import type { ExecutionEvent, ExecutionState, KnownValues, Tagged } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { EventLog } from '../ports/event-log.ts';
import type { Keep } from '../ports/keep.ts';
import type { ResultStore } from '../ports/result-store.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { ChildPlans } from '../server/children.ts';
import type { Credentials } from '../server/credentials.ts';
import { createExecutions, type Executions, type ExecutionsOptions } from '../server/executions.ts';
import type { AssignedWork } from '../server/held-leases.ts';
import type { RemoteOptions } from '../server/remote-leases.ts';
import { createValueCache } from '../server/value-cache.ts';
import type { Tool, ToolAnswer, ToolCall, ToolContext } from '../tools/define-tool.ts';
import { callTool } from '../worker/call-tool.ts';
import type { WorkSecrets } from '../worker/work-secrets.ts';
import { runWorker } from '../worker/worker.ts';
import { toldElsewhere } from './missing-elsewhere.ts';

export interface RuntimeOptions {
  readonly log: EventLog;
  readonly results: ResultStore;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  /** The name of the worker inside. */
  readonly worker: string;
  /** How many pipelines run at a time; 0 for no worker inside. */
  readonly slots: number;
  readonly childPlans: ChildPlans;
  readonly credentials: Credentials;
  /** How workers in other processes get work; without it there are none. */
  readonly remote?: RemoteOptions | undefined;
  /** Calls the tool of a task's kind. */
  readonly tools: Tool['run'];
  /** What a call is lent beside its signal, until it is done. */
  lend(call: ToolCall, work: AssignedWork): Loan;
  secretsOf(work: AssignedWork): WorkSecrets;
  readonly claimed?: ExecutionsOptions['claimed'];
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
}

interface Loan {
  readonly context: Omit<ToolContext, 'signal' | 'keep'>;
  /** Whether the task runs elsewhere than its playbook was written. */
  readonly isElsewhere?: boolean;
  done(): void;
}

/** The server and a worker in one process. */
export interface Runtime {
  readonly executions: Executions;
  /** Takes no work any more; resolves when what runs has come to its end, or after so many milliseconds. */
  drain(most: number): Promise<void>;
  /** Stops taking work and stops what runs; resolves when nothing runs any more. */
  close(): Promise<void>;
}

export function openRuntime(options: RuntimeOptions): Runtime {
  const { log, results, snapshots, clock, slots, childPlans, credentials, committed } = options;
  const executions = createExecutions({
    ports: { log, results, snapshots },
    clock,
    childPlans,
    credentials,
    remote: options.remote,
    claimed: options.claimed,
    committed,
  });
  const stop = new AbortController();
  const call = async (toolCall: ToolCall, work: AssignedWork, keep: Keep): Promise<ToolAnswer> => {
    const { context, done, isElsewhere } = options.lend(toolCall, work);
    try {
      const answer = await callTool(options.tools, toolCall, { ...context, keep }, work, clock);
      return isElsewhere ? toldElsewhere(answer) : answer;
    } finally {
      done();
    }
  };
  const cached = createValueCache();
  const load = (tags: readonly Tagged[]): Promise<KnownValues> => cached(tags, { log, results });
  const inside = { name: options.worker, source: executions, clock, resultsOf: () => results, slots, call, load };
  const worker = slots === 0 ? Promise.resolve() : runWorker({ ...inside, secretsOf: options.secretsOf }, stop.signal);
  return {
    executions,
    async drain(most) {
      stop.abort();
      let forget = (): void => undefined;
      const late = new Promise<void>((resolve) => {
        forget = clock.at(clock.now() + most, resolve);
      });
      await Promise.race([worker, late]);
      forget();
    },
    async close() {
      stop.abort();
      executions.close();
      await worker;
    },
  };
}
