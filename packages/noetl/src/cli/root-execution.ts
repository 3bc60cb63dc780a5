import type { Executions } from '../ports/executions.ts';

/**
 * The execution that nobody called, from which this one comes. It stands for all of its tree: who drives it drives its
 * children, and going on with it goes on with them.
 */
export async function rootOf(id: string, executions: Pick<Executions, 'get'>): Promise<string> {
  const parent = (await executions.get(id))?.parent;
  return parent === undefined ? id : rootOf(parent, executions);
}

/** How many unfinished executions are looked at in one go. */
const PAGE = 200;

/** The executions below a root that are not over, parents first. */
export async function unfinishedBelow(
  root: string,
  executions: Pick<Executions, 'get' | 'unfinished'>,
): Promise<readonly string[]> {
  const below: string[] = [];
  for (let after = 0; ; ) {
    const page = await executions.unfinished(after, PAGE);
    for (const { execution, parent } of page) {
      if (parent !== undefined && (await rootOf(parent, executions)) === root) below.push(execution);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return below;
    after = last.number;
  }
}

/** Whether two executions come from the same root, or the one from a fork of what the other comes from (ENG-15). */
export async function areRelated(
  execution: string,
  other: string,
  executions: Pick<Executions, 'get'>,
): Promise<boolean> {
  const wanted = await rootOf(other, executions);
  for (let next: string | undefined = execution; next !== undefined; ) {
    const root: string = await rootOf(next, executions);
    if (root === wanted) return true;
    next = (await executions.get(root))?.origin?.execution;
  }
  return false;
}
