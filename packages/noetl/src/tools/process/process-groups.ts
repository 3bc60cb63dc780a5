import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { ToolHost } from '../tool-host.ts';
import { openGuardian } from './guardian.ts';
import { endStragglers } from './stragglers.ts';

/** What everything that a process starts inherits from it. */
const MARK = 'NOETL_PROCESS';

/** Starts programs, each in a process group of its own, so that what a program starts ends with it. */
export interface ProcessGroups {
  /** Throws if the system refuses at once; `error` and `exit` of the process tell the rest. */
  start(program: string, args: readonly string[], options: SpawnOptions): ChildProcess;
  /** Signals the group; nothing happens if there is none any more. */
  signal(process: ChildProcess, signal: NodeJS.Signals): void;
  /** Signals the group of something under way: when it has ended, so has all that it started, in whatever group. */
  stop(process: ChildProcess, signal: NodeJS.Signals): void;
  /** Ends everything that was started. */
  close(): void;
}

export function openProcessGroups(host: Pick<ToolHost, 'kill'>): ProcessGroups {
  const guardian = openGuardian();
  const running = new Set<ChildProcess>();
  const stopped = new WeakSet<ChildProcess>();
  const signal = ({ pid }: ChildProcess, name: NodeJS.Signals) => {
    if (pid === undefined) return;
    try {
      host.kill(-pid, name);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  };
  return {
    start: (program, args, options) => {
      guardian.rise();
      const mark = randomUUID();
      const env = { ...options.env, [MARK]: mark };
      const process = spawn(program, [...args], { ...options, env, detached: true });
      const { pid } = process;
      if (pid === undefined) return process;
      running.add(process);
      guardian.watch(pid, `${MARK}=${mark}`);
      process.once('exit', () => {
        // Whatever it left behind in its group ends here.
        signal(process, 'SIGKILL');
        if (stopped.has(process)) endStragglers(`${MARK}=${mark}`, host.kill);
        running.delete(process);
        guardian.forget(pid);
      });
      return process;
    },
    signal,
    stop: (process, name) => {
      stopped.add(process);
      signal(process, name);
    },
    close: () => {
      for (const process of running) signal(process, 'SIGKILL');
      guardian.close();
    },
  };
}

/** EPERM: on some systems a group of which only dead processes are left. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM');
