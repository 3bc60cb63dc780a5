import { initialState } from '@noetl/engine';
import type { Taking } from '../ports/drivers.ts';
import { catchUp } from '../server/informed-decision.ts';
import { liveExecution } from '../server/live-execution.ts';
import type { DataFolder } from './data-folder.ts';
import { executionId } from './execution-id.ts';
import { fencedLog } from './fenced-log.ts';
import { takeLeftInputs } from './left-inputs.ts';
import type { Machine } from './machine.ts';
import { rootOf } from './root-execution.ts';
import { sourceOfExecution } from './sourced-plan.ts';
import type { Terminal } from './terminal.ts';

/** A process that died in the middle of it is in nobody's way for longer than this, in milliseconds. */
const ALIVE = 15_000;
/** What the id of such a driver begins with: others wait for its end instead of giving up. */
const MOMENT = 'moment-';

export const isMomentary = (driver: string): boolean => driver.startsWith(MOMENT);

/**
 * Drives an execution that no process drives, for as long as it takes to decide what was left for it: nothing runs and no
 * time passes for it. False if another process drives it by now.
 */
export async function driveForAMoment(
  id: string,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<boolean> {
  const { store, results } = data;
  const { plan } = await sourceOfExecution(id, data, machine);
  const self = MOMENT + executionId(terminal.now(), terminal.seed);
  const beat = () => store.drivers.beat({ id: self, pid: machine.pid, startedAt: machine.startedAt }, ALIVE);
  await beat();
  let taking: Taking = 'refused';
  try {
    [taking = 'refused'] = await store.drivers.drive(self, [await rootOf(id, store.executions)]);
    if (taking === 'refused') return false;
    const ports = { log: fencedLog(store.log, self, () => undefined), results };
    const state = await catchUp(initialState, id, ports);
    const execution = liveExecution({
      id,
      plan,
      state,
      ports,
      leased: () => new Set(),
      committed: () => undefined,
      // It is asked to continue below, until nothing is owed.
      owing: () => undefined,
    });
    const submit = (cause: Parameters<typeof execution.submit>[0]) => execution.submit(cause);
    await takeLeftInputs(
      store.inputs,
      (other) => other === id,
      (_, input) => submit({ ...input, at: terminal.now() }),
      async () => (await beat()) === 'alive',
    );
    // A long decision is made in parts.
    for (let before = -1; before !== execution.decided().seq; ) {
      before = execution.decided().seq;
      await submit({ kind: 'continue', at: terminal.now() });
    }
    return true;
  } finally {
    // What another process left when it died still has to be taken over by one that runs it.
    await (taking === 'taken over' ? store.drivers.bury([self]) : store.drivers.retire(self));
  }
}
