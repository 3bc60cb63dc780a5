import type { ExecutionEvent } from '@noetl/engine';
import { hydrated } from '../../../server/informed-decision.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { DataFolder } from '../../data-folder.ts';
import { EXIT } from '../../exit-code.ts';

/** How many events are read at a time. */
const PAGE = 1_000;

/**
 * The events of an execution up to a position, in pages, however many there are; as they are folded: in their newest
 * form, and the state that a fork starts from in its event.
 */
export async function* logPages(
  id: string,
  { store, results }: DataFolder,
  until = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<readonly ExecutionEvent[]> {
  for (let after = 0; after < until; ) {
    const stored = await store.log.read(id, after, Math.min(PAGE, until - after));
    const last = stored.at(-1);
    if (last === undefined) return;
    const sources = { log: store.log, results };
    yield stored.every(isPlain) ? stored : await Promise.all(stored.map((event) => readable(event, sources)));
    after = last.seq;
  }
}

/** Nearly all events are folded as they are stored. */
const isPlain = (event: ExecutionEvent): boolean => event.name !== 'execution.forked' && !('v' in event);

/** The event as it is folded; a clear word to the user where it cannot be. */
export async function readable(
  event: ExecutionEvent,
  sources: Parameters<typeof hydrated>[1],
): Promise<ExecutionEvent> {
  try {
    return await hydrated(event, sources);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.failed, `error: ${why}`, { cause: error });
  }
}
