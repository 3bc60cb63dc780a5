import { until } from '../server-calls.testing.ts';

/** What proves that work was leased to a worker. */
export interface LeaseTicket {
  readonly execution: string;
  readonly work: string;
  readonly epoch: number;
  readonly worker: string;
  readonly capability: string;
}

/** A worker as it calls itself. */
interface WorkerCard {
  readonly name: string;
  readonly pool: string;
  readonly labels: object;
  readonly slots: number;
  readonly host: string;
  readonly pid: number;
}

export interface TakenWork {
  readonly leases: readonly LeaseTicket[];
  readonly cards: readonly WorkerCard[];
  /** A result that was stored under one of them. */
  readonly reference: Readonly<Record<'store' | 'key' | 'checksum' | 'schema_hint', string>> & {
    readonly size: number;
  };
}

/** The pool that nobody but the fuzzer works for. */
export const POOL = 'fuzzed';

/** Leases work to so many workers, one piece each: what one of them gives back leaves the others theirs. */
export async function takeWork(url: string, token: string, count: number): Promise<TakenWork> {
  const cards = Array.from({ length: count }, (_, nth) => ({
    ...{ name: `worker-${nth}`, pool: POOL, labels: {}, slots: 1, host: 'fuzzer', pid: nth + 1 },
  }));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
  const ask = async (method: string, path: string, body: object, more: object = {}): Promise<unknown> => {
    const answer = await fetch(`${url}/api/work/${path}`, {
      method,
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  const leases: LeaseTicket[] = [];
  for (const worker of cards) {
    await until(async () => {
      const { work } = (await ask('POST', 'claim', { worker, max: 1, wait: 1_000 })) as {
        work: { lease: LeaseTicket }[];
      };
      leases.push(...work.map(({ lease }) => lease));
      return work.length > 0;
    });
  }
  const shown = Buffer.from(JSON.stringify(leases[0])).toString('base64url');
  const reference = await ask('PUT', 'results', { stored: 'by a worker' }, { 'noetl-lease': shown });
  return { leases, cards, reference: reference as TakenWork['reference'] };
}
