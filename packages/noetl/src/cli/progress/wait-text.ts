import { timestampOf } from '@noetl/engine';
import { errorLine } from '../views/error-line.ts';
import { seconds } from '../views/quantity.ts';
import { visible } from '../views/visible.ts';
import type { Wait } from './note.ts';

/** What is waited for, and what would end it. */
export function waitText(wait: Wait, now: number): string {
  switch (wait.for) {
    case 'retry': {
      const { attempt, of, error } = wait.retry;
      const next = `attempt ${attempt + 1}${of === undefined ? '' : ` of ${of}`}`;
      return `${next} in ${seconds(wait.until - now + 999)}${error === undefined ? '' : `: ${errorLine(error)}`}`;
    }
    case 'time':
      return `waits ${seconds(wait.until - now + 999)}, until ${clockTime(wait.until)}`;
    case 'signal':
    case 'approval': {
      const name = visible(wait.name);
      const send = `noetl exec signal ${visible(wait.execution)} ${shellWord(name)}`;
      return `waits for the ${wait.for} '${name}'${deadline(wait.until)}: ${send}`;
    }
    case 'child':
      return `waits for the child ${visible(wait.child)} of ${visible(wait.playbook)}${deadline(wait.until)}`;
  }
}

const deadline = (until: number | undefined): string => (until === undefined ? '' : `, until ${clockTime(until)}`);

const clockTime = (instant: number): string => timestampOf(instant).replace(/\.\d+Z$/, 'Z');

const shellWord = (text: string): string => (/^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
