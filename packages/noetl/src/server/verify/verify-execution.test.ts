import type { ExecutionEvent } from '@noetl/engine';
import { beforeEach, describe, expect, it } from 'vitest';
import { append } from '../../ports/log-under-test.testing.ts';
import { iterationDone, note, processed, requested } from '../../ports/sample-events.testing.ts';
import type { Store } from '../../ports/store.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../../results/memory.ts';
import { createMemoryStore } from '../../stores/memory/store.ts';
import { verifyExecution } from './verify-execution.ts';

describe('verifying an execution', () => {
  let store: Store;
  let texts: Map<string, string>;
  const verify = (progress?: (events: number) => void) =>
    verifyExecution('e', { ...store, results: createMemoryResults(texts) }, progress);
  const add = async (...events: readonly ((seq: number) => ExecutionEvent)[]) => {
    const expected = await store.log.position('e');
    const appended = events.map((event, offset) => event(expected + offset + 1));
    await store.log.append([append('e', expected, { events: appended })]);
  };
  const iterations = (from: number, count: number) =>
    Array.from({ length: count }, (_, nth) => (seq: number) => iterationDone('e', seq, `1:${from + nth}`));

  beforeEach(() => {
    store = createMemoryStore(createVirtualClock());
    texts = new Map();
  });

  it('counts what was looked at, and tells how far it is', async () => {
    await add(
      (seq) => requested('e', seq, 'p'),
      ...iterations(0, 2_500),
      (seq) => processed('e', seq, 'success'),
    );
    const seen: number[] = [];
    expect(await verify((events) => seen.push(events))).toMatchObject({
      events: 2_502,
      iterations: 2_500,
      hash: (await store.executions.get('e'))?.hash,
      difference: undefined,
    });
    expect(seen.at(-1)).toBe(2_502);
    expect(seen.length).toBeGreaterThan(1);
  });

  it('is not misled by what is appended meanwhile', async () => {
    await add((seq) => requested('e', seq, 'p'), ...iterations(0, 1_500));
    let more = 0;
    const { difference, events } = await verify(() => {
      if (more++ < 5) void add(...iterations(1_500 + more * 10, 10), (seq) => note('e', seq));
    });
    expect(difference).toBeUndefined();
    expect(events).toBeGreaterThan(1_501);
  });

  it('lets the store read on while it looks at a page', async () => {
    const results = createMemoryResults(texts);
    const reference = await results.put('x');
    await add(
      (seq) => note('e', seq, reference),
      (seq) => requested('e', seq, 'p'),
      ...iterations(0, 3_500),
    );
    const order: string[] = [];
    const { inspection } = store;
    /** As a store in a thread does it: what is asked for goes out when the asking thread pauses. */
    const chain: typeof inspection.chain = async (...asked) => {
      await Promise.resolve();
      order.push('read');
      return inspection.chain(...asked);
    };
    const inspect: typeof results.inspect = (inspected) => {
      order.push('look');
      return results.inspect(inspected);
    };
    const ports = { ...store, inspection: { ...inspection, chain }, results: { ...results, inspect } };
    expect((await verifyExecution('e', ports)).difference).toBeUndefined();
    expect(order.slice(0, 3)).toEqual(['read', 'read', 'look']);
  });

  it('names the first event that the index misleads about, however late it is told', async () => {
    await add((seq) => requested('e', seq, 'p'), ...iterations(0, 3_500));
    const { inspection } = store;
    const misleading =
      (about: readonly number[]): typeof inspection.indexed =>
      async (execution, loop, indexes) =>
        (await inspection.indexed(execution, loop, indexes)).map((seq, nth) =>
          about.includes(indexes[nth] ?? -1) ? undefined : seq,
        );
    for (const about of [[0, 3_400], [1_700], [3_499]]) {
      const ports = { ...store, inspection: { ...inspection, indexed: misleading(about) } };
      const { difference } = await verifyExecution('e', { ...ports, results: createMemoryResults(texts) });
      expect(difference).toMatchObject({ what: 'index', seq: (about[0] ?? 0) + 2 });
    }
  });

  it('looks into results for what they name', async () => {
    const results = createMemoryResults(texts);
    const inner = await results.put('inner');
    const outer = await results.put({ list: [inner] });
    await add(
      (seq) => requested('e', seq, 'p'),
      (seq) => note('e', seq, outer),
      (seq) => note('e', seq, outer),
    );
    expect(await verify()).toMatchObject({ results: 2, resultBytes: inner.size + outer.size, difference: undefined });
    texts.delete(inner.key);
    expect((await verify()).difference).toMatchObject({ what: 'result.missing', seq: 2, place: inner.key });
  });

  it('does not take a result of another store for its own', async () => {
    const reference = { ...(await createMemoryResults(texts).put('x')), store: 'elsewhere' };
    await add(
      (seq) => requested('e', seq, 'p'),
      (seq) => note('e', seq, reference),
    );
    expect((await verify()).difference).toMatchObject({ what: 'result.unknown', seq: 2, found: 'store elsewhere' });
  });
});
