import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { resultStoreContract } from '../ports/result-store.contract.testing.ts';
import type { ResultStore } from '../ports/result-store.ts';
import { createMemoryResults } from './memory.ts';
import { createRoutedResults } from './routed.ts';

resultStoreContract('routed', async () => {
  const texts = new Map<string, string>();
  return {
    results: createRoutedResults(createMemoryResults(texts), () => ({ problem: 'no other' })),
    damage: async (key) => {
      texts.set(key, `${texts.get(key)} `);
    },
    close: async () => undefined,
  };
});

describe('several stores as one', () => {
  const inMemory = (name: string): ResultStore => {
    const memory = createMemoryResults();
    return { ...memory, name, put: async (value) => ({ ...(await memory.put(value)), store: name }) };
  };
  const routed = () =>
    createRoutedResults(createMemoryResults(), (name) =>
      name.startsWith('other') ? inMemory(name) : { problem: `no '${name}'` },
    );
  const chosen = (results: ReturnType<typeof routed>, name: string): ResultStore => {
    const store = results.named(name);
    if ('problem' in store) throw new Error(store.problem);
    return store;
  };

  it('find a value by what its reference says (RES-1)', async () => {
    const results = routed();
    const reference = await chosen(results, 'other/place').put(['x']);
    expect(reference.store).toBe('other/place');
    expect(await results.get(reference)).toEqual({ kind: 'value', value: ['x'] });
    expect(await text(results.read(reference))).toBe('["x"]');
    expect(await results.inspect(reference)).toEqual({ kind: 'intact', tags: [] });
    expect(await results.get({ ...reference, store: 'memory' })).toEqual({ kind: 'missing' });
  });

  it('remove what each of them has', async () => {
    const results = routed();
    const references = [await results.put('a'), await chosen(results, 'other').put('b'), await results.put('c')];
    await results.remove(references.slice(0, 2));
    const left = await Promise.all(references.map((reference) => results.get(reference)));
    expect(left.map(({ kind }) => kind)).toEqual(['missing', 'missing', 'value']);
  });

  it('say which store is not there', async () => {
    const results = routed();
    const reference = { ...(await results.put('a')), store: 'gone' };
    const unknown = { code: 'NOETL_STORE_UNCONFIGURED', message: "no 'gone'", fields: { store: 'gone' } };
    await expect(results.get(reference)).rejects.toMatchObject(unknown);
    await expect(results.inspect(reference)).rejects.toMatchObject(unknown);
    await expect(text(results.read(reference))).rejects.toMatchObject(unknown);
  });
});
