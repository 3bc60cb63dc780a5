import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import { checkedPieces, contentOf, fetchedFrom, inspectedFrom, measuring, referenceTo } from './content.ts';

/** Results that live as long as the process: the texts by key. */
export function createMemoryResults(texts: Map<string, string> = new Map()): ResultStore {
  const name = 'memory';
  return {
    name,
    put: async (value) => {
      const content = contentOf(name, value);
      texts.set(content.reference.key, content.text);
      return content.reference;
    },
    putPieces: async (pieces, schemaHint) => {
      const passing = measuring(pieces);
      const kept = await text(passing.pieces());
      const { key, size } = passing.measured();
      texts.set(key, kept);
      return referenceTo(name, key, size, schemaHint());
    },
    async *read(reference) {
      const kept = texts.get(reference.key);
      if (kept === undefined) throw new ResultLost(reference, 'missing');
      yield* checkedPieces(Readable.from([Buffer.from(kept)]), reference);
    },
    get: async (reference) => fetchedFrom(texts.get(reference.key), reference),
    inspect: async (reference) => {
      const kept = texts.get(reference.key);
      if (kept === undefined) return { kind: 'missing', place: reference.key };
      return inspectedFrom(Readable.from([Buffer.from(kept)]), reference, reference.key);
    },
    remove: async (references) => {
      for (const { key } of references) texts.delete(key);
    },
  };
}
