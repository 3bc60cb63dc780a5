import type { ExecutionEntry } from '../../../ports/executions.ts';
import type { CalledByRun, CalledExecution, CalledTree } from '../../views/called-tree.ts';
import type { Look } from './looking.ts';

/** Of each step run so many children are shown one by one; of more, those that failed. */
const LISTED = 10;
/** Rows of a whole tree. */
const ROWS = 100;
/** Entries that are read at a time. */
const PAGE = 1_000;

/** What an execution called, and what these called, as far as it has room on a page. The memory it takes is bounded. */
export async function readCalledTree(id: string, look: Pick<Look, 'folder'>): Promise<CalledTree> {
  const budget = { rows: ROWS };
  return readBelow(id, look, budget);
}

async function readBelow(id: string, look: Pick<Look, 'folder'>, budget: { rows: number }): Promise<CalledTree> {
  const runs = await countCalled(id, look);
  const tree: CalledByRun[] = [];
  for (const { run, statuses, count, newest, failed } of runs) {
    const wanted = count <= LISTED ? newest : failed;
    const listed: CalledExecution[] = [];
    for (const entry of byIteration(id, wanted.toReversed())) {
      if (budget.rows === 0) break;
      budget.rows -= 1;
      const { execution, path, version, status, requestedAt, endedAt } = entry;
      const iteration = workIn(id, execution).path;
      const calls = await readBelow(execution, look, budget);
      listed.push({ execution, path, version, status, requestedAt, endedAt, iteration, calls });
    }
    tree.push({ run, count, statuses, listed });
  }
  return tree;
}

interface Counted {
  readonly run: number;
  count: number;
  readonly statuses: Record<string, number>;
  /** Newest first; of failed ones those that failed first are kept. */
  readonly newest: ExecutionEntry[];
  readonly failed: ExecutionEntry[];
}

async function countCalled(parent: string, { folder }: Pick<Look, 'folder'>): Promise<readonly Counted[]> {
  const runs = new Map<number, Counted>();
  for (let before: number | undefined; ; ) {
    const page: readonly ExecutionEntry[] = await folder.store.executions.list({ parent }, before, PAGE);
    for (const entry of page) {
      const { run } = workIn(parent, entry.execution);
      const counted = runs.get(run) ?? { run, count: 0, statuses: {}, newest: [], failed: [] };
      runs.set(run, counted);
      counted.count += 1;
      counted.statuses[entry.status] = (counted.statuses[entry.status] ?? 0) + 1;
      if (counted.newest.length < LISTED) counted.newest.push(entry);
      if (entry.status === 'error' || entry.status === 'cancelled') {
        counted.failed.push(entry);
        if (counted.failed.length > LISTED) counted.failed.shift();
      }
    }
    if (page.length < PAGE) return [...runs.values()].sort((one, other) => one.run - other.run);
    before = page.at(-1)?.number;
  }
}

/** In the order of a loop; otherwise as they were called. */
const byIteration = (parent: string, entries: readonly ExecutionEntry[]): readonly ExecutionEntry[] =>
  entries.toSorted((one, other) => {
    const [a, b] = [one, other].map(({ execution }) => workIn(parent, execution).path.split('.').map(Number));
    const at = a?.findIndex((index, place) => index !== b?.[place]) ?? -1;
    return at < 0 ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0);
  });

/** Which work called it: the id of a child goes on from that of its parent with run, indexes, position, visit, attempt. */
function workIn(parent: string, child: string): { readonly run: number; readonly path: string } {
  const [run = 0, ...rest] = child
    .slice(parent.length + 1)
    .split('-')
    .map(Number);
  return { run, path: rest.slice(0, -3).join('.') };
}
