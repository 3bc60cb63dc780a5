import { type ExecutionState, initialState, stateView } from '@noetl/engine';
import { storedState } from '../../../server/stored-state.ts';
import { authoredText, sourceOfExecution } from '../../sourced-plan.ts';
import { type Awaited, awaitedIn } from '../../views/awaited.ts';
import { createExecutionFold, type ExecutionReading } from '../../views/execution-fold.ts';
import { type Places, placesOf } from '../../views/places.ts';
import { logPages } from './log-pages.ts';
import { known, type Look } from './looking.ts';
import { readMilestones } from './milestone-reading.ts';
import { readableState, statePorts } from './stored-state.ts';

/** Reading more events than so many takes longer than a person wants to wait, also where others keep the machine busy. */
const READ_WHOLE = 4_000;

/** A long log is read by its milestones, and gives the same. */
export async function readExecution(id: string, look: Look): Promise<ExecutionReading> {
  const { position } = await known(id, look);
  if (position > READ_WHOLE) {
    const state = look.stateOf?.(id) ?? (await endedState(id, position, look)) ?? (await stateIn(id, look));
    const reading = await readMilestones(id, state, look.folder);
    if (reading !== undefined) return reading;
  }
  const fold = createExecutionFold();
  for await (const events of logPages(id, look.folder)) fold.take(events);
  const reading = fold.read();
  return { ...reading, awaited: reading.summary.ended_at === undefined ? await readAwaited(id, look) : [] };
}

/** As much of the state of an execution that is over as views look at: the last event says it. */
async function endedState(id: string, position: number, { folder }: Look): Promise<ExecutionState | undefined> {
  const [last] = await folder.store.log.read(id, position - 1, 1);
  if (last?.name !== 'playbook.processed') return undefined;
  const { duration_ms: _, ...stats } = last.payload.stats;
  return { ...initialState, seq: last.seq, phase: 'processed', stats };
}

/** The state knows it, also that of a fork. */
const readAwaited = async (id: string, look: Look): Promise<readonly Awaited[]> =>
  awaitedIn(stateView(look.stateOf?.(id) ?? (await stateIn(id, look))));

const stateIn = (id: string, { folder }: Look): Promise<ExecutionState> =>
  readableState(storedState(id, statePorts(folder)));

/** What the playbook says about places, as far as it is still there. */
export async function sourceOf(
  id: string,
  { folder, machine }: Look,
): Promise<{ readonly places?: Places; readonly text?: string }> {
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  if (source === undefined) return {};
  return { places: placesOf(source.plan.playbook, source.path), text: authoredText(source) };
}
