import { packWork } from '../ports/packed-work.ts';
import { StoreError } from '../ports/store-error.ts';
import {
  type GivenWork,
  LeaseGone,
  type LeaseTicket,
  type WorkExchange,
  type WorkerCard,
  type WorkReport,
} from '../ports/work-exchange.ts';
import { ExchangeClosed } from '../server/remote-leases.ts';
import { ServerAway, type ServerCalls } from '../worker/server-calls.ts';
import { chanceOf } from './dice.testing.ts';
import type { FaultKind } from './faults.testing.ts';
import type { SimulatedProcess } from './process.testing.ts';

/** A server that answers, as the network sees it. */
export interface ListeningServer {
  readonly process: SimulatedProcess;
  /** Undefined as long as its executions do not go on: then it answers that it is not ready. */
  exchange: WorkExchange | undefined;
  /** Requests that it has not answered; they break off when it dies. */
  readonly open: Set<(error: Error) => void>;
}

/** Who sees what servers are asked, and what they answer. */
export interface NetworkWitness {
  /** A server hears of a worker. */
  heard(worker: string): void;
  /** A worker waits for work at the server; what comes back ends it. */
  waits(card: WorkerCard): () => void;
  /** Work that a server gives to a worker, before the worker knows. */
  given(work: readonly GivenWork[]): void;
  /** A heartbeat is answered: some leases are gone. */
  toldGone(): void;
  /** A report is at the server; what comes back is told what the server answers. */
  reported(report: WorkReport): (answer: 'taken' | 'gone') => void;
  /** A server has taken something that was shown with a wrong capability. */
  fooled(lease: LeaseTicket): void;
  disturbed(kind: FaultKind, what: string): void;
  /** What a server says for which there is no reason. */
  failed(error: unknown): void;
}

export interface NetworkOptions {
  readonly seed: number;
  readonly witness: NetworkWitness;
  server(): ListeningServer | undefined;
}

/** What a request is, as the routes of a server read it. */
interface Asked {
  readonly lease: LeaseTicket;
  readonly worker: WorkerCard;
  readonly max: number;
  readonly wait: number;
  readonly reports: readonly WorkReport[];
  readonly leases: readonly LeaseTicket[];
  readonly [name: string]: unknown;
}

/** Of so many reports, one is preceded by the same with a wrong capability. */
const FORGED = 16;

