import { timestampOf } from '@noetl/engine';
import { errorLine } from '../views/error-line.ts';
import { seconds } from '../views/quantity.ts';
import { visible } from '../views/visible.ts';
import type { Wait } from './note.ts';

/** What is waited for. */
interface WaitText {
  readonly what: string;
  /** Why, or what would end it. */
  readonly detail: string | undefined;
}

export function waitText(wait: Wait, now: number): WaitText {
  switch (wait.for) {
    case 'retry': {
      const { attempt, of, error } = wait.retry;
      const next = `attempt ${attempt + 1}${of === undefined ? '' : ` of ${of}`}`;
      return {
        what: `${next} in ${seconds(wait.until - now + 999)}`,
        detail: error === undefined ? undefined : errorLine(error),
      };
    }
    case 'time':
      return { what: `waits ${seconds(wait.until - now + 999)}, until ${clockTime(wait.until)}`, detail: undefined };
    case 'signal':
    case 'approval': {
      const name = visible(wait.name);
      return {
        what: `waits for the ${wait.for} '${name}'${deadline(wait.until)}`,
        detail: wait.answer,
      };
    }
    case 'child': {
      const child = `${visible(wait.child)} of ${visible(wait.playbook)}`;
      const what = wait.awaited ? `waits for the child ${child}${deadline(wait.until)}` : `starts the child ${child}`;
      return { what, detail: undefined };
    }
  }
}

/** The same as one line. */
export function waitLine(wait: Wait, now: number): string {
  const { what, detail } = waitText(wait, now);
  return detail === undefined ? what : `${what}: ${detail}`;
}

const deadline = (until: number | undefined): string => (until === undefined ? '' : `, until ${clockTime(until)}`);

const clockTime = (instant: number): string => timestampOf(instant).replace(/\.\d+Z$/, 'Z');
