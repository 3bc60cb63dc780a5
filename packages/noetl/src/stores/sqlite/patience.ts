import { RESULT, SqliteFailure } from './driver/database.ts';

/** How long a lock is waited for. */
const PATIENCE_MS = 30_000;

/**
 * Tries until the database is not locked by another process. SQLite itself would wait up to 100 ms between two tries, and
 * seldom find a moment in which a busy writer has let go; this thread has nothing better to do than to look often.
 */
export function patiently<T>(action: () => T, patience = PATIENCE_MS): T {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      pause(0.2 + 1.8 * Math.random());
    }
  }
}

/** The same for what begins anew with each try, and may take its time. */
export async function patientlyAnew<T>(action: () => Promise<T>, patience = PATIENCE_MS): Promise<T> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      pause(0.2 + 1.8 * Math.random());
    }
  }
}

const isBusy = (error: unknown): boolean =>
  error instanceof SqliteFailure && (error.result === RESULT.busy || error.result === RESULT.locked);

const never = new Int32Array(new SharedArrayBuffer(4));

const pause = (milliseconds: number): void => {
  Atomics.wait(never, 0, 0, milliseconds);
};
