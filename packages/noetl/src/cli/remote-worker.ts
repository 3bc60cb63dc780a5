import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import type { LogLine } from '../ports/tool-logs.ts';
import type { LeaseTicket, WorkExchange, WorkerCard } from '../ports/work-exchange.ts';
import type { ValueSources } from '../server/load-values.ts';
import { createValueCache } from '../server/value-cache.ts';
import type { ToolAnswer, ToolCall } from '../tools/define-tool.ts';
import type { Tools } from '../tools/registry.ts';
import { callTool } from '../worker/call-tool.ts';
import type { HeartbeatEars, Heartbeats } from '../worker/heartbeats.ts';
import { fetchRemote, remoteResults } from '../worker/remote-results.ts';
import { createRemoteSource, type RemoteItem } from '../worker/remote-source.ts';
import { runWorker, type WorkerOptions } from '../worker/worker.ts';
import { collectedLogs } from './collected-logs.ts';
import { isKept } from './kept-files.ts';
import { createLentFiles } from './lent-files.ts';
import type { ProgramLog } from './log/program-log.ts';
import type { Machine } from './machine.ts';
import { toldElsewhere } from './missing-elsewhere.ts';
import { createRemoteSecrets } from './remote-secrets.ts';
import { taskEnvironment } from './task-environment.ts';

export interface RemoteWorkerOptions {
  readonly exchange: WorkExchange;
  readonly card: WorkerCard;
  readonly clock: Clock;
  readonly machine: Pick<Machine, 'environment' | 'workingFolder'>;
  readonly tools: Pick<Tools, 'call'>;
  /** Told of every task that is done. */
  readonly log?: ProgramLog;
  heartbeats(ears: HeartbeatEars): Heartbeats;
  /** Somebody wants the worker to end. */
  drain(): void;
  /** The server cannot be asked, and why; undefined once it can be. */
  trouble(error: unknown | undefined): void;
}

/** A worker in a process of its own: it has no address, and asks its server for everything. */
export interface RemoteWorker {
  /** Takes no work any more, and lets what runs come to its end, at most so many milliseconds; the rest is given back. */
  close(drain: number): Promise<void>;
}

export function startRemoteWorker(options: RemoteWorkerOptions): RemoteWorker {
  const { exchange, card, clock, machine } = options;
  const secrets = createRemoteSecrets(exchange, clock);
  const source = createRemoteSource({
    exchange,
    card,
    clock,
    heartbeats: options.heartbeats,
    planOf(text, { name, limits }) {
      const { playbook } = readPlaybook(text, { file: name });
      return playbook && planOf(playbook, limits);
    },
    drain: options.drain,
    trouble: options.trouble,
  });
  const files = createLentFiles(exchange);
  const environment = taskEnvironment(machine);
  const cached = createValueCache();
  const stop = new AbortController();
  /** How often something was sent that tools of a lease printed. */
  const logged = new WeakMap<RemoteItem, number>();

  const call: WorkerOptions<RemoteItem>['call'] = async (toolCall, work, keep) => {
    const { lease, playbook } = work.given;
    const logs = collectedLogs<Omit<LogLine, 'execution'>>((lines) => {
      const nth = (logged.get(work) ?? 0) + 1;
      logged.set(work, nth);
      return exchange.log(lease, nth, lines);
    }, clock);
    const { key: taskRun, attempt } = toolCall;
    const { write, flush } = secrets.log(work, (stream, text) =>
      logs.add({ taskRun, attempt, stream, at: clock.now(), text }),
    );
    const context = {
      log: write,
      keep,
      folder: (await files.folderOf(work)) ?? machine.workingFolder,
      playbook: playbook.name,
      environment,
      credentials: secrets.tools(work),
    };
    try {
      const begun = clock.now();
      const given = await callTool(options.tools.call, toolCall, context, work, clock);
      const isElsewhere = context.folder !== playbook.folder || isKept(context.folder);
      const answer = isElsewhere ? toldElsewhere(given) : given;
      if (options.log !== undefined)
        logCall(options.log, toolCall, work, withoutSecrets(answer, work), clock.now() - begun);
      return answer;
    } finally {
      flush();
      // What was printed is kept before the work can end: afterwards there is no lease to send it under.
      await logs.flush();
    }
  };

  /** SEC-3: a tool may name its error as it likes. */
  const withoutSecrets = ({ status, error }: ToolAnswer, work: RemoteItem): LoggedAnswer => ({
    status,
    error: error && String(secrets.of(work).redact(error.kind)),
  });

  const running = runWorker<RemoteItem>(
    {
      name: card.name,
      source,
      clock,
      resultsOf: ({ given }) => remoteResults(exchange, given.lease),
      slots: card.slots,
      call,
      load: (tags, { given }) => cached(tags, valuesOf(exchange, given.lease)),
      secretsOf: secrets.of,
    },
    stop.signal,
  );

  return {
    async close(drain) {
      stop.abort();
      let forget = (): void => undefined;
      const late = new Promise<void>((resolve) => {
        forget = clock.at(clock.now() + drain, resolve);
      });
      await Promise.race([running, late]);
      forget();
      source.stopAll();
      await running;
      await source.close();
      await files.close();
      // Who cannot be told finds out by itself.
      await exchange.leave(card).catch(() => undefined);
    },
  };
}

interface LoggedAnswer {
  readonly status: ToolAnswer['status'];
  /** The kind of the error. */
  readonly error: string | undefined;
}

function logCall(
  log: ProgramLog,
  { step, key: task_run, attempt, task }: ToolCall,
  work: RemoteItem,
  { status, error }: LoggedAnswer,
  duration_ms: number,
): void {
  const { execution } = work.given.lease;
  const ended = { kind: task.kind, status, error, duration_ms };
  log.write(status === 'error' ? 'warn' : 'debug', 'task done', { execution, step, task_run, attempt, ...ended });
}

const valuesOf = (exchange: WorkExchange, lease: LeaseTicket): ValueSources => ({
  log: {
    read: (execution, after, limit) => exchange.events(lease, execution, after, limit),
    iterations: (source, from, limit) => exchange.iterations(lease, source, from, limit),
  },
  results: { get: (reference) => fetchRemote(exchange, lease, reference) },
});
