import { closeSync, openSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Machine, STOP_SIGNALS, type StopSignal } from './machine.ts';

/** The machine this process runs on. */
export const thisMachine: Machine = {
  environment: process.env,
  workingFolder: process.cwd(),
  node: process.execPath,
  pid: process.pid,
  get user() {
    return userName();
  },
  startedAt: statOf(process.pid).start ?? new Date(performance.timeOrigin).toISOString(),
  isAlive(pid, startedAt) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // Else the process is there, but belongs to somebody else.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
    }
    const { state, start } = statOf(pid);
    return !ENDED.includes(state) && (start === undefined || start === startedAt);
  },
  kill: (pid, signal) => process.kill(pid, signal),
  async startDetached(args, output) {
    const { spawn } = await import('node:child_process');
    const file = openSync(output, 'a', 0o600);
    try {
      const [, program = ''] = process.argv;
      const command = [...process.execArgv, program, ...args];
      const child = spawn(process.execPath, command, { detached: true, stdio: ['ignore', file, file] });
      child.unref();
      return child.pid ?? 0;
    } finally {
      closeSync(file);
    }
  },
  onStop(callback) {
    const forget = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
      stoppable.delete(unread);
    };
    // Who asks a second time does not want to wait: the system then ends the program at once. A terminal that is closed
    // may say so twice, and nobody is impatient.
    const stop = (signal: NodeJS.Signals) => {
      forget();
      process.on('SIGHUP', () => undefined);
      callback(signal as StopSignal);
    };
    const unread = () => {
      forget();
      callback('SIGPIPE');
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    stoppable.add(unread);
    return forget;
  },
};

/** What is to be stopped once nobody reads the output. */
const stoppable = new Set<() => void>();

/** Nobody reads the output any more: whatever runs is stopped in good order. */
export function stopUnread(): void {
  for (const stop of [...stoppable]) stop();
}

/** A user without an entry in the system's list, as in many containers, is known by its number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** What the system calls a process that has ended and that its parent has not asked about: it is listed until then. */
const ENDED: readonly (string | undefined)[] = ['Z', 'X'];

/** What a process does, and its start in ticks since the system's, where the system tells. */
function statOf(pid: number): { readonly state?: string | undefined; readonly start?: string | undefined } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses and may hold anything; what follows is separated by blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], start: fields[19] };
  } catch {
    return {};
  }
}
