import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type Cause,
  DEFAULT_ENGINE_LIMITS,
  type ExecutionEvent,
  type ExecutionState,
  encodeState,
  initialState,
  type Plan,
  planOf,
} from '@noetl/engine';
import { type Playbook, readPlaybook } from '@noetl/playbook';
import { expect } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { followChain } from '../ports/inspection.ts';
import { createMemoryResults } from '../results/memory.ts';
import type { ExecutionEnd } from '../server/ends.ts';
import type { Executions } from '../server/executions.ts';
import { catchUp } from '../server/informed-decision.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openTools, type Tools } from '../tools/registry.ts';
import { openRuntime } from './embedded-runtime.ts';

/** Seconds that a timeout of `timed` lasts: it is over only for who is told that time has passed. */
const TIMEOUT = 3_600;

/** What is done to an execution in the middle of it. */
export interface Disturbance {
  /** When: the event at this position is in the log, or whatever else happened. */
  readonly at: number | Promise<unknown>;
  act(world: DisturbedWorld): Promise<unknown>;
}

export interface DisturbedWorld {
  /** Answers whether it was taken; what is over refuses it. */
  submit(cause: Cause): Promise<boolean>;
  /** Lets more time pass than any timeout has. */
  pass(): void;
  /** Waits until nothing happens any more without a further push. */
  calm(): Promise<void>;
}

/** What became of an execution, after a look at all that every execution must leave behind. */
export interface DisturbedRun {
  readonly end: ExecutionEnd;
  readonly events: readonly ExecutionEvent[];
  /** How its children ended. */
  readonly children: readonly ExecutionEnd[];
}

/** Real tools, whose processes can be told from all others. */
export interface MarkedTools extends Tools {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Processes that tools started and that are still there. */
  processes(): readonly string[];
}

export function openMarkedTools(): MarkedTools {
  const tools = openTools({ node: process.execPath, kill: process.kill.bind(process) });
  const mark = randomUUID();
  return {
    ...tools,
    environment: { ...process.env, NOETL_TEST_MARK: mark },
    processes: () => commandsWith(mark),
  };
}

