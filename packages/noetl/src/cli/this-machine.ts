import { readFileSync } from 'node:fs';
import type { Machine } from './machine.ts';

/** The machine this process runs on. */
export const thisMachine: Machine = {
  environment: process.env,
  workingFolder: process.cwd(),
  node: process.execPath,
  pid: process.pid,
  startedAt: startOf(process.pid) ?? new Date(performance.timeOrigin).toISOString(),
  isAlive(pid, startedAt) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // The process is there, but belongs to somebody else.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
    const start = startOf(pid);
    return start === undefined || start === startedAt;
  },
  kill: (pid, signal) => process.kill(pid, signal),
  onStop(callback) {
    process.on('SIGINT', callback);
    process.on('SIGTERM', callback);
    return () => {
      process.off('SIGINT', callback);
      process.off('SIGTERM', callback);
    };
  },
};

/** The start of a process in ticks since the system's, where the system tells. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses and may hold anything; what follows is separated by blanks.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
