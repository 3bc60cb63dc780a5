import type { Machine } from './machine.ts';

/** Whether a process that this one started is still there. */
export function isThere(pid: number, machine: Machine): boolean {
  try {
    machine.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