/** The connections of a worker to whichever server is there. What is sent is text, as on a wire. */
export function simulatedCalls(worker: SimulatedProcess, { seed, witness, server }: NetworkOptions): ServerCalls {
  let asked = 0;

  const send = <T>(
    what: string,
    signal: AbortSignal | undefined,
    act: (exchange: WorkExchange, signal: AbortSignal, of: SimulatedProcess) => Promise<T>,
  ) =>
    new Promise<T>((resolve, reject) => {
      const hangUp = new AbortController();
      const abort = (): void => {
        hangUp.abort();
        reject(new Error('nobody waits for the answer any more.'));
      };
      signal?.addEventListener('abort', abort, { once: true });
      worker
        .call({
          operation: 'ask',
          what: `the request ${what}`,
          lost: () => new ServerAway('nothing comes back.'),
          disturbed: (kind) => witness.disturbed(kind, what),
          apply: () => answered(hangUp.signal, act),
        })
        .finally(() => signal?.removeEventListener('abort', abort))
        .then(resolve, reject);
    });

  /** At the server: when it moves, and unless it dies meanwhile. */
  function answered<T>(
    signal: AbortSignal,
    act: (exchange: WorkExchange, signal: AbortSignal, of: SimulatedProcess) => Promise<T>,
  ): Promise<T> {
    const there = server();
    if (there === undefined) return Promise.reject(new ServerAway('nobody listens.'));
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error): void => {
        there.open.delete(fail);
        reject(error);
      };
      there.open.add(fail);
      there.process.receive(() => {
        if (there.exchange === undefined) {
          fail(new ServerAway('not ready.'));
          return;
        }
        act(there.exchange, signal, there.process).then(
          (value) => {
            there.open.delete(fail);
            resolve(value);
          },
          (error: unknown) => fail(problem(error)),
        );
      });
    });
  }

  /** As the routes of a server tell it, and workers understand it. */
  function problem(error: unknown): Error {
    if (error instanceof LeaseGone) return new LeaseGone({ execution: '', work: '' });
    if (!(error instanceof ExchangeClosed || error instanceof StoreError)) witness.failed(error);
    return new ServerAway(String(error));
  }

  async function handle(kind: string, body: Asked, exchange: WorkExchange, signal: AbortSignal, at: SimulatedProcess) {
    switch (kind) {
      case 'claim': {
        witness.heard(body.worker.name);
        const waited = witness.waits(body.worker);
        const given = await waitingFor(body.wait, signal, at, (late) =>
          exchange.claim(body.worker, body.max, late),
        ).finally(waited);
        witness.given(given);
        return packWork(given);
      }
      case 'report':
        return { answers: await report(body.reports, exchange) };
      case 'heartbeat':
        witness.heard(body.worker.name);
        return exchange.heartbeat(body.worker, body.leases).then((answer) => {
          if (answer.gone.length > 0) witness.toldGone();
          return answer;
        });
      case 'release':
        return exchange.release(body.lease, body.why as never);
      case 'leave':
        return exchange.leave(body.worker);
      case 'playbook':
        return { text: await exchange.playbook(body.lease) };
      case 'secrets':
        return exchange.secrets(body.lease);
      case 'log':
        return exchange.log(body.lease, body.nth as number, body.lines as never);
      case 'iterations':
        return {
          events: await exchange.iterations(
            body.lease,
            body.source as never,
            body.from as number,
            body.limit as number,
          ),
        };
      case 'events':
        return {
          events: await exchange.events(
            body.lease,
            body.execution as string,
            body.after as number,
            body.limit as number,
          ),
        };
      default:
        throw new Error(`nobody simulates the request ${kind}`);
    }
  }

  async function report(reports: readonly WorkReport[], exchange: WorkExchange) {
    asked += 1;
    if (chanceOf(seed, 40, worker.start, asked) % FORGED === 0) {
      const forged = reports.map(({ lease, ...rest }) => ({ ...rest, lease: { ...lease, capability: 'Zm9yZ2Vk' } }));
      const answers = await exchange.report(forged);
      for (const [nth, answer] of answers.entries()) {
        const lease = forged[nth]?.lease;
        if (answer === 'taken' && lease !== undefined) witness.fooled(lease);
      }
    }
    const told = reports.map(witness.reported);
    const answers = await exchange.report(reports);
    for (const [nth, answer] of answers.entries()) told[nth]?.(answer);
    return answers;
  }

  return {
    ask: async (kind, body, _, signal) =>
      copied(
        await send(kind, signal, async (exchange, late, at) => handle(kind, copied(body) as Asked, exchange, late, at)),
      ),
    async put(path, headers, bytes) {
      const lease = JSON.parse(Buffer.from(headers['noetl-lease'] ?? '', 'base64url').toString()) as LeaseTicket;
      const store = new URLSearchParams(path.split('?')[1]).get('store') ?? undefined;
      const sent: Uint8Array[] = [];
      for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) sent.push(piece);
      return copied(await send('put', undefined, (exchange) => exchange.put(lease, store, inPieces(sent))));
    },
    async *read(kind, body) {
      const { lease, reference } = copied(body) as unknown as { lease: LeaseTicket; reference: never };
      yield* await send(kind, undefined, async (exchange) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of exchange.read(lease, reference)) pieces.push(piece);
        return pieces;
      });
    },
    close: async () => undefined,
  };
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** As it comes out of JSON. */
const copied = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** A claim waits so long at the server, or until the worker hangs up. */
async function waitingFor<T>(
  wait: number,
  signal: AbortSignal,
  { clock }: SimulatedProcess,
  action: (late: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const abort = (): void => late.abort();
  const cancel = clock.at(clock.now() + wait, abort);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await action(late.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}
