import { createHash } from 'node:crypto';
import type { ResultReference } from '@noetl/engine';
import { type Fetched, ResultLost, type ResultSink } from '../ports/result-store.ts';
import type { LeaseTicket, WorkExchange } from '../ports/work-exchange.ts';

/** RES-1: results of work go to the server, which has the stores. Nothing is kept here. */
export function remoteResults(
  exchange: Pick<WorkExchange, 'put'>,
  lease: LeaseTicket,
  store?: string,
): ResultSink & Required<Pick<ResultSink, 'named'>> {
  return {
    // The store that the server uses where none is named.
    name: store ?? '',
    put: (value) => exchange.put(lease, store, Buffer.from(JSON.stringify(value))),
    putPieces: (pieces) => exchange.put(lease, store, pieces),
    named: (name) => remoteResults(exchange, lease, name),
  };
}

/** RES-2: a value of the server's stores; what comes is what was put, or it is corrupt. */
export async function fetchRemote(
  exchange: Pick<WorkExchange, 'read'>,
  lease: LeaseTicket,
  reference: ResultReference,
): Promise<Fetched> {
  const pieces: Uint8Array[] = [];
  const hash = createHash('sha256');
  try {
    for await (const piece of exchange.read(lease, reference)) {
      pieces.push(piece);
      hash.update(piece);
    }
  } catch (error) {
    if (error instanceof ResultLost) return { kind: error.kind };
    throw error;
  }
  if (`sha256:${hash.digest('hex')}` !== reference.checksum) return { kind: 'corrupt' };
  return { kind: 'value', value: JSON.parse(Buffer.concat(pieces).toString('utf8')) };
}
