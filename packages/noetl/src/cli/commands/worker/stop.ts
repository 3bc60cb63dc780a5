import { ServerProblem } from '../../../client/server-error.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { pause } from '../../pause.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { things } from '../../views/quantity.ts';
import { type NamedWorkerServer, workerServer, workersOf } from './worker-server.ts';

export interface WorkerStopOptions extends NamedWorkerServer {
  readonly json: boolean;
  readonly all: boolean;
  readonly names: readonly string[];
  /** Seconds until it is given up. */
  readonly wait: number;
}

const LOOK = 200;

/** Asks workers to end, and waits until the server does not know them any more. */
export async function workerStop(
  { json, all, names, wait, ...named }: WorkerStopOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  if (all === names.length > 0)
    throw new CommandFailure(
      EXIT.usage,
      'error: name the workers to stop, or give --all. noetl worker list shows them.',
    );
  const { list, drain } = workersOf(await workerServer(named, machine));
  const known = (await list()).workers.map(({ name }) => name);
  const unknown = all ? undefined : names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw noWorker(unknown);
  const wanted: string[] = [];
  for (const name of all ? known : new Set(names)) if (await isAsked(() => drain(name))) wanted.push(name);
  const left = await goneWithin(wait * 1000, async () => {
    const there = new Set((await list()).workers.map(({ name }) => name));
    return wanted.filter((name) => there.has(name));
  });
  if (left.length > 0) {
    throw new CommandFailure(
      EXIT.failed,
      `error: ${left.join(', ')} still ${left.length === 1 ? 'does' : 'do'} something, and will end when it is done.`,
    );
  }
  terminal.print(json ? `${JSON.stringify({ stopped: wanted })}\n` : told(wanted));
  return EXIT.ok;
}

const told = (stopped: readonly string[]): string =>
  `stopped ${things(stopped.length, 'worker')}${stopped.length === 0 ? '' : `: ${stopped.join(', ')}`}\n`;

const noWorker = (name: string): CommandFailure =>
  new CommandFailure(EXIT.usage, `error: there is no worker '${name}'. noetl worker list shows them.`);

/** False if the worker has left by itself meanwhile. */
async function isAsked(drain: () => Promise<unknown>): Promise<boolean> {
  try {
    await drain();
    return true;
  } catch (error) {
    if (error instanceof ServerProblem && error.status === 404) return false;
    throw error;
  }
}

async function goneWithin(milliseconds: number, look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = systemClock.now() + milliseconds;
  for (;;) {
    const left = await look();
    if (left.length === 0 || systemClock.now() >= end) return left;
    await pause(LOOK);
  }
}
