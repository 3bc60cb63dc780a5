import type { ExecutionEvent } from '@noetl/engine';
import { isLedgered, unknownCalls } from '../agreement.ts';
import { attemptOf, type Call } from '../ledger.ts';
import type { StoredHistory } from '../stored-history.ts';
import { placeOf } from './lease-story.ts';
import type { StoreEntry } from './store-account.ts';

/** Who ran a program, as the program itself has printed it; undefined where it has not. */
export function printedLife(event: ExecutionEvent): number | undefined {
  if (event.name !== 'task.done') return undefined;
  const { stdout } = (event.payload.outcome?.result ?? {}) as { readonly stdout?: unknown };
  const [, life] = /^by (\d+)$/m.exec(typeof stdout === 'string' ? stdout : '') ?? [];
  return life === undefined ? undefined : Number(life);
}

/**
 * Where the ledger and the log of a server contradict each other. Workers die, and are cut off, so that an attempt may be
 * made again: but only under another lease, and not once the log has it as done.
 */
export function ledgerProblems(
  calls: readonly Call[],
  history: StoredHistory,
  account: readonly StoreEntry[],
): readonly string[] {
  const made = new Map<string, readonly Call[]>();
  for (const call of calls) made.set(attemptOf(call), [...(made.get(attemptOf(call)) ?? []), call]);
  const leases = new Map<string, number>();
  const problems: string[] = [];
  const compare = (event: ExecutionEvent): void => {
    if (event.name !== 'task.done' || !isLedgered(event.payload)) return;
    const { task_run_id = '', attempt = 0, execution_id, iteration_id, step_run_id } = event;
    const id = attemptOf({ key: task_run_id, attempt });
    const here = made.get(id) ?? [];
    const life = printedLife(event);
    if (!here.some((call) => life === undefined || call.life === life))
      problems.push(`the log has a task.done of ${id}${life === undefined ? '' : ` by worker ${life}`}, never called`);
    const work = (iteration_id ?? step_run_id ?? '').slice(execution_id.length + 1);
    const given = leases.get(placeOf(execution_id, work)) ?? 0;
    if (here.length > given)
      problems.push(`${id} was called ${here.length} times; until it was done, its work was leased ${given} times`);
  };
  for (const entry of account) {
    if (entry.kind === 'appended')
      (history.get(entry.execution) ?? []).slice(entry.first - 1, entry.last).forEach(compare);
    else if (entry.kind === 'given') {
      const place = placeOf(entry.execution, entry.work);
      leases.set(place, (leases.get(place) ?? 0) + 1);
    }
  }
  return [...problems, ...unknownCalls(calls, history)];
}
