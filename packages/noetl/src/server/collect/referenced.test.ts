import { expect, it } from 'vitest';
import { append } from '../../ports/log-under-test.testing.ts';
import { note, requested } from '../../ports/sample-events.testing.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../../results/memory.ts';
import { createRoutedResults } from '../../results/routed.ts';
import { splitTags } from '../../results/scan-tags.ts';
import { createMemoryStore } from '../../stores/memory/store.ts';
import { referencedKeys } from './referenced.ts';

it('finds results that only a result of another store names (RES-3)', async () => {
  const store = createMemoryStore(createVirtualClock());
  const other = createMemoryResults();
  const results = createRoutedResults(createMemoryResults(), () => other);
  const inner = await results.put('inner');
  const outer = { ...(await other.put({ list: [inner] })), store: 'other' };
  await store.log.append([append('e', 0, { events: [requested('e', 1, 'p'), note('e', 2, outer)] })]);
  const sources = {
    inspection: store.inspection,
    results,
    tagsIn: (json: string) =>
      splitTags()
        .take(json)
        .filter((part) => typeof part !== 'string'),
  };
  expect([...(await referencedKeys(results.name, sources))]).toEqual([inner.key]);
});
