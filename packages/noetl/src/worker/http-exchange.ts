import type { Clock } from '../ports/clock.ts';
import { type PackedWork, unpackWork } from '../ports/packed-work.ts';
import type { PlaybookFiles } from '../ports/playbook-files.ts';
import type { LeaseTicket, WorkExchange } from '../ports/work-exchange.ts';
import { pause } from './pause.ts';
import { openServerCalls, type ServerAddress, ServerAway, type ServerCalls } from './server-calls.ts';

interface AskingOptions {
  /** Where the server is, for people. */
  readonly url: string;
  readonly clock: Clock;
  /** How long a claim waits for work on the server, in milliseconds. */
  readonly wait: number;
  /** Aborted when nothing is to be tried again any more. */
  readonly giveUp: AbortSignal;
  /** How long the server may be silent over a small question, in milliseconds. */
  readonly silence?: number;
}

export interface HttpExchangeOptions extends ServerAddress, AskingOptions {
  /** How many requests may be under way at a time. */
  readonly connections: number;
}

type ClosableExchange = WorkExchange & { close(): Promise<void> };

/** How long it is waited before something is asked again, in milliseconds, doubling. */
const FIRST_PAUSE = 100;
const LAST_PAUSE = 2_000;
/**
 * How long the server may be silent, in milliseconds: over a question, doubling each time that it is asked again, since the server may be
 * slow; over what others are asked for on the way; and over bytes, which may have to be stored before they are answered.
 */
const SILENCE = 3_000;
const LONGEST_SILENCE = 60_000;
const ELSEWHERE: ReadonlySet<string> = new Set(['secrets', 'credential']);
const SILENCE_ELSEWHERE = 15_000;
const SILENCE_OF_BYTES = 10_000;
const SILENCE_OF_PIECES = 30_000;
/**
 * A claim that is not answered so long after it could be, in milliseconds, is lost, or its answer is: on a connection that is
 * dead without saying so, work would wait for who waits for it.
 */
const LATE_ANSWER = 2_000;

/** The work of a server by HTTP. */
export const openHttpExchange = async (options: HttpExchangeOptions): Promise<ClosableExchange> =>
  exchangeByCalls(await openServerCalls(options, options.connections), options);

/**
 * The work of a server, one call for each question. What a server that is away could not take is asked again until it is back, however long that
 * takes: it knows whether the lease still is valid. Claims, heartbeats and bytes that come but once are not.
 */
export function exchangeByCalls(calls: ServerCalls, options: AskingOptions): ClosableExchange {
  const { url, clock, wait, giveUp, silence: usual = SILENCE } = options;

  async function ask<T>(kind: string, body: object): Promise<T> {
    let delay = FIRST_PAUSE;
    let silence = ELSEWHERE.has(kind) ? SILENCE_ELSEWHERE : usual;
    for (;;) {
      try {
        return (await calls.ask(kind, body, silence)) as T;
      } catch (error) {
        if (!(error instanceof ServerAway) || giveUp.aborted) throw error;
        await pause(clock, clock.now() + delay, giveUp);
        delay = Math.min(delay * 2, LAST_PAUSE);
        silence = Math.min(silence * 2, LONGEST_SILENCE);
      }
    }
  }

  return {
    async claim(worker, max, signal) {
      // Not `AbortSignal.any`: each would leave something on a signal that lives as long as the worker.
      const hangUp = new AbortController();
      const abort = (): void => hangUp.abort();
      const cancel = clock.at(clock.now() + wait + LATE_ANSWER, abort);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      const answer = await calls
        .ask('claim', { worker, max, wait }, LONGEST_SILENCE, hangUp.signal)
        .catch((error) => {
          if (signal.aborted) return { parts: [], work: [] };
          throw hangUp.signal.aborted ? new ServerAway(`the server ${url} does not answer (too late).`) : error;
        })
        .finally(() => {
          cancel();
          signal.removeEventListener('abort', abort);
        });
      return unpackWork(answer as PackedWork);
    },
    report: async (reports) => (await ask<{ answers: never }>('report', { reports })).answers,
    heartbeat: (worker, leases) =>
      calls.ask('heartbeat', { worker, leases }, usual) as ReturnType<WorkExchange['heartbeat']>,
    release: (lease, why) => ask('release', { lease, why }),
    leave: async (worker) => {
      await calls.ask('leave', { worker }, usual);
    },
    playbook: async (lease) => (await ask<{ text: string }>('playbook', { lease })).text,
    files: async (lease) => (await ask<{ files?: PlaybookFiles }>('files', { lease })).files,
    secrets: (lease) => ask('secrets', { lease }),
    credential: (lease, asked) => ask('credential', { lease, asked }),
    log: (lease, nth, lines) => ask('log', { lease, nth, lines }),
    put: (lease, store, bytes) => {
      const silence = bytes instanceof Uint8Array ? SILENCE_OF_BYTES : SILENCE_OF_PIECES;
      const query = store === undefined ? '' : `?store=${encodeURIComponent(store)}`;
      return calls.put(`/api/work/results${query}`, leaseHeader(lease), bytes, silence) as ReturnType<
        WorkExchange['put']
      >;
    },
    read: (lease, reference) => calls.read('read', { lease, reference }, SILENCE_OF_BYTES),
    iterations: async (lease, source, from, limit) =>
      (await ask<{ events: never }>('iterations', { lease, source, from, limit })).events,
    events: async (lease, execution, after, limit) =>
      (await ask<{ events: never }>('events', { lease, execution, after, limit })).events,
    close: calls.close,
  };
}

const leaseHeader = (lease: LeaseTicket): Record<string, string> => ({
  'noetl-lease': Buffer.from(JSON.stringify(lease)).toString('base64url'),
});
