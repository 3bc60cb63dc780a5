/** Somebody wants the program to stop: the terminal is closed, Ctrl-C, a polite kill. */
export const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
/** SIGPIPE stands for output that nobody reads any more; the signal itself may come from any pipe, and is ignored. */
export type StopSignal = (typeof STOP_SIGNALS)[number] | 'SIGPIPE';

/** What a command that runs playbooks sees of the machine. `main.ts` gives the real one. */
export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** The Node that runs this program. */
  readonly node: string;
  readonly pid: number;
  /** The name of the user that this program runs as. */
  readonly user: string;
  /** When this process was started, as the system tells it: a pid may be given to another process later. */
  readonly startedAt: string;
  /** Whether a process of that pid and start still runs. */
  isAlive(pid: number, startedAt: string): boolean;
  /** Sends a signal to a process, or to a whole group by its negative id; throws if there is none. 0 only asks that. */
  kill(pid: number, signal: NodeJS.Signals | 0): void;
  /** Starts this program once more, on its own: it stays when this one ends. What it says goes into a file. */
  startDetached(args: readonly string[], output: string): Promise<number>;
  /** Calls back once when somebody wants the program to stop. The returned function takes it back. */
  onStop(callback: (signal: StopSignal) => void): () => void;
}
