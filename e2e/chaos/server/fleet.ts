import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../../program.testing.ts';
import { firstLine } from '../../server-calls.testing.ts';
import { type FaultyLine, openFaultyLine } from './faulty-line.ts';

/** A place that a worker has: whoever works there has the line of the place to the server. */
export interface Place {
  readonly number: number;
  readonly pool: string;
  readonly line: FaultyLine;
  worker: WorkerProcess;
}

interface WorkerProcess {
  /** What its tools write into the ledger as `life`. */
  readonly life: number;
  readonly name: string;
  readonly child: ChildProcess;
}

export interface Fleet {
  readonly data: string;
  readonly places: readonly Place[];
  /** The line of those who start executions. */
  readonly clients: FaultyLine;
  port(): number;
  server(): ChildProcess;
  /** Every worker that there ever was, by the number that its tools write down. */
  readonly names: ReadonlyMap<number, string>;
  /** Starts the server again on the same folder and port, as often as that takes. */
  restart(): Promise<void>;
  /** Another worker in the place of one that has ended. */
  replace(place: Place): Promise<void>;
  /** What is expected to end, however it does: it is not complained of. */
  expectEnd(child: ChildProcess): void;
  expectNoEnd(child: ChildProcess): void;
  /** What went wrong by itself. */
  problems(): readonly string[];
  /** Ends everything in good order. */
  close(): Promise<void>;
  /** Ends everything at once; what is left of it is somebody else's to find. */
  abort(): Promise<void>;
}

export interface FleetOptions {
  readonly program: Program;
  readonly data: string;
  /** A folder for what processes write to stderr. */
  readonly output: string;
  readonly ledger: string;
  /** Seconds. */
  readonly ttl: number;
  /** The pool of each worker. */
  readonly pools: readonly string[];
  /** The folder that the files of playbooks are in. */
  readonly playbooks: string;
}

const SLOTS = 8;
/** Seconds. */
const DRAIN = 5;
/** A server that does not come up is started again so often. */
const MOST_STARTS = 60;
const PAUSE = 500;
/** How long a process may take to end in good order, in milliseconds. */
const PATIENCE = 60_000;

/** Processes of the built program: a server, and workers that reach it over a line of their own. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { program, data, output, ledger, ttl, pools, playbooks } = options;
  mkdirSync(output, { recursive: true });
  const names = new Map<number, string>();
  const expected = new Set<ChildProcess>();
  const ends = new Set<Promise<unknown>>();
  const problems: string[] = [];
  let port = 0;
  let lives = 0;
  let starts = 0;
  let closing = false;

  function watched(child: ChildProcess, name: string): ChildProcess {
    let said = '';
    child.stderr?.pipe(createWriteStream(join(output, `${name}.log`)));
    child.stderr?.on('data', (piece) => {
      said = `${said}${piece}`.slice(-2_000);
    });
    const ended = once(child, 'close').then(([code, signal]) => {
      ends.delete(ended);
      if (/^ +at /m.test(said)) problems.push(`${name} shows a stack trace: ${said}`);
      if (!expected.has(child) && !closing) problems.push(`${name} ended by itself with ${signal ?? code}: ${said}`);
      if (closing && code !== 0 && signal !== 'SIGKILL') problems.push(`${name} ended with ${signal ?? code}: ${said}`);
    });
    ends.add(ended);
    return child;
  }

  async function serve(): Promise<ChildProcess> {
    for (let tries = 1; ; tries++) {
      const args = ['server', 'start', '--port', `${port}`, '--data', data, '--no-worker', '--json'];
      const child = program.start([...args, '--lease-ttl', `${ttl}`, '--drain', `${DRAIN}`], {
        cwd: playbooks,
        env: { NOETL_API_RATE: '0' },
      });
      watched(child, `server-${++starts}`);
      const told = await firstLine(child).catch(() => undefined);
      if (told !== undefined) {
        port = Number(new URL((told as { url: string }).url).port);
        return child;
      }
      // On a full disk it may give up as often as it likes.
      expected.add(child);
      if (tries === MOST_STARTS) throw new Error(`the server does not come up; ${output} says why`);
      await new Promise((wake) => setTimeout(wake, PAUSE));
    }
  }

  async function work(pool: string, line: FaultyLine): Promise<WorkerProcess> {
    const life = ++lives;
    const url = `http://127.0.0.1:${line.port}`;
    const child = program.start(
      ['worker', 'start', '--server', url, '--pool', pool, '--slots', `${SLOTS}`, '--drain', `${DRAIN}`, '--json'],
      { cwd: playbooks, env: { CHAOS_LIFE: `${life}`, CHAOS_LEDGER: ledger } },
    );
    watched(child, `worker-${life}-${pool}`);
    const { name } = (await firstLine(child)) as { name: string };
    names.set(life, name);
    return { life, name, child };
  }

  let server = await serve();
  const places: Place[] = [];
  for (const [nth, pool] of pools.entries()) {
    const line = await openFaultyLine(() => port);
    places.push({ number: nth + 1, pool, line, worker: await work(pool, line) });
  }
  const clients = await openFaultyLine(() => port);

  async function allEnded(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<'late'>((resolve) => {
      late = setTimeout(() => resolve('late'), PATIENCE);
    });
    if ((await Promise.race([Promise.all(ends), patience])) === 'late') problems.push('a process does not end');
    clearTimeout(late);
  }

  return {
    data,
    places,
    clients,
    port: () => port,
    server: () => server,
    names,
    async restart() {
      server = await serve();
    },
    async replace(place) {
      place.worker = await work(place.pool, place.line);
    },
    expectEnd: (child) => {
      expected.add(child);
    },
    expectNoEnd: (child) => {
      expected.delete(child);
    },
    problems: () => problems,
    async close() {
      closing = true;
      const workers = places.map(({ worker }) => worker.child);
      for (const child of workers) child.kill('SIGTERM');
      await Promise.all(workers.map(ended));
      server.kill('SIGTERM');
      await allEnded();
      await Promise.all([...places.map(({ line }) => line.close()), clients.close()]);
    },
    async abort() {
      closing = true;
      for (const child of [server, ...places.map(({ worker }) => worker.child)]) {
        child.kill('SIGCONT');
        child.kill('SIGKILL');
      }
      await allEnded();
      await Promise.all([...places.map(({ line }) => line.close()), clients.close()]);
    },
  };
}

/** At most as long as a process may take. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await Promise.race([once(child, 'exit'), new Promise((late) => setTimeout(late, PATIENCE).unref())]);
}