function commandsWith(mark: string): readonly string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const marked = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark);
      return marked ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`] : [];
    } catch {
      // It has ended, or is not ours to look at.
      return [];
    }
  });
}

export interface DisturbedPlaybook {
  readonly file: string;
  /** What the file holds; else it is read. */
  readonly text?: string;
  /** A variant of it, and of those it calls. */
  change?(playbook: Playbook): Playbook;
}

/** Every event is an append of its own, so that something can come between any two. */
function planOfFile({ file, text = readFileSync(file, 'utf8'), change = (same) => same }: DisturbedPlaybook): Plan {
  const { playbook } = readPlaybook(text, { file });
  if (playbook === undefined) throw new Error(`${file} is not valid`);
  return planOf(change(playbook), { ...DEFAULT_ENGINE_LIMITS, eventsPerDecision: 1 });
}

/** DOC-14: the playbook with a timeout of each kind that takes long to come. */
export const timed = {
  execution: (playbook: Playbook): Playbook => ({
    ...playbook,
    executor: { ...playbook.executor, executionTimeout: TIMEOUT },
  }),
  step: (playbook: Playbook): Playbook => ({
    ...playbook,
    workflow: playbook.workflow.map((step) => ({ ...step, timeout: TIMEOUT })),
  }),
  task: (playbook: Playbook): Playbook => ({
    ...playbook,
    workflow: playbook.workflow.map((step) => ({
      ...step,
      tasks: step.tasks.map((task) => ({ ...task, spec: { ...task.spec, timeout: TIMEOUT } })),
    })),
  }),
} as const;

/**
 * Runs a playbook with the shells of the product, real tools and a store of its own, and disturbs it. When it has ended
 * nothing is under way any more: no timer is set, every execution has ended, its chain of hashes is whole, and its log
 * folds to the live state (EVT-3).
 */
export async function disturbedRun(
  playbook: DisturbedPlaybook,
  tools: MarkedTools,
  { at, act }: Disturbance,
  print: (text: string) => void = () => undefined,
): Promise<DisturbedRun> {
  const { file } = playbook;
  const clock = passingClock();
  const store = createMemoryStore(clock);
  const results = createMemoryResults();
  const live = new Map<string, ExecutionState>();
  let calls = 0;
  let leasedInPause = 0;
  let commits = 0;
  let acting: Promise<unknown> | undefined;

  const runtime = openRuntime({
    log: store.log,
    results,
    snapshots: store.snapshots,
    clock,
    worker: 'w',
    slots: 4,
    childPlans: {
      find: async (path) => {
        const plan = planOfFile({ ...playbook, file: resolve(dirname(file), path) });
        return { kind: 'found', found: { plan, path, version: null, contentHash: path } };
      },
      of: async () => undefined,
    },
    credentials: { resolve: async () => undefined, forget: () => undefined },
    tools: async (call, context) => {
      calls += 1;
      try {
        return await tools.call(call, context);
      } finally {
        calls -= 1;
      }
    },
    lend: () => ({
      context: { log: (_, text) => print(text), folder: dirname(file), environment: tools.environment },
      done: () => undefined,
    }),
    secretsOf: ({ execution }) => {
      if (live.get(execution)?.paused === true) leasedInPause += 1;
      return { keychain: {}, redact: (value) => value };
    },
    committed: (_, state) => {
      commits += 1;
      const { execution_id } = state.request;
      live.set(execution_id, state);
      if (typeof at === 'number' && acting === undefined && execution_id === ID && state.seq >= at) acting = act(world);
    },
  });
  const { executions }: { readonly executions: Executions } = runtime;

  const world: DisturbedWorld = {
    submit: async (cause) => (await executions.submit(ID, cause)).kind === 'done',
    pass: () => clock.pass((TIMEOUT + 1) * 1000),
    async calm() {
      for (let seen = -1; seen !== commits || calls > 0; ) {
        seen = commits;
        await new Promise((wake) => setTimeout(wake, 5));
      }
    },
  };

  if (typeof at !== 'number') acting = at.then(() => act(world));
  const over = executions.over(ID);
  await executions.start(planOfFile(playbook), {
    execution_id: ID,
    path: file,
    version: null,
    content_hash: file,
    payload: {},
  });
  const end = await over;
  await acting;
  await runtime.close();
  expect(calls).toBe(0);
  expect(leasedInPause).toBe(0);
  expect(clock.waiting(), 'timers that nobody took back').toBe(0);

  const rows = await store.executions.list({}, undefined, 1_000);
  const ends: ExecutionEnd[] = [];
  for (const { execution, position, hash } of rows) {
    expect(await followChain(store.inspection, execution)).toEqual({ position, hash });
    const replayed = await catchUp(initialState, execution, { log: store.log, results });
    expect(JSON.stringify(encodeState(replayed))).toBe(
      JSON.stringify(encodeState(live.get(execution) ?? initialState)),
    );
    const [last] = await store.log.read(execution, position - 1, 1);
    if (last?.name !== 'playbook.processed') throw new Error(`${execution} ends with ${last?.name}`);
    if (execution !== ID) ends.push(last.payload);
  }
  return { end, events: await store.log.read(ID, 0, Number.MAX_SAFE_INTEGER), children: ends };
}

const ID = 'e';

interface PassingClock extends Clock {
  /** Moves on by so many milliseconds at once. */
  pass(milliseconds: number): void;
  /** How many callbacks are outstanding. */
  waiting(): number;
}

/** The time of the machine, which can be made to jump ahead: what is due by then happens at once. */
function passingClock(): PassingClock {
  let ahead = 0;
  const waiting = new Set<{ readonly instant: number; due(): void }>();
  const now = () => Date.now() + ahead;
  return {
    now,
    at(instant, callback) {
      const cancel = () => {
        clearTimeout(timer);
        waiting.delete(entry);
      };
      const due = () => {
        cancel();
        callback();
      };
      // Too early if the clock of the timer runs ahead of the other one.
      const look = () => {
        if (now() >= instant) due();
        else timer = setTimeout(look, instant - now());
      };
      const entry = { instant, due };
      let timer = setTimeout(look, Math.max(0, instant - now()));
      waiting.add(entry);
      return cancel;
    },
    pass(milliseconds) {
      ahead += milliseconds;
      const due = [...waiting].filter(({ instant }) => instant <= now());
      for (const timer of due.sort((a, b) => a.instant - b.instant)) if (waiting.has(timer)) timer.due();
    },
    waiting: () => waiting.size,
  };
}
