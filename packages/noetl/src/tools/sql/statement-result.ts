import { jsonSize } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { ok } from '../answer.ts';
import type { ToolAnswer } from '../define-tool.ts';

/** What one statement came to. */
export interface StatementResult {
  readonly rows: readonly JsonMap[];
  /** Rows that it gave, or that it changed. */
  readonly row_count: number;
  readonly columns: readonly string[];
}

/** The rows of a statement are more than a tool may keep. */
export class TooManyRows extends Error {
  override name = 'TooManyRows';
}

/** Keeps rows as they come, up to a size that all statements of a task share. */
export interface RowKeeper {
  keep(batches: AsyncIterable<readonly JsonMap[]>): Promise<readonly JsonMap[]>;
}

export function openRowKeeper(limitBytes: number): RowKeeper {
  let bytes = 0;
  return {
    async keep(batches) {
      const kept: JsonMap[] = [];
      for await (const batch of batches) {
        bytes += jsonSize(batch as unknown as Json);
        if (bytes > limitBytes) throw new TooManyRows(`the rows are more than ${limitBytes} bytes.`);
        for (const row of batch) kept.push(row);
      }
      return kept;
    },
  };
}

/** The last statement speaks for the task; each is told by its number. */
export function sqlAnswer(results: readonly StatementResult[], extras: Parameters<typeof ok>[1] = {}): ToolAnswer {
  const each = results.map((result, i) => [`command_${i + 1}`, result] as const);
  const last = results.at(-1) ?? { rows: [], row_count: 0, columns: [] };
  return ok({ ...last, ...Object.fromEntries(each) } as unknown as Json, extras);
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
