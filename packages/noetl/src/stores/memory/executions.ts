import type { ExecutionEvent } from '@noetl/engine';
import { chainHash } from '../../ports/chain.ts';
import { factsAfter } from '../../ports/execution-change.ts';
import { type ExecutionFacts, UNKNOWN_FACTS } from '../../ports/execution-facts.ts';
import type { ExecutionEntry, Executions } from '../../ports/executions.ts';

/** The index of executions, and what an append has to tell it. */
export interface MemoryExecutions extends Omit<Executions, 'remove'> {
  /** Forgets an execution that is over and that nothing was forked from; false if it is not. */
  forget(execution: string): boolean;
  /** Says that the event was appended, with this text. */
  note(event: ExecutionEvent, text: string): void;
  /** The hash of an event; undefined for one that the log does not have. */
  hashAt(execution: string, position: number): string | undefined;
}

interface Indexed {
  readonly number: number;
  facts: ExecutionFacts;
  /** Of each event. */
  readonly hashes: string[];
}

export function createMemoryExecutions(): MemoryExecutions {
  const executions = new Map<string, Indexed>();
  let met = 0;

  const entryOf = ([execution, { number, facts, hashes }]: readonly [string, Indexed]): ExecutionEntry => ({
    ...facts,
    execution,
    number,
    position: hashes.length,
    hash: hashes.at(-1) ?? '',
  });
  const entries = (): readonly ExecutionEntry[] => [...executions].map(entryOf);

  return {
    note: (event, text) => {
      const indexed = executions.get(event.execution_id) ?? { number: met + 1, facts: UNKNOWN_FACTS, hashes: [] };
      met = Math.max(met, indexed.number);
      indexed.facts = factsAfter(indexed.facts, event);
      indexed.hashes.push(chainHash(indexed.hashes.at(-1) ?? '', text));
      executions.set(event.execution_id, indexed);
    },
    forget: (execution) => {
      if (executions.get(execution)?.facts.endedAt === undefined) return false;
      if ([...executions.values()].some(({ facts }) => facts.origin?.execution === execution)) return false;
      return executions.delete(execution);
    },
    hashAt: (execution, position) => executions.get(execution)?.hashes[position - 1],
    get: async (execution) => {
      const indexed = executions.get(execution);
      return indexed === undefined ? undefined : entryOf([execution, indexed]);
    },
    list: async ({ status, path, within, parent }, before, limit) =>
      entries()
        .filter((entry) => entry.number < (before ?? Number.POSITIVE_INFINITY))
        .filter((entry) => entry.status === (status ?? entry.status) && entry.path === (path ?? entry.path))
        .filter((entry) => within === undefined || entry.path === within || entry.path.startsWith(below(within)))
        .filter((entry) => parent === undefined || entry.parent === (parent ?? undefined))
        .toReversed()
        .slice(0, limit),
    unfinished: async (after, limit) =>
      entries()
        .filter(({ number, endedAt }) => number > after && endedAt === undefined)
        .slice(0, limit),
  };
}

const below = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
