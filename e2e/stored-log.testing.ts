import { type ExecutionEvent, encodeState, fold } from '@noetl/engine';
import { expect } from 'vitest';
import { openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import type { Program } from './program.testing.ts';

/** One execution as the data folder keeps it. */
export interface StoredExecution {
  readonly id: string;
  readonly events: readonly ExecutionEvent[];
}

const PAGE = 1_000;

/**
 * EVT-3: the executions of a data folder, oldest first, after a look at each: its chain of hashes is whole, its events
 * are numbered without a gap, and what `exec events` prints replays to the same state as what the store holds (a process
 * for each, so it can be left out).
 */
export async function intactExecutions(
  program: Program,
  data: string,
  { shown = true }: { readonly shown?: boolean } = {},
): Promise<readonly StoredExecution[]> {
  const { store } = await openDataFolder(data, systemClock, 'look');
  try {
    const rows = await store.executions.list({}, undefined, PAGE);
    const executions: StoredExecution[] = [];
    for (const { execution: id } of [...rows].reverse()) {
      const events = await readAll((after) => store.log.read(id, after, PAGE));
      expect(await store.executions.verify(id)).toMatchObject({ kind: 'intact', position: events.length });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      if (shown) expectSameReplay(await readAll((after) => shownEvents(program, data, id, after)), events);
      executions.push({ id, events });
    }
    return executions;
  } finally {
    await store.close();
  }
}

async function shownEvents(program: Program, data: string, id: string, after: number): Promise<ExecutionEvent[]> {
  const { stdout } = await program.run(['exec', 'events', id, '--data', data, '--json', '--after', String(after)]);
  return eventsOf(stdout);
}

/** What `run --json` printed is what the store holds, and replays to the same state, byte for byte. */
export function expectSameReplay(printed: readonly ExecutionEvent[], stored: readonly ExecutionEvent[]): void {
  expect(printed).toEqual(stored);
  expect(JSON.stringify(encodeState(fold(printed)))).toBe(JSON.stringify(encodeState(fold(stored))));
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
