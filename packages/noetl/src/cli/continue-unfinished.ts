import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import type { LocalDriver } from './local-driver.ts';
import type { Machine } from './machine.ts';
import { rootOf } from './root-execution.ts';
import { sourceOfExecution } from './sourced-plan.ts';

/** How many unfinished executions are looked at in one go. */
const PAGE = 200;

/**
 * Goes on with every unfinished execution of a folder that no live process drives, parents first. One that cannot be gone
 * on with is told, and stays as it is. Says how many go on.
 */
export async function continueUnfinished(
  data: DataFolder,
  driver: LocalDriver,
  machine: Machine,
  tell: (text: string) => void,
): Promise<number> {
  const taken = new Map<string, boolean>();
  let count = 0;
  for (let after = 0; ; ) {
    const page = await data.store.executions.unfinished(after, PAGE);
    for (const { execution, number } of page) {
      after = number;
      if (driver.drives(execution)) continue;
      try {
        if (await goOn(execution)) count += 1;
      } catch (error) {
        const why = error instanceof CommandFailure ? error.message.replace(/^error: /, '') : String(error);
        tell(`the execution '${execution}' does not go on: ${why}`);
      }
    }
    if (page.length < PAGE) return count;
  }

  /** Who drives the root drives all that it called. */
  async function goOn(execution: string): Promise<boolean> {
    const root = await rootOf(execution, data.store.executions);
    const mine = taken.get(root) ?? (await driver.take(root));
    taken.set(root, mine);
    if (mine) await driver.resume(execution, await sourceOfExecution(execution, data, machine));
    return mine;
  }
}
