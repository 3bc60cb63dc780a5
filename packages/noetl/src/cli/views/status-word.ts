import type { Detail, SummaryStatus } from '@noetl/engine';
import { type Part, type Tint, tinted } from './line.ts';

type Status = SummaryStatus | Detail['runs'][number]['status'] | 'skipped' | 'in_progress';

const TINTS: Readonly<Partial<Record<Status, Tint>>> = {
  success: 'green',
  done: 'green',
  error: 'red',
  failed: 'red',
  failing: 'red',
  rejected: 'red',
  cancelled: 'yellow',
  paused: 'yellow',
  waiting: 'yellow',
  held: 'yellow',
  running: 'cyan',
  skipped: 'dim',
  dropped: 'dim',
};

/** A status in its colour. */
export function statusWord(status: Status): Part {
  const tint = TINTS[status];
  return tint === undefined ? status : tinted(tint, status);
}
