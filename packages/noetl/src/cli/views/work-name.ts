import type { ExecutionEvent } from '@noetl/engine';
import { visible } from './visible.ts';

/** The number of a step run, from its id. */
export const runOf = (stepRunId: string | undefined): number | undefined =>
  stepRunId === undefined ? undefined : Number(stepRunId.slice(stepRunId.lastIndexOf(':') + 1));

/** The indexes of an iteration, outermost first and separated by dots, from its id; empty outside loops. */
export const pathOf = (iterationId: string | undefined): string =>
  iterationId === undefined ? '' : iterationId.slice(iterationId.lastIndexOf(':') + 1);

/** `measure`, `measure[1]`, `measure[1].read` */
export function workName(step: string, path = '', label?: string): string {
  const iteration = path === '' ? '' : `[${path}]`;
  const task = label === undefined ? '' : `.${visible(label)}`;
  return `${visible(step)}${iteration}${task}`;
}

/** What an event is about; empty for the execution as a whole. */
export const workNameOf = ({ payload, iteration_id, task_label }: ExecutionEvent): string =>
  'step' in payload ? workName(payload.step, pathOf(iteration_id), task_label) : '';
