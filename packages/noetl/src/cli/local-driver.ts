import type { ExecutionEvent, ExecutionState, Plan, RequestInput } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import type { LeftInput } from '../ports/control-inputs.ts';
import { DriverLost } from '../ports/driver-lost.ts';
import type { DriverProcess } from '../ports/drivers.ts';
import type { LogLine } from '../ports/tool-logs.ts';
import type { CredentialAnswer, CredentialAsked, WorkExchange } from '../ports/work-exchange.ts';
import { repeatedly } from '../repeatedly.ts';
import type { Executions, ExecutionsOptions } from '../server/executions.ts';
import type { ForkRequest } from '../server/forks.ts';
import type { AssignedWork } from '../server/held-leases.ts';
import type { Answer } from '../server/live-execution.ts';
import type { RemoteLeases, RemoteOptions } from '../server/remote-leases.ts';
import { createWorkExchange } from '../server/work-exchange.ts';
import type { ToolCall, ToolCredentials } from '../tools/define-tool.ts';
import type { Tools } from '../tools/registry.ts';
import { buryDead } from './bury-dead.ts';
import type { CalledPlaybooks } from './called-playbooks.ts';
import { collectedFiles } from './collected-files.ts';
import { collectedLogs } from './collected-logs.ts';
import type { DataFolder } from './data-folder.ts';
import { openRuntime } from './embedded-runtime.ts';
import type { ExecutionSecrets } from './execution-secrets.ts';
import { fencedLog } from './fenced-log.ts';
import { isKept } from './kept-files.ts';
import { takeLeftInputs } from './left-inputs.ts';
import type { Machine } from './machine.ts';
import { areRelated } from './root-execution.ts';
import type { SourcedPlan } from './sourced-plan.ts';
import { takeExecution } from './take-execution.ts';
import { taskEnvironment } from './task-environment.ts';

export interface LocalDriverOptions {
  readonly data: DataFolder;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly tools: Tools;
  readonly driverId: string;
  /** How many pipelines run at a time; 0 for no worker inside. */
  readonly slots: number;
  /** How long this process counts as alive after a sign of life, in milliseconds. */
  readonly alive?: number;
  readonly secrets: ExecutionSecrets;
  readonly called: CalledPlaybooks;
  /** How workers in other processes get work; without it there are none. */
  readonly remote?: RemoteOptions | undefined;
  /** Told if another process has taken this one for dead: nothing goes on here. */
  lost?(): void;
  readonly claimed?: ExecutionsOptions['claimed'];
  /** Whether spans of an execution that is asked for are recorded; absent where nobody would take them. */
  readonly traced?: ((request: TraceAsked) => boolean) | undefined;
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
}

/** An execution that is asked for, as far as its trace is concerned. */
type TraceAsked = Pick<RequestInput, 'execution_id' | 'traceparent'>;

/**
 * Drives executions of a data folder in this process, beside others that share the folder (DESIGN §5). If one of them
 * takes this process for dead, it stops what it does and everything that waits fails with `DriverLost`.
 */
export interface LocalDriver {
  /** Takes an execution of the log, to resume it. False if another process drives it to its end. */
  take(execution: string): Promise<boolean>;
  /** The execution is driven by this process from its first event on, and so is a fork. */
  start(
    plan: SourcedPlan,
    request: Pick<RequestInput, 'execution_id' | 'payload' | 'rejected' | 'traceparent'>,
  ): ReturnType<Executions['start']>;
  fork(plan: SourcedPlan, request: ForkRequest): ReturnType<Executions['fork']>;
  resume(execution: string, plan: SourcedPlan): Promise<void>;
  over: Executions['over'];
  /** Work for workers in other processes, and those that are known; undefined if there are none. */
  readonly exchange: (WorkExchange & Pick<RemoteLeases, 'workers'>) | undefined;
  /** Whether the execution is under way here. */
  drives: Executions['drives'];
  /** The state of an execution that is under way here, as the log has it. */
  stateOf: Executions['stateOf'];
  /** Decides what was left for executions that are driven here, without waiting for the next look. */
  look(): Promise<void>;
  /** How many executions are under way here. */
  underWay: Executions['underWay'];
  /** Once none is any more, also no child that nobody waits for. */
  settled: Executions['settled'];
  /** Lets what runs come to its end for so many milliseconds, then stops it. The log knows where to go on. */
  close(drain?: number): Promise<void>;
}

