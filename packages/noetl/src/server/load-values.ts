import {
  type ExecutionEvent,
  holdsTag,
  isTagged,
  type Loaded,
  type ManifestSource,
  type ResultManifest,
  type ResultReference,
  TAG,
  type Tagged,
  tagKey,
  unescapeTags,
} from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { EventLog } from '../ports/event-log.ts';
import { iterationEndOf } from '../ports/iteration-end.ts';
import type { ResultStore } from '../ports/result-store.ts';

/** Where values behind references are read from. */
export interface ValueSources {
  readonly log: Pick<EventLog, 'read' | 'iterations'>;
  readonly results: Pick<ResultStore, 'get'>;
}

/** Bytes that may be loaded at a time: more would be too much for the memory of a process. */
const MOST_LOADED = 256 * 1024 * 1024;

/** How many bytes may still be loaded. */
export interface LoadBudget {
  left: number;
}

export const loadBudget = (): LoadBudget => ({ left: MOST_LOADED });

/**
 * RES-2: the values behind references, each fetched once, with the references inside them. `pending` are events that are
 * decided and not in the log yet: iterations that end in them count. What is too large for the budget is a problem.
 */
export async function loadValues(
  tags: readonly Tagged[],
  { log, results }: ValueSources,
  pending: readonly ExecutionEvent[] = [],
  budget = loadBudget(),
): Promise<ReadonlyMap<string, Loaded>> {
  const sources = { log, results, pending, budget };
  const loaded = new Map<string, Loaded>();
  for (const tagged of tags) {
    if (!loaded.has(tagKey(tagged))) loaded.set(tagKey(tagged), await loadTagged(tagged, sources));
  }
  return loaded;
}

/** A value as its users know it: with what its references stand for, and its keys as they were written. */
export async function plainValue(value: Json, { log, results }: ValueSources, budget = loadBudget()): Promise<Loaded> {
  const loaded = await resolved(value, { log, results, pending: [], budget });
  return 'value' in loaded ? { value: unescapeTags(loaded.value) } : loaded;
}

interface LoadSources extends ValueSources {
  readonly pending: readonly ExecutionEvent[];
  readonly budget: LoadBudget;
}

async function loadTagged(tagged: Tagged, sources: LoadSources): Promise<Loaded> {
  if (tagged[TAG] === 'manifest') return loadManifest(tagged as ResultManifest, sources);
  const reference = tagged as ResultReference;
  if (!spend(reference.size, sources)) return tooLarge(`the stored result ${tagKey(reference)}`, reference.size);
  const fetched = await sources.results.get(reference);
  if (fetched.kind === 'value') return resolved(fetched.value, sources);
  return { problem: `the stored result ${reference.store}:${reference.key} is ${fetched.kind}.` };
}

function spend(bytes: number, { budget }: LoadSources): boolean {
  budget.left -= bytes;
  return budget.left >= 0;
}

const tooLarge = (what: string, bytes: number): { readonly problem: string } => ({
  problem: `${what} has ${bytes} bytes or more, and ${MOST_LOADED} are the most that can be read at a time. Make a smaller one where it is made, or hand it on without reading it.`,
});

const tooMany = (total: number): string =>
  `the ${total} results of the loop are more than can be read at a time (${MOST_LOADED} bytes). Make smaller ones, or hand them on without reading them.`;

/** About what an item needs that is no reference. */
const BYTES_OF_ITEM = 64;

/** How many iterations are read at a time. */
const PAGE = 1_000;

/** Finds the ends of iterations that a source of a manifest names. */
type Finder = (source: ManifestSource, sources: LoadSources) => AsyncIterable<ExecutionEvent>;

async function loadManifest(manifest: ResultManifest, sources: LoadSources): Promise<Loaded> {
  const indexed = await itemsOf(manifest, sources, indexedEnds);
  if ('problem' in indexed || indexed.count === manifest.ok + manifest.failed) return indexed;
  // The index is made of the log: losing it costs time, and nothing else.
  return itemsOf(manifest, sources, loggedEnds);
}

