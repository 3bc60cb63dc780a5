import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { pause } from '../../pause.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { unlessRefused } from '../../unless-refused.ts';
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
  for (const name of all ? known : new Set(names)) {
    // One that has left by itself meanwhile is not known any more.
    if ((await unlessRefused(drain(name), 404)) !== undefined) wanted.push(name);
  }
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

async function goneWithin(milliseconds: number, look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const end = systemClock.now() + milliseconds;
  for (;;) {
    const left = await look();
    if (left.length === 0 || systemClock.now() >= end) return left;
    await pause(LOOK);
  }
}
