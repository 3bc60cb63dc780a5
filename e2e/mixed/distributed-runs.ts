import type { ChildProcess } from 'node:child_process';
import { createClient, type NoetlClient } from '../../packages/noetl/src/index.ts';
import type { Program } from '../program.testing.ts';
import { exitCode, firstLine } from '../server-calls.testing.ts';
import { CASES, PLAYBOOKS, pathOf, ROOM_KEY, SIGNAL, textOf } from './cases.ts';
import { openMixedApi } from './mixed-api.ts';
import { type Family, storedFamilies } from './stored-executions.ts';

/** What a server and three workers of two pools made of the cases, each done again and again. */
export interface DistributedRuns {
  readonly data: string;
  /** By the number of the execution: the case of the number is its place in the list of all, counted round. */
  readonly families: readonly Family[];
  readonly workers: readonly StartedWorker[];
  readonly seconds: number;
}

interface StartedWorker {
  readonly name: string;
  readonly pool: string;
  readonly labels: readonly string[];
}

/** Requests that are on their way at a time. */
const LANES = 32;
/** How long nothing may end before that counts as stuck, in milliseconds. */
const PATIENCE = 60_000;

export async function distributedRuns(program: Program, count: number): Promise<DistributedRuns> {
  const data = program.newData();
  const start = async (args: readonly string[]) => {
    const process = program.start([...args, '--json'], { env: { ROOM_KEY } });
    // What they say of each execution would fill the pipe.
    process.stderr?.resume();
    return { process, said: (await firstLine(process)) as Readonly<Record<string, string>> };
  };
  const server = await start(['server', 'start', '--port', '0', '--data', data, '--no-worker']);
  const url = server.said.url ?? '';
  const work = async (pool: string, ...labels: readonly string[]) => {
    const named = labels.flatMap((label) => ['--label', label]);
    const { process, said } = await start(['worker', 'start', '--server', url, '--pool', pool, ...named]);
    return { process, name: said.name ?? '', pool, labels };
  };
  const workers = await Promise.all([work('default', 'door=left'), work('default'), work('painters', 'floor=2')]);

  const client = createClient({ url });
  const api = await openMixedApi({
    asked: (tag) => void client.executions.signal(tag, SIGNAL),
    hangs: (tag) => void client.executions.cancel(tag),
  });
  try {
    for (const name of PLAYBOOKS) await client.catalog.register({ text: textOf(name) });
    const begun = performance.now();
    await startAll(client, api.url, count);
    await allOver(client);
    const seconds = (performance.now() - begun) / 1_000;
    await stop([...workers.map(({ process }) => process), server.process]);
    const families = await storedFamilies(data);
    const found = Array.from({ length: count }, (_, nth) => families.get(idOf(nth)) ?? new Map());
    return { data, families: found, workers, seconds };
  } finally {
    await api.close();
  }
}

const idOf = (nth: number): string => `mixed${`${nth}`.padStart(15, '0')}`;

async function startAll({ executions }: NoetlClient, api: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, nth) => nth).values();
  const lane = async () => {
    for (const nth of numbers) {
      const { name, payload } = CASES[nth % CASES.length] ?? { name: '', payload: {} };
      const id = idOf(nth);
      await executions.start({ path: pathOf(name), payload: { ...payload, tag: id, api }, execution_id: id });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Once no execution is unfinished. What none of them moves is told. */
async function allOver({ executions }: NoetlClient): Promise<void> {
  let left = '';
  for (let moved = Date.now(); ; ) {
    const page = await executions.unfinished({ limit: 1_000 });
    if (page.executions.length === 0) return;
    const now = page.executions.map(({ execution_id, path, events }) => `${execution_id} ${path} ${events}`).join('\n');
    if (now !== left) moved = Date.now();
    left = now;
    if (Date.now() - moved > PATIENCE) throw new Error(`nothing moves any more:\n${left}`);
    await new Promise((wake) => setTimeout(wake, 200));
  }
}

async function stop(processes: readonly ChildProcess[]): Promise<void> {
  for (const process of processes) {
    process.kill('SIGTERM');
    const code = await exitCode(process);
    if (code !== 0) throw new Error(`a program ended with ${code}`);
  }
}
