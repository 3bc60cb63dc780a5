import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { WorkExchange } from '../ports/work-exchange.ts';
import { createRemoteSource } from './remote-source.ts';

const card = { name: 'w', pool: 'default', labels: {}, slots: 1, host: 'h', pid: 1 };

describe('a worker whose claims fail', () => {
  /** Each fails after so many milliseconds; when they began. */
  async function beginnings(takes: readonly number[]): Promise<readonly number[]> {
    const clock = createVirtualClock();
    const begun: number[] = [];
    const exchange = {
      claim: () => {
        begun.push(clock.now());
        clock.advanceTo(clock.now() + (takes[begun.length - 1] ?? 0));
        return Promise.reject(new Error('the server is away.'));
      },
    } as Partial<WorkExchange> as WorkExchange;
    const source = createRemoteSource({
      exchange,
      card,
      clock,
      heartbeats: () => ({ hold: () => undefined, drop: () => undefined, close: async () => undefined }),
      planOf: () => undefined,
      drain: () => undefined,
      trouble: () => undefined,
    });
    for (const _ of takes) {
      const claimed = source.claim(1, new AbortController().signal);
      await new Promise((wake) => setImmediate(wake));
      const next = clock.next();
      if (next !== undefined) clock.advanceTo(next);
      await claimed;
    }
    return begun;
  }

  it('asks again after a while, and more seldom the longer nobody answers', async () => {
    expect(await beginnings([0, 0, 0, 0, 0])).toEqual([0, 250, 750, 1_750, 2_750]);
  });

  it('asks again at once where it has waited for an answer long enough', async () => {
    expect(await beginnings([0, 4_000, 4_000, 0])).toEqual([0, 250, 4_250, 8_250]);
  });
});
