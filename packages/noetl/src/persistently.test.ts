import { describe, expect, it } from 'vitest';
import { persistently } from './persistently.ts';
import { StoreError, type StoreErrorCode } from './ports/store-error.ts';
import { createVirtualClock } from './ports/virtual-clock.testing.ts';

/** Asks for something that fails with this code, until it is over; answers with how often it was asked. */
async function asked(code: StoreErrorCode): Promise<number> {
  const clock = createVirtualClock();
  let times = 0;
  let over = false;
  const action = () => {
    times += 1;
    return Promise.reject(new StoreError(code, 'no.'));
  };
  const ended = persistently(action, () => false, clock).catch((error: StoreError) => {
    expect(error.code).toBe(code);
    over = true;
  });
  for (let rounds = 0; rounds < 100 && !over; rounds++) {
    clock.advanceTo(clock.now() + 1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  return times;
}

describe('what a store refuses', () => {
  it.each(['NOETL_STORE_FULL', 'NOETL_STORE_IO'] as const)('with %s is asked for again, for a while', async (code) => {
    expect(await asked(code)).toBeGreaterThan(4);
  });

  it.each(['NOETL_STORE_BROKEN', 'NOETL_STORE_CLOSED'] as const)('with %s is not asked for again', async (code) => {
    expect(await asked(code)).toBe(1);
  });
});
