import type { ExecutionEvent } from '@noetl/engine';
import type { Clock } from '../../ports/clock.ts';
import { visible } from '../views/visible.ts';
import { workNameOf } from '../views/work-name.ts';
import { waitOf } from './board.ts';
import { waitLine } from './wait-text.ts';

/** More than these would hide what happens in the execution itself. */
const TOLD = 5;

/** What executions that were called, directly or not, ask of people: nobody else can say where to answer. */
export function createCalledWaits(
  caller: string,
  data: string | undefined,
  clock: Clock,
): (events: readonly ExecutionEvent[]) => readonly { readonly at: string; readonly text: string }[] {
  let told = 0;
  return (events) =>
    events.flatMap((event) => {
      if (event.execution_id === caller || event.name !== 'task.waiting') return [];
      const wait = waitOf(event, data);
      if (wait?.for !== 'signal' && wait?.for !== 'approval') return [];
      told += 1;
      if (told > TOLD + 1) return [];
      if (told > TOLD) return [{ at: event.timestamp, text: 'further children that wait are not told one by one' }];
      return [
        {
          at: event.timestamp,
          text: `${workNameOf(event)} of ${visible(event.execution_id)}: ${waitLine(wait, clock.now())}`,
        },
      ];
    });
}
