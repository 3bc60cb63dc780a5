import type { ExecutionEntry } from '../ports/executions.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import type { LocalDriver } from './local-driver.ts';
import type { Machine } from './machine.ts';
import { rootOf } from './root-execution.ts';
import { sourceOfExecution } from './sourced-plan.ts';

/** How many unfinished executions are looked at in one go. */
const PAGE = 1_000;
/** How many trees are opened at a time: what they write goes into few commits then. */
const AT_A_TIME = 64;

/**
 * Goes on with every unfinished execution of a folder that no live process drives, parents first. One that cannot be gone
 * on with is told, and stays as it is. Once it is stopped, the rest stays for the next. Says how many go on.
 */
export async function continueUnfinished(
  data: DataFolder,
  driver: LocalDriver,
  machine: Machine,
  tell: (text: string) => void,
  isStopped: () => boolean,
): Promise<number> {
  const taken = new Map<string, boolean>();
  let count = 0;
  for (let after = 0; ; ) {
    const page = await data.store.executions.unfinished(after, PAGE);
    const trees = await treesOf(page.filter(({ execution }) => !driver.drives(execution)));
    await eachOf(trees.values(), AT_A_TIME, async (executions) => {
      for (const execution of executions) if (!isStopped()) await goOnOrTell(execution);
    });
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE || isStopped()) return count;
  }

  /** By the root of each; parents come before those that they called. */
  async function treesOf(entries: readonly ExecutionEntry[]): Promise<ReadonlyMap<string, readonly Member[]>> {
    const trees = new Map<string, Member[]>();
    for (const { execution, parent } of entries) {
      const root = parent === undefined ? execution : await rootOf(parent, data.store.executions);
      const tree = trees.get(root) ?? [];
      tree.push({ execution, root });
      trees.set(root, tree);
    }
    return trees;
  }

  async function goOnOrTell(member: Member): Promise<void> {
    try {
      if (await goOn(member)) count += 1;
    } catch (error) {
      const why = error instanceof CommandFailure ? error.message.replace(/^error: /, '') : String(error);
      tell(`the execution '${member.execution}' does not go on: ${why}`);
    }
  }

  /** Who drives the root drives all that it called. */
  async function goOn({ execution, root }: Member): Promise<boolean> {
    const mine = taken.get(root) ?? (await driver.take(root));
    taken.set(root, mine);
    if (mine) await driver.resume(execution, await sourceOfExecution(execution, data, machine));
    return mine;
  }
}

interface Member {
  readonly execution: string;
  readonly root: string;
}

/** So many at a time, each begun in order. */
async function eachOf<Item>(items: Iterable<Item>, atATime: number, act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: atATime }, lane));
}