/** What only a server needs of it. */
interface ServerDriver extends LocalDriver, Pick<Executions, 'waiting'> {
  /** Begins nothing new, and lets what runs come to its end for so many milliseconds. */
  drain(milliseconds: number): Promise<void>;
}

const ALIVE = 15_000;
/** How soon a control that another process left is taken. */
const LOOK = 100;

export async function openLocalDriver(options: LocalDriverOptions): Promise<ServerDriver> {
  const { data, machine, clock, tools, alive = ALIVE } = options;
  const { store, results } = data;
  const sources = new WeakMap<Plan, SourcedPlan>();
  /** Executions to be resumed whose driver has died. */
  const takenOver = new Set<string>();
  /** Executions that are being started here. */
  const beginning = new Set<string>();
  const self: DriverProcess = { id: options.driverId, pid: machine.pid, startedAt: machine.startedAt };
  const environment = taskEnvironment(machine);
  await buryDead(store.drivers, machine);
  await store.drivers.beat(self, alive);

  const logs = collectedLogs<LogLine>((lines) => store.toolLogs.append(lines), clock);
  const runtime = openRuntime({
    log: fencedLog(
      store.log,
      self.id,
      () => stop(),
      (execution) => beginning.has(execution),
    ),
    results,
    snapshots: store.snapshots,
    clock,
    worker: options.driverId,
    slots: options.slots,
    childPlans: {
      async find(path, version, caller) {
        const called = await options.called.find(path, version, sources.get(caller));
        if (called.kind === 'found') sources.set(called.found.plan, called.found);
        return called;
      },
      async of(execution) {
        const source = await options.called.of(execution);
        if (source !== undefined) sources.set(source.plan, source);
        return source?.plan;
      },
    },
    credentials: options.secrets,
    remote: options.remote,
    claimed: options.claimed,
    tools: tools.call,
    lend: (call, work) => {
      const { write, flush } = options.secrets.log(work.execution, (stream, text) =>
        logs.add(lineOf(call, work, stream, text, clock.now())),
      );
      const source = sources.get(work.plan);
      const { workingFolder } = machine;
      const context = {
        log: write,
        folder: source?.folder ?? workingFolder,
        ...(source === undefined ? {} : { playbook: source.file ?? source.path }),
        environment,
        credentials: options.secrets.tools(work.execution),
      };
      const isElsewhere = source !== undefined && (source.isElsewhere === true || isKept(source.folder));
      return { context, isElsewhere, done: flush };
    },
    secretsOf: ({ execution }) => options.secrets.of(execution),
    committed: (events, state) => {
      options.committed(events, state);
      for (const { name, execution_id } of events)
        if (name === 'playbook.processed') options.secrets.forget(execution_id);
    },
  });
  const stop = (): void => {
    runtime.executions.abandonAll(new DriverLost());
    options.lost?.();
  };
  const stopBeating = store.drivers.keepAlive(self, alive, stop);
  let looking: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /** One look at a time: two would decide the same inputs. All who ask meanwhile get the next one. */
  const look = (): Promise<void> => {
    next ??= looking
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return takeControls();
      });
    looking = next;
    return looking;
  };
  const stopLooking = repeatedly(clock, LOOK, look);

  /** Also those for children. What is left for an execution that was taken and is not open yet waits until it is. */
  function takeControls(): Promise<void> {
    const { drives, submit } = runtime.executions;
    return takeLeftInputs(
      store.inputs,
      drives,
      (execution, input) => submit(execution, withoutSecrets(execution, input)),
      async () => (await store.drivers.beat(self, alive)) === 'alive',
    );
  }

  /** SEC-3: what is sent by a signal is shown as what a tool gives. */
  function withoutSecrets(execution: string, input: LeftInput): LeftInput {
    if (input.kind !== 'signal') return input;
    return { ...input, payload: options.secrets.of(execution).redact(input.payload) };
  }

  const { remote } = runtime.executions;
  const exchange = remote && {
    ...createWorkExchange(remote, {
      log: store.log,
      results,
      sourceOf: (plan) => {
        const source = sources.get(plan);
        if (source === undefined) throw new Error('the playbook of the execution is not known here.');
        const { text, contentHash, file, path, folder } = source;
        return { text, contentHash, name: file ?? path, folder };
      },
      filesOf: async (plan) => {
        const folder = sources.get(plan)?.folder;
        return folder === undefined ? undefined : collectedFiles({ playbook: plan.playbook, folder, legacy: false });
      },
      lend: options.secrets.lend,
      credential: (execution, asked) => credentialAnswer(options.secrets.tools(execution), asked),
      keepLog: (lines) => store.toolLogs.append(lines),
      areRelated: (execution, other) => areRelated(execution, other, store.executions),
    }),
    workers: remote.workers,
  };

  /** What cannot go on here needs no secrets here either. */
  function forgetWithIt(execution: string): void {
    runtime.executions.over(execution).catch(() => options.secrets.forget(execution));
  }

  function begin(execution: string, source: SourcedPlan, how: () => Promise<Answer>): Promise<Answer> {
    sources.set(source.plan, source);
    beginning.add(execution);
    return how()
      .then((answer) => {
        forgetWithIt(execution);
        return answer;
      })
      .finally(() => beginning.delete(execution));
  }

  const tracedBy = (request: TraceAsked) => (options.traced === undefined ? {} : { traced: options.traced(request) });

  return {
    async take(execution) {
      const taking = await takeExecution(self.id, execution, store.drivers, machine);
      if (taking === 'refused') return false;
      if (taking === 'taken over') takenOver.add(execution);
      forgetWithIt(execution);
      return true;
    },
    start(source, request) {
      const { plan, path, version, contentHash, folder } = source;
      const asked = { ...request, ...tracedBy(request), path, version, content_hash: contentHash, folder };
      return begin(request.execution_id, source, () => runtime.executions.start(plan, asked));
    },
    fork: (source, request) =>
      begin(request.execution_id, source, () =>
        runtime.executions.fork(source.plan, { ...request, ...tracedBy({ execution_id: request.execution_id }) }),
      ),
    async resume(execution, plan) {
      sources.set(plan.plan, plan);
      await runtime.executions.resume(execution, plan.plan, takenOver.delete(execution));
    },
    over: runtime.executions.over,
    exchange,
    drives: runtime.executions.drives,
    stateOf: runtime.executions.stateOf,
    look,
    underWay: runtime.executions.underWay,
    waiting: runtime.executions.waiting,
    settled: runtime.executions.settled,
    drain: runtime.drain,
    async close(drain = 0) {
      if (drain > 0) await runtime.drain(drain);
      await stopLooking();
      await runtime.close();
      await logs.flush();
      await tools.close();
      stopBeating();
      // Who cannot say that it ends is found dead by the next.
      await store.drivers.retire(self.id).catch(() => undefined);
      await data.close();
    },
  };
}

async function credentialAnswer(
  credentials: ToolCredentials,
  asked: CredentialAsked,
): Promise<CredentialAnswer['answer']> {
  if (asked.kind === 'issue') return credentials.issue(asked.secrets);
  if (asked.kind === 'open') return credentials.open(asked.handle);
  const credential = await credentials.renew(asked.auth, asked.refused);
  return credential === undefined ? undefined : { credential };
}

const lineOf = (
  { key, attempt }: ToolCall,
  { execution }: AssignedWork,
  stream: LogLine['stream'],
  text: string,
  at: number,
): LogLine => ({ execution, taskRun: key, attempt, stream, at, text });
