import type { ExecutionEvent } from '@noetl/engine';
import { sourceOfExecution } from '../../sourced-plan.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { type Places, placesOf } from '../../views/places.ts';
import { known, type Look } from './looking.ts';

/** How many events are read at a time. */
const PAGE = 1_000;

export async function readExecution(id: string, look: Look): Promise<ExecutionReading> {
  await known(id, look);
  const fold = createExecutionFold();
  for (let after = 0; ; ) {
    const events: readonly ExecutionEvent[] = await look.folder.store.log.read(id, after, PAGE);
    fold.take(events);
    const last = events.at(-1);
    if (last === undefined) return fold.read();
    after = last.seq;
  }
}

/** What the playbook says about places, as far as it is still there. */
export async function sourceOf(
  id: string,
  { folder, machine }: Look,
): Promise<{ readonly places?: Places; readonly text?: string }> {
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  return source === undefined ? {} : { places: placesOf(source.plan.playbook, source.path), text: source.text };
}
