import type { ExecutionState } from '@noetl/engine';
import { StoreError } from '../../../ports/store-error.ts';
import type { StatePorts } from '../../../server/stored-state.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { DataFolder } from '../../data-folder.ts';
import { EXIT } from '../../exit-code.ts';

/** Where the states of a folder's executions are read from. */
export const statePorts = ({ store, results }: DataFolder): StatePorts => ({
  log: store.log,
  snapshots: store.snapshots,
  results,
});

/** The state that is being read; a sentence to the user if the log, or what a fork begins with, cannot be read. */
export async function readableState(reading: Promise<ExecutionState>): Promise<ExecutionState> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.failed, `error: ${why}`, { cause: error });
  }
}
