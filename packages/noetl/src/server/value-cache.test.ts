import { expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import type { ValueSources } from './load-values.ts';
import { createValueCache } from './value-cache.ts';

function cachedFrom(sources: ValueSources) {
  const load = createValueCache();
  return (tags: Parameters<typeof load>[0]) => load(tags, sources);
}

const LIST = Array.from({ length: 1_000 }, (_, index) => index);

it('a value that many ask for at the same moment is fetched once (RES-2)', async () => {
  const results = createMemoryResults();
  const reference = await results.put(LIST);
  let fetches = 0;
  const counted = {
    ...results,
    get: (wanted: typeof reference) => {
      fetches += 1;
      return results.get(wanted);
    },
  };
  const { log } = createMemoryStore(createVirtualClock());
  const load = cachedFrom({ log, results: counted });

  const all = await Promise.all(Array.from({ length: 100 }, () => load([reference])));
  const later = await load([reference]);

  expect(fetches).toBe(1);
  for (const known of [...all, later]) expect([...known.values()]).toEqual([{ value: LIST }]);
});

it('a value that was not found is looked for again (RES-2)', async () => {
  const results = createMemoryResults();
  const reference = await results.put(LIST);
  await results.remove([reference]);
  const { log } = createMemoryStore(createVirtualClock());
  const load = cachedFrom({ log, results });

  expect([...(await load([reference])).values()]).toEqual([{ problem: expect.stringContaining('is missing') }]);
  await results.put(LIST);
  expect([...(await load([reference])).values()]).toEqual([{ value: LIST }]);
});

it('large values do not stay beside others, but the newest stays (RES-2)', async () => {
  const results = createMemoryResults();
  const large = 'x'.repeat(40 * 1024 * 1024);
  const references = [await results.put(`a${large}`), await results.put(`b${large}`)];
  const fetches: string[] = [];
  const counted = {
    ...results,
    get: (wanted: (typeof references)[number]) => {
      fetches.push(references[0] === wanted ? 'a' : 'b');
      return results.get(wanted);
    },
  };
  const load = cachedFrom({ log: createMemoryStore(createVirtualClock()).log, results: counted });
  for (const nth of [0, 0, 1, 1, 0]) await load(references.slice(nth, nth + 1));
  expect(fetches).toEqual(['a', 'b', 'a']);
});

it('a value that memory cannot hold is a problem that templates meet, and is not fetched (RES-2)', async () => {
  const results = createMemoryResults();
  const reference = { ...(await results.put('small')), size: 1024 ** 3 };
  const load = cachedFrom({ log: createMemoryStore(createVirtualClock()).log, results });
  expect([...(await load([reference])).values()]).toEqual([
    { problem: expect.stringContaining('has 1073741824 bytes or more, and 268435456 are the most') },
  ]);
});
