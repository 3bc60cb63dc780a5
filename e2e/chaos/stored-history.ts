import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionEvent, Payload } from '@noetl/engine';
import { openDataFolder } from '../../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../../packages/noetl/src/cli/system-clock.ts';
import { STORE_FILE } from '../../packages/noetl/src/stores/sqlite/store.ts';
import { attemptOf } from './ledger.ts';

/** What the log says at one moment: the events of every execution, oldest execution first. */
export type StoredHistory = ReadonlyMap<string, readonly ExecutionEvent[]>;

const PAGE = 1_000;

/** Of a copy: whoever goes on with the folder finds it as the dead process left it, its write-ahead log included. */
export async function storedHistory(data: string): Promise<StoredHistory> {
  const history = new Map<string, readonly ExecutionEvent[]>();
  if (!existsSync(join(data, STORE_FILE))) return history;
  const copy = mkdtempSync(join(tmpdir(), 'noetl-chaos-look-'));
  try {
    for (const name of [STORE_FILE, `${STORE_FILE}-wal`]) {
      if (existsSync(join(data, name))) cpSync(join(data, name), join(copy, name));
    }
    const { store } = await openDataFolder(copy, systemClock, 'look');
    try {
      for (const { execution } of (await allRows((before) => store.executions.list({}, before, PAGE))).reverse()) {
        const events: ExecutionEvent[] = [];
        for (let page: readonly ExecutionEvent[] = []; ; events.push(...page)) {
          page = await store.log.read(execution, events.at(-1)?.seq ?? 0, PAGE);
          if (page.length === 0) break;
        }
        history.set(execution, events);
      }
    } finally {
      await store.close();
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
  return history;
}

async function allRows<Row extends { readonly number: number }>(
  page: (before: number | undefined) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let next = await page(undefined); next.length > 0; next = await page(rows.at(-1)?.number)) rows.push(...next);
  return rows;
}

/** An attempt that the log says is over. */
export interface DoneAttempt {
  readonly id: string;
  readonly execution: string;
  readonly payload: Payload<'task.done'>;
}

export const doneAttempts = (history: StoredHistory): readonly DoneAttempt[] =>
  [...history.values()].flat().flatMap((event) => {
    if (event.name !== 'task.done') return [];
    const { task_run_id = '', attempt = 0, execution_id, payload } = event;
    return [{ id: attemptOf({ key: task_run_id, attempt }), execution: execution_id, payload }];
  });

export const endOf = (events: readonly ExecutionEvent[]): Payload<'playbook.processed'> | undefined => {
  const last = events.at(-1);
  return last?.name === 'playbook.processed' ? last.payload : undefined;
};

/** The executions that nobody called. */
export const rootsOf = (history: StoredHistory): readonly string[] =>
  [...history].flatMap(([id, [first]]) =>
    first?.name === 'playbook.execution.requested' && first.payload.parent_execution_id === undefined ? [id] : [],
  );
