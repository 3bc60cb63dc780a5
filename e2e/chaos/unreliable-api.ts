import { type LocalApi, openLocalApi } from '../local-api.testing.ts';
import type { Ledger } from './ledger.ts';

/** Pages of a shelf. */
const PAGES = 3;

/**
 * A real HTTP server that refuses the first attempts of some requests, always of the same ones, and writes every request
 * into the ledger. `life` is asked for which process may be calling.
 */
export const openUnreliableApi = (ledger: Ledger, life: () => number): Promise<LocalApi> =>
  openLocalApi(({ path, query, headers }) => {
    const attempt = Number(headers['x-attempt']);
    ledger.add({ life: life(), key: String(headers['idempotency-key']), attempt });
    const page = Number(query.get('page'));
    if (attempt <= page % 3) return { status: 503, body: {} };
    return { body: { book: `${path.slice(1)}${page}`, has_more: page < PAGES } };
  });