async function itemsOf(
  { total, sources: logs }: ResultManifest,
  sources: LoadSources,
  ends: Finder,
): Promise<{ readonly value: Json; readonly count: number } | { readonly problem: string }> {
  const items: Json[] = Array.from({ length: total }, () => null);
  const ended = new Uint8Array(total);
  let count = 0;
  for (const source of logs) {
    for await (const event of withPending(source, sources, ends)) {
      if (event.name !== 'loop.iteration.done' && event.name !== 'loop.iteration.failed') continue;
      const { index } = event.payload;
      if (ended[index] === 0) count += 1;
      ended[index] = 1;
      if (event.name === 'loop.iteration.failed') continue;
      if (!spend(BYTES_OF_ITEM, sources)) return { problem: tooMany(total) };
      const item = await resolved(event.payload.result, sources);
      if ('problem' in item) return item;
      items[index] = item.value;
    }
  }
  return { value: items, count };
}

/**
 * The items of a manifest in their order, as events hold them: what stands in them for other values is not followed. They
 * come by the index, one after the other, or from the logs, all at once, where the index is not whole.
 */
export async function* manifestItems(
  { total, sources: logs }: ResultManifest,
  { log, results }: ValueSources,
  by: 'index' | 'logs',
): AsyncGenerator<Json> {
  const sources = { log, results, pending: [], budget: loadBudget() };
  const ends = by === 'index' ? logs.map((source) => indexedEnds(source, sources)) : [sortedEnds(logs, sources)];
  let next = 0;
  for await (const event of merged(ends)) {
    const index = indexOf(event);
    if (index < next) continue;
    for (; next < index; next++) yield null;
    yield event.name === 'loop.iteration.done' ? event.payload.result : null;
    next = index + 1;
  }
  for (; next < total; next++) yield null;
}

async function* sortedEnds(logs: readonly ManifestSource[], sources: LoadSources): AsyncGenerator<ExecutionEvent> {
  const all: ExecutionEvent[] = [];
  for (const source of logs) for await (const event of loggedEnds(source, sources)) all.push(event);
  yield* all.sort((one, other) => indexOf(one) - indexOf(other));
}

/** Ends of iterations that come in order from each, in order from all. */
async function* merged(ends: readonly AsyncGenerator<ExecutionEvent>[]): AsyncGenerator<ExecutionEvent> {
  const heads = await Promise.all(ends.map((one) => one.next()));
  for (;;) {
    let least: { readonly nth: number; readonly event: ExecutionEvent } | undefined;
    for (const [nth, { value, done }] of heads.entries()) {
      if (done !== true && (least === undefined || indexOf(value) < indexOf(least.event)))
        least = { nth, event: value };
    }
    if (least === undefined) return;
    yield least.event;
    const from = ends[least.nth];
    if (from !== undefined) heads[least.nth] = await from.next();
  }
}

async function* withPending(
  source: ManifestSource,
  sources: LoadSources,
  ends: Finder,
): AsyncGenerator<ExecutionEvent> {
  yield* sources.pending.filter((event) => iterationEndOf(event)?.loop === source.loop);
  yield* ends(source, sources);
}

async function* loggedEnds(source: ManifestSource, { log }: LoadSources): AsyncGenerator<ExecutionEvent> {
  const until = source.until ?? Number.MAX_SAFE_INTEGER;
  for (let after = 0; after < until; ) {
    const page = await log.read(source.execution_id, after, Math.min(PAGE, until - after));
    yield* page.filter((event) => iterationEndOf(event)?.loop === source.loop);
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

async function* indexedEnds(source: ManifestSource, { log }: LoadSources): AsyncGenerator<ExecutionEvent> {
  for (let from = 0; ; ) {
    const page = await log.iterations(source, from, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = indexOf(last) + 1;
  }
}

const indexOf = (event: ExecutionEvent): number => ('index' in event.payload ? event.payload.index : 0);

/** The value itself where it holds no reference: a list of a million items is not to be waited for a million times. */
async function resolved(value: Json, sources: LoadSources): Promise<Loaded> {
  if (isTagged(value)) return loadTagged(value, sources);
  if (typeof value !== 'object' || value === null || !holdsTag(value)) return { value };
  const entries: [string, Json][] = [];
  let changed = false;
  for (const [key, item] of Object.entries(value)) {
    const inner = await resolved(item, sources);
    if ('problem' in inner) return inner;
    changed ||= inner.value !== item;
    entries.push([key, inner.value]);
  }
  if (!changed) return { value };
  return { value: Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries) };
}
