import type { ExecutionEvent } from '@noetl/engine';
import type { Inspection } from '../../ports/inspection.ts';
import { iterationEndOf } from '../../ports/iteration-end.ts';
import type { Difference } from './difference.ts';
import { createMilestoneCheck } from './milestone-index.ts';

/** Compares the indexes of a log with the events that they lead to, some at a time. */
export interface IndexCheck {
  note(event: ExecutionEvent): void;
  /**
   * Asks the store about the events noted since the last time, and gives the answer about those of the time before: the
   * first event that an index does not lead to. So nobody waits for the store.
   */
  check(): Promise<Difference | undefined>;
  /** The same for all that were noted. */
  checked(): Promise<Difference | undefined>;
  /** Whether the index of iterations has entries beside those of all events that were noted, which are those up to a position. */
  end(position: number): Promise<Difference | undefined>;
  /** How many iterations have ended. */
  count(): number;
}

/** Iterations of a loop, and where they ended. */
interface Ends {
  readonly indexes: number[];
  readonly positions: number[];
}

export function createIndexCheck(execution: string, inspection: Inspection): IndexCheck {
  const milestones = createMilestoneCheck(execution, inspection);
  let loops = new Map<string, Ends>();
  let count = 0;
  let asked: Promise<Difference | undefined> = Promise.resolve(undefined);

  async function ask(): Promise<Difference | undefined> {
    const questions = [...loops].map(misled);
    loops = new Map();
    const [unlisted, ...answers] = await Promise.all([milestones.ask(), ...questions]);
    const [first] = answers.flat().sort((one, other) => one.seq - other.seq);
    const found = first === undefined ? undefined : differenceOf(first);
    return (unlisted?.seq ?? Number.MAX_SAFE_INTEGER) < (found?.seq ?? Number.MAX_SAFE_INTEGER) ? unlisted : found;
  }

  async function misled([loop, { indexes, positions }]: readonly [string, Ends]): Promise<readonly Misled[]> {
    const indexed = await inspection.indexed(execution, loop, indexes);
    const nth = positions.findIndex((position, at) => position !== indexed[at]);
    const [index, seq] = [indexes[nth], positions[nth]];
    return index === undefined || seq === undefined ? [] : [{ loop, index, seq, found: indexed[nth] }];
  }

  return {
    note(event) {
      milestones.note(event);
      const end = iterationEndOf(event);
      if (end === undefined) return;
      count += 1;
      const ends = loops.get(end.loop) ?? { indexes: [], positions: [] };
      ends.indexes.push(end.index);
      ends.positions.push(event.seq);
      loops.set(end.loop, ends);
    },
    async check() {
      const before = await asked;
      asked = ask();
      // Whoever ends before the answer comes does not ask what it was.
      asked.catch(() => undefined);
      return before;
    },
    async checked() {
      return (await asked) ?? (await ask());
    },
    async end(position) {
      const found = await inspection.indexSize(execution, position);
      if (found === count) return undefined;
      const message = 'the index of iterations has entries for which there is no event';
      return { what: 'index', place: 'iterations', expected: `${count} entries`, found: `${found} entries`, message };
    },
    count: () => count,
  };
}

interface Misled {
  readonly loop: string;
  readonly index: number;
  readonly seq: number;
  readonly found: number | undefined;
}

const differenceOf = ({ loop, index, seq, found }: Misled): Difference => ({
  what: 'index',
  seq,
  place: `iterations (${loop}, ${index})`,
  expected: `event ${seq}`,
  found: found === undefined ? 'nothing' : `event ${found}`,
  message: `the index of iterations does not lead to event ${seq}, which ended iteration ${index} of ${loop}`,
});
