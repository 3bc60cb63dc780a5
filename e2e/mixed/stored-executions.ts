import type { ExecutionEvent } from '@noetl/engine';
import { openDataFolder } from '../../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../../packages/noetl/src/cli/system-clock.ts';
import { outlineOf } from '../chaos/agreement.ts';

/** An execution that nobody called, with those that it called. */
export type Family = ReadonlyMap<string, readonly ExecutionEvent[]>;

const PAGE = 1_000;

/** The families of a data folder, by the id of the execution that nobody called. */
export async function storedFamilies(data: string): Promise<ReadonlyMap<string, Family>> {
  const families = new Map<string, Map<string, readonly ExecutionEvent[]>>();
  const { store } = await openDataFolder(data, systemClock, 'look');
  try {
    for (let before: number | undefined; ; ) {
      const rows = await store.executions.list({}, before, PAGE);
      for (const { execution } of rows) {
        const events: ExecutionEvent[] = [];
        for (let page: readonly ExecutionEvent[] = []; ; events.push(...page)) {
          page = await store.log.read(execution, events.at(-1)?.seq ?? 0, PAGE);
          if (page.length === 0) break;
        }
        // The ids of children begin with that of their parent.
        const [root = ''] = execution.split('-');
        families.set(root, (families.get(root) ?? new Map()).set(execution, events));
      }
      if (rows.length < PAGE) return families;
      before = rows.at(-1)?.number;
    }
  } finally {
    await store.close();
  }
}

/**
 * What became of a family, without what may differ from run to run (ids, times, order): every attempt and how it ended,
 * every step and iteration with its result or the kind of its error, and the end of each execution.
 */
export function outcomeOf(family: Family): readonly string[] {
  const steps = [...family].flatMap(([id, events]) =>
    events.flatMap((event) => {
      const { name, payload, iteration_id = '' } = event;
      if (!BOUNDARIES.has(name) || !('step' in payload)) return [];
      const { step, result = null, error, stats = null } = payload as Boundary;
      const place = `${id.slice(id.indexOf('-') + 1 || id.length)} ${step}${iteration_id.slice(id.length)}`;
      return [`${place} ${name}: ${JSON.stringify({ result, error: error?.kind ?? null, stats })}`];
    }),
  );
  return [
    ...outlineOf(family),
    ...steps.map((line) => line.replaceAll([...family.keys()].sort()[0] ?? '', 'ID')),
  ].sort();
}

interface Boundary {
  readonly step: string;
  readonly result?: unknown;
  readonly error?: { readonly kind: string };
  readonly stats?: unknown;
}

const BOUNDARIES: ReadonlySet<string> = new Set([
  'step.done',
  'step.failed',
  'step.skipped',
  'loop.done',
  'loop.iteration.done',
  'loop.iteration.failed',
]);

/** Who began with which work. */
interface Doer {
  readonly execution: string;
  readonly step: string;
  readonly worker: string;
}

export const doersOf = (family: Family): readonly Doer[] =>
  [...family].flatMap(([execution, events]) =>
    events.flatMap(({ name, payload }) => {
      if (name !== 'step.started' && name !== 'loop.iteration.started') return [];
      const { step, worker = '' } = payload as { step: string; worker?: string };
      return [{ execution, step, worker }];
    }),
  );
