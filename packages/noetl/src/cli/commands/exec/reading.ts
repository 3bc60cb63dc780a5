import { sourceOfExecution } from '../../sourced-plan.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { type Places, placesOf } from '../../views/places.ts';
import { logPages } from './log-pages.ts';
import { known, type Look } from './looking.ts';

export async function readExecution(id: string, look: Look): Promise<ExecutionReading> {
  await known(id, look);
  const fold = createExecutionFold();
  for await (const events of logPages(id, look.folder)) fold.take(events);
  return fold.read();
}

/** What the playbook says about places, as far as it is still there. */
export async function sourceOf(
  id: string,
  { folder, machine }: Look,
): Promise<{ readonly places?: Places; readonly text?: string }> {
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  return source === undefined ? {} : { places: placesOf(source.plan.playbook, source.path), text: source.text };
}
