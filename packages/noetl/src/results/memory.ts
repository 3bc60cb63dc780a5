import { Readable } from 'node:stream';
import type { ResultStore } from '../ports/result-store.ts';
import { contentOf, fetchedFrom, inspectedFrom } from './content.ts';

/** Results that live as long as the process: the texts by key. */
export function createMemoryResults(texts: Map<string, string> = new Map()): ResultStore {
  const name = 'memory';
  return {
    name,
    put: async (value) => {
      const { text, reference } = contentOf(name, value);
      texts.set(reference.key, text);
      return reference;
    },
    get: async (reference) => fetchedFrom(texts.get(reference.key), reference),
    inspect: async (reference) => {
      const text = texts.get(reference.key);
      if (text === undefined) return { kind: 'missing', place: reference.key };
      return inspectedFrom(Readable.from([Buffer.from(text)]), reference, reference.key);
    },
    remove: async (keys) => {
      for (const key of keys) texts.delete(key);
    },
  };
}
