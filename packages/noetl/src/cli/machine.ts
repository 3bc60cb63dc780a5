/** What a command that runs playbooks sees of the machine. `main.ts` gives the real one. */
export interface Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** The Node that runs this program. */
  readonly node: string;
  readonly pid: number;
  /** When this process was started, as the system tells it: a pid may be given to another process later. */
  readonly startedAt: string;
  /** Whether a process of that pid and start still runs. */
  isAlive(pid: number, startedAt: string): boolean;
  /** Sends a signal to a process, or to a whole group by its negative id; throws if there is none. */
  kill(pid: number, signal: NodeJS.Signals): void;
  /** Calls back when somebody wants the program to stop: Ctrl-C, or a polite kill. The returned function takes it back. */
  onStop(callback: () => void): () => void;
}
