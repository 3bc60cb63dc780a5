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
export function exchangeByCalls(calls: ServerCalls, { url, clock, wait, giveUp }: AskingOptions): ClosableExchange {
  async function insist<T>(action: () => Promise<unknown>): Promise<T> {
    for (let delay = FIRST_PAUSE; ; delay = Math.min(delay * 2, LAST_PAUSE)) {
      try {
        return (await action()) as T;
      } catch (error) {
        if (!(error instanceof ServerAway) || giveUp.aborted) throw error;
        await pause(clock, clock.now() + delay, giveUp);
      }
    }
  }

  const ask = <T>(kind: string, body: object): Promise<T> => insist(() => calls.ask(kind, body));

  return {
    async claim(worker, max, signal) {
      const late = new AbortController();
      const cancel = clock.at(clock.now() + wait + LATE_ANSWER, () => late.abort());
      const until = AbortSignal.any([signal, late.signal]);
      const answer = await calls
        .ask('claim', { worker, max, wait }, until)
        .catch((error) => {
          if (signal.aborted) return { parts: [], work: [] };
          throw late.signal.aborted ? new ServerAway(`the server ${url} does not answer (too late).`) : error;
        })
        .finally(cancel);
      return unpackWork(answer as PackedWork);
    },
    report: async (reports) => (await ask<{ answers: never }>('report', { reports })).answers,
    heartbeat: (worker, leases) => calls.ask('heartbeat', { worker, leases }) as ReturnType<WorkExchange['heartbeat']>,
    release: (lease, why) => ask('release', { lease, why }),
    leave: async (worker) => {
      await calls.ask('leave', { worker });
    },
    playbook: async (lease) => (await ask<{ text: string }>('playbook', { lease })).text,
    files: async (lease) => (await ask<{ files?: PlaybookFiles }>('files', { lease })).files,
    secrets: (lease) => ask('secrets', { lease }),
    credential: (lease, asked) => ask('credential', { lease, asked }),
    log: (lease, lines) => ask('log', { lease, lines }),
    put: (lease, store, pieces) => {
      const query = store === undefined ? '' : `?store=${encodeURIComponent(store)}`;
      return calls.put(`/api/work/results${query}`, leaseHeader(lease), pieces) as ReturnType<WorkExchange['put']>;
    },
    read: (lease, reference) => calls.read('read', { lease, reference }),
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
