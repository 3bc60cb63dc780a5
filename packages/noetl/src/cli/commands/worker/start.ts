import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { ServerProblem } from '../../../client/server-error.ts';
import type { WorkerCard } from '../../../ports/work-exchange.ts';
import { openTools } from '../../../tools/registry.ts';
import { heartbeatsInThread } from '../../../worker/heartbeats-in-thread.ts';
import { openHttpExchange } from '../../../worker/http-exchange.ts';
import { ServerRefusal } from '../../../worker/server-calls.ts';
import { CommandFailure } from '../../command-failure.ts';
import { executionId } from '../../execution-id.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { httpAddresses } from '../../http-addresses.ts';
import { withLoggedFailure } from '../../log/logged-failure.ts';
import { createProgramLog, type LogOptions, type ProgramLog } from '../../log/program-log.ts';
import type { Machine } from '../../machine.ts';
import { pause } from '../../pause.ts';
import { isThere } from '../../process-there.ts';
import { startRemoteWorker } from '../../remote-worker.ts';
import { stopRequest } from '../../stop-request.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { type NamedWorkerServer, type WorkerServer, workerServer, workersOf } from './worker-server.ts';

export interface WorkerStartOptions extends LogOptions, NamedWorkerServer {
  readonly pool: string;
  readonly slots: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds that what runs may take to come to its end once the worker is to stop. */
  readonly drain: number;
  readonly detach: boolean;
  readonly output: string;
  readonly json: boolean;
}

/** How long a claim waits on the server, in milliseconds: a worker whose claim was lost without a word asks again soon after. */
const CLAIM_WAIT = 2_000;
/** Once it has nothing to do any more, a worker tries so long to say so, in milliseconds. */
const LAST_WORDS = 5_000;

/** Runs a worker in this process, until somebody wants it to stop. */
export async function workerStart(
  options: WorkerStartOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  if (options.detach) return detached(await workerServer(options, machine), options, terminal, machine);
  const log = createProgramLog(options, terminal);
  return withLoggedFailure(options, log, async () => {
    const server = await workerServer(options, machine);
    const stop = stopRequest(machine);
    try {
      await working(server, options, stop.requested, log, { ...terminal, complain: log.complain }, machine);
      return EXIT.ok;
    } finally {
      stop.forget();
    }
  });
}

async function working(
  server: WorkerServer,
  { pool, slots, labels, drain, json }: WorkerStartOptions,
  stop: Promise<unknown>,
  log: ProgramLog,
  terminal: Terminal,
  machine: Machine,
): Promise<void> {
  const card = cardOf({ pool, slots, labels }, terminal, machine);
  const giveUp = new AbortController();
  const exchange = await openHttpExchange({
    ...server,
    clock: systemClock,
    wait: CLAIM_WAIT,
    connections: slots + 4,
    giveUp: giveUp.signal,
  });
  const tools = openTools({ ...machine, addresses: httpAddresses(machine) });
  let wantedToEnd = (): void => undefined;
  const drained = new Promise<void>((resolve) => {
    wantedToEnd = resolve;
  });
  let refuse = (_: ServerRefusal): void => undefined;
  const refused = new Promise<ServerRefusal>((resolve) => {
    refuse = resolve;
  });
  const tell = troubleTold(terminal, server);
  if (json) terminal.print(`${JSON.stringify({ name: card.name, server: server.url, pool, slots, labels })}\n`);
  else terminal.complain(`worker ${card.name} of the pool ${pool} takes work from ${server.url}\n`);
  const worker = startRemoteWorker({
    exchange,
    card,
    clock: systemClock,
    machine,
    tools,
    heartbeats: (ears) => heartbeatsInThread(server, card, ears),
    log,
    drain: () => wantedToEnd(),
    trouble: (error) => {
      tell(error);
      if (error instanceof ServerRefusal) refuse(error);
    },
  });
  const why = await Promise.race([stop, drained, refused]);
  terminal.complain('stopping\n');
  const late = setTimeout(() => giveUp.abort(), drain * 1000 + LAST_WORDS);
  await worker.close(drain * 1000);
  clearTimeout(late);
  await exchange.close();
  await tools.close();
  if (why instanceof ServerRefusal) {
    throw new CommandFailure(EXIT.failed, `error: the server ${server.url} refuses this worker: ${why.message}`);
  }
}

const cardOf = (
  described: Pick<WorkerCard, 'pool' | 'slots' | 'labels'>,
  terminal: Terminal,
  { pid }: Machine,
): WorkerCard => {
  const host = hostname();
  return { ...described, name: `${host}-${pid}-${executionId(terminal.now(), terminal.seed).slice(-6)}`, host, pid };
};

/** A server that is away is told of once, and so is its return. */
function troubleTold(terminal: Terminal, { url, file }: WorkerServer): (error: unknown | undefined) => void {
  let said: string | undefined;
  // One that is found by the data folder may be somewhere else by then.
  const who = file === undefined ? `the server ${url}` : 'the server';
  return (error) => {
    const text = error === undefined ? undefined : error instanceof Error ? error.message : String(error);
    if (text === said) return;
    terminal.complain(text === undefined ? `${who} is there\n` : `waiting: ${text}\n`);
    said = text;
  };
}

/** How long a worker that was started on its own may take until the server knows it, in milliseconds. */
const PATIENCE = 15_000;
const LOOK = 100;

/** Starts it on its own, and answers when the server knows it, or when that takes too long to wait for. */
async function detached(
  server: WorkerServer,
  { data, pool, slots, labels, drain, output, json, logFormat, logLevel }: WorkerStartOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const file = resolve(machine.workingFolder, output);
  const pid = await machine.startDetached(
    [
      ...['worker', 'start', '--pool', pool, '--slots', `${slots}`, '--drain', `${drain}`],
      ...['--log-format', logFormat, '--log-level', logLevel],
      // One that was found by the data folder is found there again, also when it is another one.
      ...(server.file === undefined ? ['--server', server.url] : []),
      ...(data === undefined ? [] : ['--data', data]),
      ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ],
    file,
  );
  const host = hostname();
  const known = workersOf(server);
  for (const begun = terminal.elapsed(); terminal.elapsed() - begun < PATIENCE; await pause(LOOK)) {
    const workers = await known.list().then(
      (answer) => answer.workers,
      (error) => (mayNotKnow(error) ? undefined : []),
    );
    // A token for workers does not let them see each other.
    if (workers === undefined) break;
    const own = workers.find((worker) => worker.pid === pid && worker.host === host);
    if (own !== undefined) {
      const text = `worker ${own.name}, process ${pid}; it writes to ${file}\n`;
      terminal.print(json ? `${JSON.stringify({ name: own.name, pid, output: file })}\n` : text);
      return EXIT.ok;
    }
    if (!isThere(pid, machine))
      throw new CommandFailure(EXIT.failed, `error: the worker has not come up. ${file} says why.`);
  }
  const text = `process ${pid} takes work from ${server.url}; it writes to ${file}\n`;
  terminal.print(json ? `${JSON.stringify({ name: null, pid, output: file })}\n` : text);
  return EXIT.ok;
}

const mayNotKnow = (error: unknown): boolean => error instanceof ServerProblem && error.status < 500;
