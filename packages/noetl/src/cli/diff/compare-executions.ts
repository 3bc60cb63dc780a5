import type { JsonMap } from '@noetl/playbook';
import type { DataFolder } from '../data-folder.ts';
import { createComparing, keyOf } from './comparable-event.ts';
import { createDifferenceList, type Found } from './difference-list.ts';
import { createDigestTable } from './digest-table.ts';
import { createTallying, type Tally } from './execution-tally.ts';
import { eventsOf, type History, sharedBy } from './history.ts';
import { jsonDigest } from './json-digest.ts';

export interface Comparison {
  readonly a: Tally;
  readonly b: Tally;
  /** The first ones, in their order. */
  readonly differences: readonly Found[];
  readonly count: number;
}

/**
 * Compares what two executions said about the same things. Of B digests are kept, then A is read beside them, then B once
 * more for what is to be shown: memory for numbers, never for a log.
 */
export async function compareExecutions(a: History, b: History, folder: DataFolder, most: number): Promise<Comparison> {
  const shared = sharedBy(a, b);
  const table = createDigestTable();
  const tallyB = createTallying();
  const comparingB = createComparing();
  for await (const page of eventsOf(b, folder)) {
    for (const read of page) {
      tallyB.take(read);
      const found = comparingB(read);
      if (found === undefined || read.at <= shared) continue;
      table.set(jsonDigest(keyOf(found.about)), jsonDigest(found.said), read.at);
    }
  }
  const list = createDifferenceList(most);
  const tallyA = createTallying();
  const comparingA = createComparing();
  for await (const page of eventsOf(a, folder)) {
    for (const read of page) {
      tallyA.take(read);
      const found = comparingA(read);
      if (found === undefined || read.at <= shared) continue;
      const met = table.meet(jsonDigest(keyOf(found.about)));
      if (met?.digest === jsonDigest(found.said)) continue;
      const other = met && { at: met.at, said: undefined };
      list.add({ about: found.about, a: { at: read.at, said: found.said }, b: other });
    }
  }
  const told = { a: tallyA.read(), b: tallyB.read() };
  if (list.count === 0 && table.unmet === 0) return { ...told, differences: [], count: 0 };
  const wanted = new Map<number, JsonMap | undefined>();
  for (const { b: said } of list.first()) if (said !== undefined) wanted.set(said.at, undefined);
  const readingB = createComparing();
  for await (const page of eventsOf(b, folder)) {
    for (const read of page) {
      const found = readingB(read);
      if (found === undefined || read.at <= shared) continue;
      if (wanted.has(read.at)) wanted.set(read.at, found.said);
      if (table.isUnmet(jsonDigest(keyOf(found.about)))) {
        list.add({ about: found.about, a: undefined, b: { at: read.at, said: found.said } });
      }
    }
  }
  const differences = list.first().map((found): Found => {
    const said = found.b && (found.b.said ?? wanted.get(found.b.at));
    return found.b === undefined ? found : { ...found, b: { at: found.b.at, said } };
  });
  return { ...told, differences, count: list.count };
}
