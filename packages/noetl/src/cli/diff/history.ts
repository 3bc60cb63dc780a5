import type { ExecutionEvent } from '@noetl/engine';
import { logPages } from '../commands/exec/log-pages.ts';
import type { DataFolder } from '../data-folder.ts';

/**
 * What happened to an execution from the beginning on. A fork has the history of its origin up to the event it was forked
 * at; its own events follow.
 */
export interface History {
  readonly parts: readonly Part[];
  /** An execution that it was forked from and that is not kept any more. */
  readonly lost: string | undefined;
}

/** The events of one log, up to a position. Their places in the history follow those of the part before. */
interface Part {
  readonly execution: string;
  readonly until: number;
  readonly offset: number;
}

export interface HistoryEvent {
  readonly event: ExecutionEvent;
  /** Its place in the history, from 1. */
  readonly at: number;
  /** It belongs to a fork of what came before. */
  readonly forked: boolean;
}

export async function historyOf(execution: string, until: number, folder: DataFolder): Promise<History> {
  const [first] = await folder.store.log.read(execution, 0, 1);
  const origin = first?.name === 'playbook.execution.requested' ? first.payload.origin : undefined;
  if (origin === undefined) return { parts: [{ execution, until, offset: 0 }], lost: undefined };
  const kept = (await folder.store.executions.get(origin.execution_id)) !== undefined;
  if (!kept) return { parts: [{ execution, until, offset: 0 }], lost: origin.execution_id };
  const before = await historyOf(origin.execution_id, origin.seq, folder);
  const offset = lengthOf(before);
  return { ...before, parts: [...before.parts, { execution, until, offset }] };
}

const lengthOf = ({ parts }: History): number => {
  const last = parts.at(-1);
  return last === undefined ? 0 : last.offset + last.until;
};

/** How many events two histories share: those of a common origin. */
export function sharedBy(a: History, b: History): number {
  let shared = 0;
  for (const [at, part] of a.parts.entries()) {
    const other = b.parts[at];
    if (other?.execution !== part.execution) break;
    shared = part.offset + Math.min(part.until, other.until);
    if (part.until !== other.until) break;
  }
  return shared;
}

export async function* eventsOf({ parts }: History, folder: DataFolder): AsyncGenerator<readonly HistoryEvent[]> {
  for (const { execution, until, offset } of parts) {
    for await (const page of logPages(execution, folder, until)) {
      yield page.map((event) => ({ event, at: offset + event.seq, forked: offset > 0 }));
    }
  }
}

/** The log that an event of the history is in, and its position there. */
export function placeIn({ parts }: History, at: number): { readonly execution: string; readonly seq: number } {
  const part = parts.findLast(({ offset }) => at > offset) ?? parts[0];
  return { execution: part?.execution ?? '', seq: at - (part?.offset ?? 0) };
}
