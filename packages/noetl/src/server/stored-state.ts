import { decodeState, type ExecutionState, initialState, SNAPSHOT_FORMAT } from '@noetl/engine';
import type { Snapshots } from '../ports/snapshots.ts';
import { catchUp, type DecisionPorts } from './informed-decision.ts';

/** Where the state of an execution is read from. */
export interface StatePorts extends DecisionPorts {
  readonly snapshots: Snapshots;
}

/**
 * The state of an execution as the log has it now, or had it at a position: folded from the newest snapshot that can be
 * used, else from the start. Which of the two makes no difference but in time (EVT-3).
 */
export async function storedState(
  execution: string,
  ports: StatePorts,
  until = Number.MAX_SAFE_INTEGER,
): Promise<ExecutionState> {
  const snapshot = await ports.snapshots.find(execution, SNAPSHOT_FORMAT, until);
  const from = snapshot === undefined ? initialState : decodeState(JSON.parse(snapshot.state));
  return catchUp(from, execution, ports, until);
}
