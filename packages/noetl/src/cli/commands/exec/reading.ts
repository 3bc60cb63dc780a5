import { stateView } from '@noetl/engine';
import { storedState } from '../../../server/stored-state.ts';
import { sourceOfExecution } from '../../sourced-plan.ts';
import { type Awaited, awaitedIn } from '../../views/awaited.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { type Places, placesOf } from '../../views/places.ts';
import { logPages } from './log-pages.ts';
import { known, type Look } from './looking.ts';
import { readableState, statePorts } from './stored-state.ts';

export async function readExecution(id: string, look: Look): Promise<ExecutionReading> {
  await known(id, look);
  const fold = createExecutionFold();
  for await (const events of logPages(id, look.folder)) fold.take(events);
  const reading = fold.read();
  return { ...reading, awaited: reading.summary.ended_at === undefined ? await readAwaited(id, look) : [] };
}

/** The state knows it, also that of a fork. */
const readAwaited = async (id: string, { folder }: Look): Promise<readonly Awaited[]> =>
  awaitedIn(stateView(await readableState(storedState(id, statePorts(folder)))));

/** What the playbook says about places, as far as it is still there. */
export async function sourceOf(
  id: string,
  { folder, machine }: Look,
): Promise<{ readonly places?: Places; readonly text?: string }> {
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  return source === undefined ? {} : { places: placesOf(source.plan.playbook, source.path), text: source.text };
}
