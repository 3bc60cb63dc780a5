import type { LeftInput } from '../ports/control-inputs.ts';
import { ORPHANED } from '../server/children.ts';
import { buryDead } from './bury-dead.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';
import { driveForAMoment } from './momentary-driver.ts';
import { pause } from './pause.ts';
import { rootOf } from './root-execution.ts';
import type { Terminal } from './terminal.ts';

/** How long the process that runs an execution may take to decide an input, and how often that is looked for. */
const PATIENCE = 15_000;
const LOOK = 50;
/** How many children are told at a time. */
const PAGE = 100;

export interface Leaving {
  readonly folder: DataFolder;
  readonly terminal: Terminal;
  readonly machine: Machine;
  /** Lets this process look for inputs at once, if it drives executions itself. */
  nudge?(): Promise<void>;
}

/**
 * Leaves an input for an execution, and waits until it is decided: by the process that drives the execution, or right
 * here if there is none. Says whether there is one,
 * and under which number the input was left.
 */
export async function leaveInput(
  id: string,
  input: LeftInput,
  leaving: Leaving,
): Promise<{ readonly driven: boolean; readonly number: number }> {
  const { folder, terminal, machine } = leaving;
  const { store } = folder;
  const root = await rootOf(id, store.executions);
  const number = await store.inputs.put(id, input, terminal.now());
  await leaving.nudge?.();
  for (const begun = terminal.elapsed(); terminal.elapsed() - begun < PATIENCE; await pause(LOOK)) {
    const [left] = await store.inputs.list(number - 1, 1, id);
    if (left?.id !== number) return { driven: true, number };
    if ((await store.executions.get(id))?.endedAt !== undefined) {
      // It ended before anybody took it, and nobody will.
      await store.inputs.delete([number]);
      return { driven: true, number };
    }
    await buryDead(store.drivers, machine);
    const driver = await store.drivers.driverOf(root);
    if (driver !== undefined && driver.remaining > 0) continue;
    if (!(await driveForAMoment(id, folder, terminal, machine))) continue;
    if (input.kind === 'cancel') await cancelChildren(id, leaving);
    return { driven: false, number };
  }
  const pid = (await store.drivers.driverOf(root))?.pid;
  throw new CommandFailure(
    EXIT.failed,
    `error: the process ${pid ?? ''} that runs the execution '${id}' has not taken the ${input.kind} within ${PATIENCE / 1000} s. It will, as soon as it can.`,
  );
}

/** ENG-14: a cancel ends with an execution those that it called. The answer names them. */
export async function cancelChildren(id: string, leaving: Leaving): Promise<readonly string[]> {
  const { executions } = leaving.folder.store;
  const cancelled: string[] = [];
  for (const status of ['running', 'paused'] as const) {
    // Those that are cancelled are not listed again.
    for (let page = await listed(status); page.length > 0; page = await listed(status)) {
      for (const { execution } of page) await leaveInput(execution, ORPHANED, leaving);
      cancelled.push(...page.map(({ execution }) => execution));
    }
  }
  return cancelled;

  function listed(status: 'running' | 'paused') {
    return executions.list({ parent: id, status }, undefined, PAGE);
  }
}
