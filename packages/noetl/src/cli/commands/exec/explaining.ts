import {
  type ExecutionEvent,
  type ExecutionState,
  type Explanation,
  evolve,
  explain,
  type KnownValues,
  type Loaded,
  type Plan,
  type ResultReference,
  TAG,
  type Tagged,
} from '@noetl/engine';
import { loadValues } from '../../../server/load-values.ts';
import { storedState } from '../../../server/stored-state.ts';
import { sourceOfExecution } from '../../sourced-plan.ts';
import type { Explanations } from '../../views/event-list.ts';
import { readable } from './log-pages.ts';
import type { Look } from './looking.ts';

/** The conditions behind the events of a page, told from the state of the log before each. */
export async function explainEvents(id: string, events: readonly ExecutionEvent[], look: Look): Promise<Explanations> {
  const { folder, machine } = look;
  const { plan } = await sourceOfExecution(id, folder, machine);
  const sources = { log: folder.store.log, results: folder.results, snapshots: folder.store.snapshots };
  const explanations = new Map<number, Explanation>();
  const [first] = events;
  if (first === undefined) return explanations;
  let state = await storedState(id, sources, first.seq - 1);
  const cache = new Map<string, Loaded>();
  for (const event of events) {
    const explanation = await explained(plan, state, event, cache, sources);
    if (explanation !== undefined) explanations.set(event.seq, explanation);
    state = evolve(state, await readable(event, sources));
  }
  return explanations;
}

/** What is larger is told as a reference: nobody reads so much in a line. */
const CHEAP = 256 * 1024;
/** References may lead to references. */
const ROUNDS = 4;
const MOST_KEPT = 50;

async function explained(
  plan: Plan,
  state: ExecutionState,
  event: ExecutionEvent,
  cache: Map<string, Loaded>,
  sources: Parameters<typeof loadValues>[1],
): Promise<Explanation | undefined> {
  for (let round = 1; ; round++) {
    const known: KnownValues = cache;
    const { explanation, wanted } = explain(plan, state, event, known);
    const cheap = round < ROUNDS ? wanted.filter(isCheap) : [];
    if (cheap.length === 0) return explanation;
    if (cache.size > MOST_KEPT) cache.clear();
    for (const [key, value] of await loadValues(cheap, sources)) cache.set(key, value);
  }
}

const isCheap = (tagged: Tagged): boolean => tagged[TAG] === 'reference' && (tagged as ResultReference).size <= CHEAP;
