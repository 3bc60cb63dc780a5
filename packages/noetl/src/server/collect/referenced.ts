import { type ResultReference, TAG, type Tagged, tagKey } from '@noetl/engine';
import { CHAIN_START, type Inspection } from '../../ports/inspection.ts';
import type { ResultStore } from '../../ports/result-store.ts';

/** A log that cannot be read to its end may name results that nobody sees. */
export class UnreadableLog extends Error {
  override name = 'UnreadableLog';
  readonly execution: string;
  constructor(execution: string) {
    super(`the log of the execution '${execution}' is not what was written.`);
    this.execution = execution;
  }
}

export interface ReferenceSources {
  readonly inspection: Pick<Inspection, 'chain' | 'ids'>;
  readonly results: Pick<ResultStore, 'inspect'>;
  /** Finds what stands for other values in the JSON of events. */
  tagsIn(json: string): readonly Tagged[];
}

/** How many executions are listed at a time. */
const PAGE = 100;

/**
 * The keys of all results of a store that some log names, or that stand in another result that one names, in whatever store
 * (RES-3). Logs of the executions that are `gone` do not count.
 */
export async function referencedKeys(
  store: string,
  sources: ReferenceSources,
  gone: ReadonlySet<string> = new Set(),
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const followed = new Set<string>();
  const note = async (tags: readonly Tagged[]): Promise<void> => {
    for (const tagged of tags) {
      if (tagged[TAG] !== 'reference') continue;
      const reference = tagged as ResultReference;
      if (followed.has(tagKey(reference))) continue;
      followed.add(tagKey(reference));
      if (reference.store === store) keys.add(reference.key);
      const inspected = await sources.results.inspect(reference);
      if (inspected.kind === 'intact') await note(inspected.tags);
    }
  };
  for (let before: number | undefined; ; ) {
    const page = await sources.inspection.ids(before, PAGE);
    for (const { execution } of page) {
      if (gone.has(execution)) continue;
      for await (const json of textsOf(execution, sources)) await note(sources.tagsIn(json));
    }
    before = page.at(-1)?.number;
    if (page.length < PAGE) return keys;
  }
}

async function* textsOf(execution: string, { inspection }: ReferenceSources): AsyncGenerator<string> {
  for (let from = CHAIN_START; ; ) {
    const { texts, to, then } = await inspection.chain(execution, from);
    yield texts;
    if (then === 'end') return;
    if (then !== 'more') throw new UnreadableLog(execution);
    from = to;
  }
}
