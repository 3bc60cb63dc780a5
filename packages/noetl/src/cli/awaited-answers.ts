import { stateView } from '@noetl/engine';
import { storedState } from '../server/stored-state.ts';
import type { DataFolder } from './data-folder.ts';
import { signalCommand } from './proposed-command.ts';
import { awaitedIn } from './views/awaited.ts';
import { visible } from './views/visible.ts';
import { workName } from './views/work-name.ts';

/** More are only counted. */
const TOLD = 5;

/** What an execution that goes on, and those it called, wait for somebody to say: a line for each, with the answer. */
export async function awaitedAnswers(
  root: string,
  below: readonly string[],
  { store, results }: DataFolder,
  data: string | undefined,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const id of [root, ...below]) {
    const state = await storedState(id, { log: store.log, snapshots: store.snapshots, results });
    for (const { step, path, task, name, for: what } of awaitedIn(stateView(state))) {
      if (name === undefined) continue;
      const where = id === root ? '' : ` of ${visible(id)}`;
      const answer = signalCommand(id, name, data);
      lines.push(`${workName(step, path, task)}${where}: waits for the ${what} '${visible(name)}': ${answer}`);
    }
  }
  const hidden = lines.length - TOLD;
  return hidden <= 0 ? lines : [...lines.slice(0, TOLD), `and ${hidden} more that wait`];
}
