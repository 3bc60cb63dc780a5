/**
 * Which process drives which execution: decides its inputs and minds its timers. An execution has one driver. A process
 * is alive while its heartbeats come; who knows that it is dead (its pid is gone, or belongs to another start) may bury
 * it before they run out. With a driver go the leases of the worker inside it, at once: there is nobody who could still
 * run that work. Leases of other workers stay.
 */
export interface Drivers {
  /** Makes the process known, or lets it count as alive for `ttl` milliseconds more. */
  beat(driver: DriverProcess, ttl: number): Promise<Heartbeat>;
  /**
   * Beats by itself from now on, well before each `ttl` runs out and also while who asked for it is busy, until it is
   * stopped by the returned function or the store is closed. `lost` is called once if somebody has buried the process. A
   * beat that the store cannot take waits for the next.
   */
  keepAlive(driver: DriverProcess, ttl: number, lost: () => void): () => void;
  /** Takes executions that have no live driver. The process must have beaten. */
  drive(id: string, executions: readonly string[]): Promise<readonly Taking[]>;
  /** Leaves executions to others. Those of another process stay with it. */
  leave(id: string, executions: readonly string[]): Promise<void>;
  /** The process ends in good order, and leaves all its executions to others. */
  retire(id: string): Promise<void>;
  /** Processes that have died: their executions have no driver any more, and the next takes them over. */
  bury(ids: readonly string[]): Promise<void>;
  driverOf(execution: string): Promise<LiveDriver | undefined>;
  /** Every process that was made known and not buried, also those whose heartbeats have run out. */
  processes(): Promise<readonly LiveDriver[]>;
}

export interface DriverProcess {
  /** Unique for each start of a process; the worker inside it has leases under this name. */
  readonly id: string;
  readonly pid: number;
  /** When the process was started, as its system tells: a pid may be given to another process later. */
  readonly startedAt: string;
}

/** `taken over`: the process that drove it before has died. `refused`: another one drives it. */
export type Taking = 'taken' | 'taken over' | 'refused';

/** `lost`: somebody has buried the process. It must stop driving, and begin again under a new id if it wants to. */
export type Heartbeat = 'alive' | 'lost';

export interface LiveDriver extends DriverProcess {
  /** Milliseconds for which it still counts as alive; not above 0 if its heartbeats have run out. */
  readonly remaining: number;
}
