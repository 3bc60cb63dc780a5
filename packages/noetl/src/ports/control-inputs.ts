import type { ControlInput, Instant, SignalInput } from '@noetl/engine';

/**
 * What other processes ask of an execution: they leave it here, and the execution's driver, which looks ten times a second,
 * decides it. The driver deletes an input after what it led to is in the log, so that none is lost with a driver; an input
 * may therefore be met twice. Only the newest can be, as they are taken in their order.
 */
export interface ControlInputs {
  put(execution: string, input: LeftInput, now: Instant): Promise<number>;
  /** Inputs with ids above `after`, oldest first: of one execution, or of all. */
  list(after: number, limit: number, execution?: string): Promise<readonly ControlEntry[]>;
  /** Ids that are not there are no problem. */
  delete(ids: readonly number[]): Promise<void>;
}

export type LeftInput = ControlInput | SignalInput;

export interface ControlEntry {
  /** Grows with every input of the store, and is never given twice. */
  readonly id: number;
  readonly execution: string;
  readonly input: LeftInput;
  readonly leftAt: Instant;
}
