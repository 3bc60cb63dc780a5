import type { Claim } from '../../ports/leases.ts';
import { StoreError, type StoreErrorCode } from '../../ports/store-error.ts';
import type { Database } from './driver/database.ts';
import { patiently } from './patience.ts';
import { type Operations, operationsOn } from './sql/operations.ts';
import { brokenBy, storeFailure } from './store-failure.ts';

/** What is asked of the store: the name of an operation and its arguments. */
export type Request = readonly [name: keyof Operations, ...values: readonly unknown[]];

/** Answers can be sent to another thread, which is why errors are taken apart. */
export type Answer =
  | { readonly value: unknown }
  | {
      readonly error: {
        readonly code: StoreErrorCode;
        readonly message: string;
        readonly fields: StoreError['fields'];
        readonly cause: string;
      };
    };

/**
 * Answers requests in their order. All that write share one transaction, and so one sync of the disk, however many they
 * are. If it fails, each is tried in a transaction of its own, so that one that cannot succeed takes no other with it; but
 * after a failure of the disk nothing is tried or answered any more. Leases alone wait for no sync.
 */
export function createGroupCommit(
  database: Database,
  file: string,
): (requests: readonly Request[]) => readonly Answer[] {
  const { heads, reads, writes } = operationsOn(database);
  const operations: Readonly<Record<string, (...values: never[]) => unknown>> = { ...reads, ...writes };

  let broken: StoreError | undefined;
  let synced = true;

  const answer = ([name, ...values]: Request): Answer => ({ value: operations[name]?.(...(values as never[])) });

  function transaction(requests: readonly Request[]): readonly Answer[] {
    if (!requests.some(([name]) => name in writes)) {
      heads.refresh();
      return requests.map(answer);
    }
    sync(requests.some((request) => request[0] in writes && !isLease(request)));
    database.exec('BEGIN IMMEDIATE');
    try {
      heads.refresh();
      const answers = requests.map(answer);
      heads.flush();
      database.exec('COMMIT');
      return answers;
    } catch (error) {
      heads.forget();
      rollBack();
      broken = brokenBy(error, file);
      throw error;
    }
  }

  /** Whether the next commit is on the disk when it is answered. One that is takes everything before it along. */
  function sync(wanted: boolean): void {
    if (wanted === synced) return;
    database.exec(`PRAGMA synchronous = ${wanted ? 'FULL' : 'NORMAL'}`);
    synced = wanted;
  }

  function rollBack(): void {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has done it already: there is no transaction left.
    }
  }

  return function perform(requests): readonly Answer[] {
    if (broken !== undefined) return refused(requests, broken);
    try {
      return patiently(() => transaction(requests));
    } catch (error) {
      const failure = broken ?? storeFailure(error, file);
      if (requests.length > 1 && failure.code !== 'NOETL_STORE_BUSY') return requests.flatMap((one) => perform([one]));
      return refused(requests, failure);
    }
  };
}

/**
 * DESIGN §4: a lease is a duration, and on the disk with the first report under it. Whoever holds one that went with the power
 * before that is fenced, and its work is leased again. A takeover is counted before anything is tried again.
 */
const isLease = ([name, claims]: Request): boolean =>
  name === 'claim' && (claims as readonly Claim[]).every(({ takeover }) => takeover !== true);

const refused = (requests: readonly Request[], failure: StoreError): readonly Answer[] =>
  requests.map(() => failed(failure));

export const failed = ({ code, message, fields, cause }: StoreError): Answer => ({
  error: { code, message, fields, cause: cause instanceof Error ? cause.message : '' },
});

export function storeErrorOf({ error }: Extract<Answer, { error: unknown }>): StoreError {
  return new StoreError(error.code, error.message, error.fields, { cause: new Error(error.cause) });
}
