import type { ExecutionEvent, Payload } from '@noetl/engine';
import { dataOption } from '../data-option.ts';
import { errorLine } from './error-line.ts';
import { type Line, paint, tinted } from './line.ts';
import { things } from './quantity.ts';
import { visible } from './visible.ts';

/** Reads along with a tree of executions, for the children that nobody waits for: their failures are nobody else's. */
export interface UnawaitedFold {
  take(events: Iterable<ExecutionEvent>): void;
  /** What went wrong with them; empty if nothing did. */
  complaint(color: boolean, data: string | undefined): string;
}

interface Failed {
  readonly execution: string;
  readonly path: string;
  readonly end: Payload<'playbook.processed'>;
}

/** More would hide the first. */
const LISTED = 10;

export function createUnawaitedFold(): UnawaitedFold {
  const unawaited = new Map<string, string>();
  const failed: Failed[] = [];
  let count = 0;

  function take(event: ExecutionEvent): void {
    if (event.name === 'task.waiting') {
      const { child } = event.payload;
      if (child?.wait === false) unawaited.set(child.execution_id, child.path);
    } else if (event.name === 'playbook.processed') {
      const path = unawaited.get(event.execution_id);
      unawaited.delete(event.execution_id);
      if (path === undefined || event.payload.status === 'success') return;
      count += 1;
      if (failed.length < LISTED) failed.push({ execution: event.execution_id, path, end: event.payload });
    }
  }

  return {
    take(events) {
      for (const event of events) take(event);
    },
    complaint(color, data) {
      const lines = failed.map(({ execution, path, end }): Line => {
        const cancelled = end.status === 'cancelled';
        return [
          cancelled ? tinted('yellow', 'cancelled') : tinted('red', 'failed'),
          `: execution ${visible(execution)} of ${visible(path)}, which nobody waits for`,
          ...(cancelled || end.error === null ? [] : [`: ${errorLine(end.error)}`]),
          tinted('dim', `  (noetl exec status ${visible(execution)}${visible(dataOption(data))})`),
        ];
      });
      const hidden = count - failed.length;
      const more: readonly Line[] = hidden === 0 ? [] : [[`and ${things(hidden, 'more', 'more')}`]];
      return [...lines, ...more].map((line) => `${paint(line, color)}\n`).join('');
    },
  };
}
