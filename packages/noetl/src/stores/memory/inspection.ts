import { chainHash } from '../../ports/chain.ts';
import type { ChainBreak, ChainPage, ChainPlace, Inspection } from '../../ports/inspection.ts';

/** What the parts of the store hold. */
interface Inspected {
  /** The events' texts, by execution. */
  readonly histories: ReadonlyMap<string, readonly string[]>;
  /** Of each loop the positions at which its iterations ended, by index. */
  readonly loops: ReadonlyMap<string, readonly number[]>;
  hashAt(execution: string, position: number): string | undefined;
}

const PAGE = 1_000;

export function createMemoryInspection({ histories, loops, hashAt }: Inspected): Inspection {
  function chain(execution: string, from: ChainPlace): ChainPage {
    const stored = histories.get(execution) ?? [];
    const texts: string[] = [];
    let to = from;
    const page = (then: ChainPage['then']): ChainPage => ({
      texts: `[${texts.join(',\n')}]`,
      count: texts.length,
      to,
      then,
    });
    for (let position = from.position + 1; position <= from.position + PAGE; position++) {
      const text = stored[position - 1];
      const hash = hashAt(execution, position);
      if (text === undefined && hash === undefined) return page('end');
      if (text === undefined) return page({ position, what: 'missing', expected: `event ${position}`, found: 'none' });
      if (hash === undefined) return page({ position, what: 'extra', expected: 'the end', found: `event ${position}` });
      const computed = chainHash(to.hash, text);
      if (computed !== hash) return page(culprit(execution, position, hash, computed));
      texts.push(text);
      to = { position, hash };
    }
    return page('more');
  }

  /** Hash and text do not agree: the event behind was made of the right one of the two hashes. */
  function culprit(execution: string, position: number, stored: string, computed: string): ChainBreak {
    const text = histories.get(execution)?.[position];
    const next = hashAt(execution, position + 1);
    const isRight = (hash: string): boolean =>
      text === undefined || next === undefined ? next === text && hash === stored : chainHash(hash, text) === next;
    if (isRight(stored)) return { position, what: 'text', expected: stored, found: computed };
    if (isRight(computed)) return { position, what: 'hash', expected: computed, found: stored };
    return { position, what: 'event', expected: stored, found: computed };
  }

  const endedIn = (loop: string, until: number): number =>
    (loops.get(loop) ?? []).filter((position) => position <= until).length;

  return {
    chain: async (execution, from) => chain(execution, from),
    indexed: async (_, loop, indexes) => indexes.map((index) => loops.get(loop)?.[index]),
    indexSize: async (execution, until) =>
      [...loops.keys()]
        .filter((loop) => loop.startsWith(`${execution}:`))
        .reduce((sum, loop) => sum + endedIn(loop, until), 0),
    sourceSize: async ({ loop, until }) => endedIn(loop, until ?? Number.MAX_SAFE_INTEGER),
    // Milestones are found in the log itself.
    unlisted: async () => undefined,
    ids: async (before = Number.MAX_SAFE_INTEGER, limit) =>
      [...histories.keys()]
        .map((execution, nth) => ({ number: nth + 1, execution }))
        .filter(({ number }) => number < before)
        .slice(-limit)
        .reverse(),
    // Texts are kept under their execution, and nowhere else.
    strays: async () => 0,
  };
}
