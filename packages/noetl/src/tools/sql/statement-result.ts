import { jsonSize, type ResultReference } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import type { Keep } from '../../ports/keep.ts';
import { ok } from '../answer.ts';
import type { ToolAnswer } from '../define-tool.ts';

/** What one statement came to. */
export interface StatementResult {
  readonly rows: HeldRows;
  /** Rows that it gave, or that it changed. */
  readonly row_count: number;
  readonly columns: readonly string[];
}

/** Rows in memory, or in the result store if they are too many. */
export type HeldRows = readonly JsonMap[] | ResultReference;

export const NO_ROWS: HeldRows = [];

/** Holds rows as they come. */
export interface RowKeeper {
  hold(batches: AsyncIterator<readonly JsonMap[]>): Promise<HeldRows>;
}

/** Rows need several times as much memory as their JSON. */
const ROWS_BESIDE_JSON = 8;

/** All statements of a task share the bytes that memory holds; the rows of one that goes over them are never whole in it. */
export function openRowKeeper(keep: Keep, memory: number): RowKeeper {
  const heldBytes = memory / ROWS_BESIDE_JSON;
  let bytes = 0;
  return {
    async hold(batches) {
      const held: JsonMap[] = [];
      let own = 0;
      while (bytes + own <= heldBytes) {
        const { done, value: batch } = await batches.next();
        if (done === true) {
          bytes += own;
          return held;
        }
        for (const row of batch) held.push(row);
        own += jsonSize(batch as unknown as Json);
      }
      async function* all(): AsyncGenerator<readonly JsonMap[]> {
        yield held.splice(0);
        for (;;) {
          const { done, value: batch } = await batches.next();
          if (done === true) return;
          yield batch;
        }
      }
      try {
        return await keep.list(all());
      } finally {
        // Also where they could not be kept: nothing waits to be read.
        await batches.return?.();
      }
    },
  };
}

const isHeld = (rows: HeldRows): rows is readonly JsonMap[] => Array.isArray(rows);

/** The last statement speaks for the task; each is told by its number, from 0. */
export function sqlAnswer(results: readonly StatementResult[], extras: Parameters<typeof ok>[1] = {}): ToolAnswer {
  const last = results.at(-1) ?? { rows: NO_ROWS, row_count: 0, columns: [] };
  const all = [[[], last], ...results.map((result, i) => [[`command_${i}`], result] as const)] as const;
  const shown = ({ rows, ...rest }: StatementResult): Json =>
    ({ rows: isHeld(rows) ? rows : null, ...rest }) as unknown as Json;
  const kept = all.flatMap(([path, { rows }]) => (isHeld(rows) ? [] : [{ path: [...path, 'rows'], reference: rows }]));
  const each = results.map((result, i) => [`command_${i}`, shown(result)] as const);
  return ok(
    { ...(shown(last) as JsonMap), ...Object.fromEntries(each) },
    {
      ...extras,
      ...(kept.length === 0 ? {} : { kept }),
    },
  );
}

/** Names that differ: of two columns `id`, the second is `id_2`. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  const used = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let n = 2; used.has(distinct) || (distinct !== name && taken.has(distinct)); n++) distinct = `${name}_${n}`;
    used.add(distinct);
    return distinct;
  });
}
