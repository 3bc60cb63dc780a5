import { type FailurePoint, failureTrail } from '@noetl/engine';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-code.ts';
import { logPages } from './log-pages.ts';
import { known, type Look } from './looking.ts';

/** Where a fork tries again what made the execution fail; a clear word if nothing did. */
export async function failurePointOf(id: string, look: Look): Promise<FailurePoint> {
  const trail = failureTrail();
  for await (const events of logPages(id, look.folder)) for (const event of events) trail.take(event);
  const point = trail.point();
  if (point !== undefined) return point;
  const { status } = await known(id, look);
  throw new CommandFailure(
    EXIT.usage,
    `error: the execution '${id}' ${WHY[status]}. Name an event by --at SEQ; noetl exec events ${id} lists them.`,
  );
}

const WHY = {
  running: 'has not failed so far',
  paused: 'is paused, and has not failed so far',
  success: 'did not fail',
  error: 'had failed already where it was forked',
  cancelled: 'was cancelled, and did not fail',
} as const;
