import type { ExecutionEvent } from '@noetl/engine';
import type { ExecutionEntry } from '../ports/executions.ts';
import type { Store } from '../ports/store.ts';
import { handleKey, isHandle, namedBy } from '../secrets/handles.ts';

const PAGE = 1_000;

/**
 * The handles that tasks of kind `secrets` gave in an execution, and in those it was forked from, up to the fork. The log
 * alone knows: data that looks like a handle was never given out.
 */
export async function issuedHandles(
  execution: string,
  { log, executions }: Pick<Store, 'log' | 'executions'>,
): Promise<ReadonlySet<string>> {
  const issued = new Set<string>();
  let until: number | undefined;
  for (let id: string | undefined = execution; id !== undefined; ) {
    const asking = new Set<string>();
    for (let after = 0; ; ) {
      const events: readonly ExecutionEvent[] = await log.read(id, after, PAGE);
      for (const event of events) {
        if (until === undefined || event.seq <= until) note(event, asking, issued);
      }
      after = events.at(-1)?.seq ?? 0;
      if (events.length < PAGE || (until !== undefined && after >= until)) break;
    }
    const entry: ExecutionEntry | undefined = await executions.get(id);
    id = entry?.origin?.execution;
    until = entry?.origin?.position;
  }
  return issued;
}

function note(event: ExecutionEvent, asking: Set<string>, issued: Set<string>): void {
  if (event.name === 'task.started' && event.payload.kind === 'secrets') asking.add(event.task_run_id ?? '');
  if (event.name !== 'task.done' || !asking.has(event.task_run_id ?? '')) return;
  const { outcome } = event.payload;
  if (outcome?.status === 'ok' && isHandle(outcome.result)) issued.add(handleKey(namedBy(outcome.result)));
}
