import { type ExecutionEvent, TAG } from '@noetl/engine';
import type { ExecutionFacts } from '../../ports/execution-facts.ts';
import type { Executions } from '../../ports/executions.ts';
import { CHAIN_START, type ChainPage } from '../../ports/inspection.ts';
import type { Snapshots } from '../../ports/snapshots.ts';
import { hydrated } from '../informed-decision.ts';
import { type Difference, shown } from './difference.ts';
import { createIndexCheck } from './iteration-index.ts';
import { brokenChain, parsedPage, strangeEvent, unreadable } from './log-page.ts';
import { createReferenceCheck, type ReferencePorts } from './references.ts';
import { createWalk } from './walk.ts';

export interface VerifyPorts extends ReferencePorts {
  readonly executions: Executions;
  readonly snapshots: Snapshots;
}

export interface Verification {
  readonly execution: string;
  /** What was looked at: all there is, or up to the difference. */
  readonly events: number;
  /** Of the last event that was looked at. */
  readonly hash: string;
  readonly iterations: number;
  readonly snapshots: number;
  readonly results: number;
  readonly resultBytes: number;
  readonly difference: Difference | undefined;
}

/**
 * Folds the log of an execution alone, and compares everything that is stored of it with what the log says: the chain of
 * hashes, the results that events name, the index of iterations, snapshots, the row of the execution. It ends at the first
 * difference. However long the log is, a page of it is in memory at a time.
 */
export async function verifyExecution(
  execution: string,
  ports: VerifyPorts,
  progress: (events: number) => void = () => undefined,
): Promise<Verification> {
  const { inspection } = ports;
  const references = createReferenceCheck(execution, ports);
  const walk = createWalk(await ports.snapshots.list(execution));
  const index = createIndexCheck(execution, inspection);
  let hash = '';

  const difference = await firstDifferenceOf();
  return {
    execution,
    events: walk.state().seq,
    hash,
    iterations: index.count(),
    snapshots: walk.snapshots(),
    results: references.counts.results,
    resultBytes: references.counts.bytes,
    difference,
  };

  async function firstDifferenceOf(): Promise<Difference | undefined> {
    for (let page = await inspection.chain(execution, CHAIN_START); ; ) {
      // The store reads on while this page is looked at: the request goes out before.
      const following = page.then === 'more' ? inspection.chain(execution, page.to) : undefined;
      await Promise.resolve();
      const found = await inPage(page);
      if (found !== undefined) {
        await following?.catch(() => undefined);
        return found;
      }
      hash = page.to.hash;
      progress(walk.state().seq);
      if (following !== undefined) {
        page = await following;
        continue;
      }
      const misled = await index.checked();
      if (misled !== undefined) return misled;
      if (page.then !== 'end' && page.then !== 'more') return brokenChain(page.then);
      const entry = await ports.executions.get(execution);
      if (entry === undefined || entry.position <= page.to.position) return atEnd(entry);
      // Somebody has appended meanwhile.
      page = await inspection.chain(execution, page.to);
    }
  }

  /** What the index says of the page before comes first; what it says of this one is known with the next. */
  async function inPage({ texts, count, to }: ChainPage): Promise<Difference | undefined> {
    const first = to.position - count + 1;
    const { events, difference: unparsed } = parsedPage(texts, first, count);
    const named = texts.includes(`"${TAG}"`);
    let seq = first;
    for (const event of events) {
      const found =
        strangeEvent(event, execution, seq) ??
        (named ? await references.check(event) : undefined) ??
        (isPlain(event) ? folded(event, event) : await foldedOther(event));
      // What the index says of earlier events comes first.
      if (found !== undefined) return (await index.checked()) ?? found;
      index.note(event);
      seq += 1;
    }
    if (unparsed !== undefined) return (await index.checked()) ?? unparsed;
    return index.check();
  }

  function folded(event: ExecutionEvent, stored: ExecutionEvent): Difference | undefined {
    try {
      return walk.take(event);
    } catch (error) {
      return unreadable(stored.seq, JSON.stringify(stored), error);
    }
  }

  async function foldedOther(stored: ExecutionEvent): Promise<Difference | undefined> {
    try {
      return folded(await hydrated(stored, ports), stored);
    } catch (error) {
      return unreadable(stored.seq, JSON.stringify(stored), error);
    }
  }

  async function atEnd(entry: ExecutionFacts | undefined): Promise<Difference | undefined> {
    const { phase, seq } = walk.state();
    // Others may append to one that is not over.
    const last = phase === 'processed' ? Number.MAX_SAFE_INTEGER : seq;
    return walk.end() ?? factDifference(walk.facts(), entry) ?? index.end(last);
  }
}

/** Nearly all events are folded as they are stored. */
const isPlain = (event: ExecutionEvent): boolean => event.name !== 'execution.forked' && !('v' in event);

/** What the row of the execution says beside its position and hash, which the chain has been compared with. */
function factDifference(expected: ExecutionFacts, found: ExecutionFacts | undefined): Difference | undefined {
  for (const fact of Object.keys(expected) as (keyof ExecutionFacts)[]) {
    if (JSON.stringify(expected[fact]) === JSON.stringify(found?.[fact])) continue;
    const column = fact.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return {
      what: 'fact',
      place: `executions.${column}`,
      expected: shown(expected[fact]),
      found: shown(found?.[fact]),
      message: `the row of the execution says otherwise than its log: ${column} differs`,
    };
  }
  return undefined;
}
