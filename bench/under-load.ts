import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from './quantile.ts';
import { type BenchResult, rounded } from './result.ts';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/cli/', import.meta.url));
/** How many items the loop has: `NOETL_BENCH_ITEMS`. */
const ITEMS = Number(process.env.NOETL_BENCH_ITEMS ?? 1_000_000);
const SAMPLES = 100;
const GOAL_MS = 250;
const EXECUTION = /"execution_id":"([^"]+)"/;

const playbook = (path: string, items: number): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: ${path}, path: ${path} }
workflow:
  - step: start
    loop: { in: "{{ range(${items}) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 100 } }
    tool: { kind: noop, result: "{{ iter.x }}" }
`;

/**
 * A process of its own for each look, as people have it. It looks at a small execution first: the time until then is that
 * of the start of the program. What the look at the large one takes is measured inside of the command.
 */
const LOOK = `
const [program, ...looks] = process.argv.slice(1).map((argument) => JSON.parse(argument));
const { runProgram } = await import(program + 'program.js');
const { thisMachine } = await import(program + 'this-machine.js');
const { createDisk } = await import(program + 'disk.js');
let printed = '';
const terminal = {
  ...createDisk(() => process.stdin), read: () => '', print: (output) => { printed += output; }, complain: (message) => { printed += message; },
  columns: 80, color: false, watched: false, watchedInColor: false, now: Date.now, elapsed: () => performance.now(), seed: () => 1,
};
let before = 0;
for (const look of looks) {
  printed = '';
  const code = await runProgram(look, '0', terminal, thisMachine);
  if (code !== 0) throw new Error(printed);
  const now = performance.now();
  console.log(now - before);
  before = now;
}
`;

/** How long `exec status` and a page of events take while a large loop runs in another process. */
export async function* underLoadScenarios(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  const [small, large] = [join(folder, 'small'), join(folder, 'large')];
  try {
    const first = await begin(folder, 'small', 1, small);
    await once(first, 'exit');
    const run = await begin(folder, 'large', ITEMS, large);
    try {
      yield* await looking(run, small, large);
    } finally {
      run.kill('SIGTERM');
      await once(run, 'exit');
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function begin(folder: string, name: string, items: number, data: string): Promise<ChildProcess> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, playbook(name, items));
  return spawn(process.execPath, [join(PROGRAM, 'main.js'), 'run', file, '--data', data, '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function looking(run: ChildProcess, small: string, large: string): Promise<readonly BenchResult[]> {
  const tiny = await firstOf(small);
  const id = await firstOf(large);
  const looks: Record<'status' | 'events page', Look[]> = { status: [], 'events page': [] };
  let position = 0;
  const since = performance.now();
  for (let sample = 0; sample < SAMPLES && run.exitCode === null; sample++) {
    const status = await look([small, ['status', tiny]], [large, ['status', id]]);
    position = Number(/"seq":(\d+)/.exec((await exec(large, ['status', id, '--json'])) ?? '')?.[1] ?? position);
    const page = ['--after', String(Math.floor(position * Math.random())), '--limit', '100'];
    looks.status.push(status);
    looks['events page'].push(await look([small, ['events', tiny]], [large, ['events', id, ...page]]));
  }
  const seconds = (performance.now() - since) / 1_000;
  return Object.entries(looks).map(([name, taken]) => {
    const [ms, start] = [taken.map((one) => one.ms), taken.map((one) => one.start)];
    return {
      scenario: `read under load: ${name}`,
      samples: taken.length,
      p50_ms: rounded(quantile(ms, 0.5)),
      p99_ms: rounded(quantile(ms, 0.99)),
      start_p50_ms: rounded(quantile(start, 0.5)),
      goal_ms: GOAL_MS,
      events: position,
      events_per_s: Math.round(position / seconds),
      met: quantile(ms, 0.99) <= GOAL_MS,
    };
  });
}

interface Look {
  /** From the start of the process to the end of the look at the small execution. */
  readonly start: number;
  readonly ms: number;
}

type Asked = readonly [data: string, args: readonly string[]];

async function look(...asked: readonly [Asked, Asked]): Promise<Look> {
  const looks = asked.map(([data, args]) => JSON.stringify(['exec', ...args, '--data', data]));
  const program = JSON.stringify(new URL(`file://${PROGRAM}`).href);
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOOK, program, ...looks], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [start = 0, ms = 0] = (await text(child.stdout)).trim().split('\n').map(Number);
  if (ms === 0) throw new Error(`a look at ${asked[1][0]} failed`);
  return { start, ms };
}

/** What a command prints; undefined if it failed. */
async function exec(data: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(PROGRAM, 'main.js'), 'exec', ...args, '--data', data], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return child.exitCode === 0 ? printed : undefined;
}

/** The execution in a folder, once there is one. */
async function firstOf(data: string): Promise<string> {
  for (;;) {
    const [, id] = EXECUTION.exec((await exec(data, ['list', '--json'])) ?? '') ?? [];
    if (id !== undefined) return id;
    await setTimeout(100);
  }
}
