import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeState,
  type ExecutionEvent,
  type ExecutionState,
  encodeState,
  fold,
  initialState,
  SNAPSHOT_FORMAT,
} from '@noetl/engine';
import { expect } from 'vitest';
import { type DataFolder, openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { factsOfLog } from '../packages/noetl/src/ports/execution-change.ts';
import { followChain } from '../packages/noetl/src/ports/inspection.ts';
import { iterationEndOf } from '../packages/noetl/src/ports/iteration-end.ts';
import { catchUp } from '../packages/noetl/src/server/informed-decision.ts';
import { storedState } from '../packages/noetl/src/server/stored-state.ts';
import { STORE_FILE } from '../packages/noetl/src/stores/sqlite/store.ts';
import type { Program } from './program.testing.ts';

/** One execution as the data folder keeps it. */
export interface StoredExecution {
  readonly id: string;
  readonly events: readonly ExecutionEvent[];
}

const PAGE = 1_000;
/** More executions than a folder of tests has. */
const MOST = 10_000;
/** Bytes that an event's payload may have. */
const INLINE = 64 * 1024;

/**
 * EVT-3: the executions of a data folder, oldest first, after a look at each: its chain of hashes is whole, its events
 * are numbered without a gap and hold nothing large, what is kept beside them can be made of them again, and where
 * it is asked for (it takes a process for each) what `exec events` prints replays to the same state as what the store
 * holds. With `roots` only these, and those that they called: a folder may have others.
 */
export async function intactExecutions(
  program: Program,
  data: string,
  { shown = false, roots }: { readonly shown?: boolean; readonly roots?: readonly string[] } = {},
): Promise<readonly StoredExecution[]> {
  // A program may be killed before it has made anything.
  if (!existsSync(join(data, STORE_FILE))) return [];
  const folder = await openDataFolder(data, systemClock, 'look');
  const { store } = folder;
  try {
    const all = await store.executions.list({}, undefined, MOST);
    const rows = all.filter(({ execution }) => roots?.some((root) => isWithin(execution, root)) ?? true);
    const executions: StoredExecution[] = [];
    for (const { execution: id } of [...rows].reverse()) {
      const events = await readAll((after) => store.log.read(id, after, PAGE));
      expect(await followChain(store.inspection, id)).toMatchObject({
        position: events.length,
        hash: expect.any(String),
      });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      // RES-1
      expect(events.filter(({ payload }) => Buffer.byteLength(JSON.stringify(payload)) > INLINE)).toEqual([]);
      await expectDerived(folder, id, events);
      if (shown) expectSameReplay(await readAll((after) => shownEvents(program, data, id, after)), events);
      executions.push({ id, events });
    }
    return executions;
  } finally {
    await store.close();
  }
}

/** Ids of children begin with that of who called them. */
const isWithin = (id: string, root: string): boolean => id === root || id.startsWith(`${root}-`);

/**
 * Projections and snapshots are what the log alone makes of them: the facts of the execution, the index of its
 * iterations, each snapshot that is kept, and the state from a snapshot of any moment.
 */
async function expectDerived(
  { store, results }: DataFolder,
  id: string,
  events: readonly ExecutionEvent[],
): Promise<void> {
  const ports = { log: store.log, results, snapshots: store.snapshots };
  expect(await store.executions.get(id)).toMatchObject({ ...factsOfLog(events), position: events.length });
  for (const [loop, ends] of iterationEnds(events)) {
    expect(await store.log.iterations({ execution_id: id, loop, until: null }, 0, events.length)).toEqual(ends);
  }
  const whole = written(await catchUp(initialState, id, ports));
  expect(written(await storedState(id, ports))).toBe(whole);
  for (const { position, format, state, flaw } of await store.snapshots.list(id)) {
    expect({ format, flaw }).toEqual({ format: SNAPSHOT_FORMAT, flaw: undefined });
    expect(state).toBe(written(await catchUp(initialState, id, ports, position)));
  }
  const earlier = await catchUp(initialState, id, ports, Math.ceil(events.length / 2));
  expect(written(await catchUp(decodeState(JSON.parse(written(earlier))), id, ports))).toBe(whole);
}

const written = (state: ExecutionState): string => JSON.stringify(encodeState(state));

/** The events that ended iterations, by loop, in the order of the index. */
function iterationEnds(events: readonly ExecutionEvent[]): ReadonlyMap<string, readonly ExecutionEvent[]> {
  const loops = new Map<string, ExecutionEvent[]>();
  for (const event of events) {
    const end = iterationEndOf(event);
    if (end === undefined) continue;
    const ends = loops.get(end.loop) ?? [];
    ends[end.index] = event;
    loops.set(end.loop, ends);
  }
  return new Map([...loops].map(([loop, ends]) => [loop, ends.filter((event) => event !== undefined)]));
}

async function shownEvents(program: Program, data: string, id: string, after: number): Promise<ExecutionEvent[]> {
  const { stdout } = await program.run(['exec', 'events', id, '--data', data, '--json', '--after', String(after)]);
  return eventsOf(stdout);
}

/** What `run --json` printed is what the store holds, and replays to the same state, byte for byte. */
export function expectSameReplay(printed: readonly ExecutionEvent[], stored: readonly ExecutionEvent[]): void {
  expect(printed).toEqual(stored);
  expect(written(fold(printed))).toBe(written(fold(stored)));
}

/** One event per line, and nothing else. */
export const eventsOf = (output: string): ExecutionEvent[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

async function readAll(page: (after: number) => Promise<readonly ExecutionEvent[]>): Promise<ExecutionEvent[]> {
  const all: ExecutionEvent[] = [];
  for (;;) {
    const events = await page(all.at(-1)?.seq ?? 0);
    all.push(...events);
    if (events.length < PAGE) return all;
  }
}
