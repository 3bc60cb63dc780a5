import { startRemoteWorker } from '../cli/remote-worker.ts';
import type { WorkerCard } from '../ports/work-exchange.ts';
import type { Tools } from '../tools/registry.ts';
import { heartbeatsByClock } from '../worker/heartbeats.ts';
import { exchangeByCalls } from '../worker/http-exchange.ts';
import { ServerAway, type ServerCalls } from '../worker/server-calls.ts';
import type { Life } from './life.testing.ts';
import type { SimulatedProcess } from './process.testing.ts';

/** What a worker in a process of its own is given. */
interface WorkerLifeOptions {
  readonly process: SimulatedProcess;
  readonly card: WorkerCard;
  readonly calls: ServerCalls;
  readonly tools: Tools;
  /** The worker has ended in good order. */
  exited(reason: unknown): void;
}

/** How long a claim waits at the server, and a heartbeat for its answer, and what runs when it is asked to stop. */
const WAIT = 20_000;
const HEARTBEAT_PATIENCE = 5_000;
const DRAIN = 2_000;

/** The program as `worker start` lives it. */
export function liveAsWorker({ process, card, calls, tools, exited }: WorkerLifeOptions): Life {
  const { clock } = process;
  const giveUp = new AbortController();
  const exchange = exchangeByCalls(calls, { url: 'simulated', clock, wait: WAIT, giveUp: giveUp.signal });
  let ending = false;

  const soon = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = clock.at(clock.now() + HEARTBEAT_PATIENCE, () => reject(new ServerAway('too late.')));
      answer.finally(cancel).then(resolve, reject);
    });

  const worker = startRemoteWorker({
    exchange,
    card,
    clock,
    machine: { environment: {}, workingFolder: '/' },
    tools,
    heartbeats: (ears) =>
      heartbeatsByClock({ heartbeat: (who, leases) => soon(exchange.heartbeat(who, leases)) }, card, clock, ears),
    drain: stop,
    trouble: () => undefined,
  });

  function stop(): void {
    if (ending) return;
    ending = true;
    // What cannot be told for so long is not told any more, as the command does it.
    clock.at(clock.now() + 2 * DRAIN, () => giveUp.abort());
    worker.close(DRAIN).then(
      () => exited(undefined),
      (error: unknown) => exited(error),
    );
  }

  return { stop };
}
