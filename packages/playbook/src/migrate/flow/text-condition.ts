import { scalar } from '../tree/build.ts';
import type { Place, StepFlow } from './step-flow.ts';

/** A condition of an author, as it is written where it comes to stand. */
export function renamedText(text: string, place: Place, at: number, flow: StepFlow): string {
  const renamed = flow.condition(scalar(text), place, at);
  return renamed.kind === 'scalar' && typeof renamed.value === 'string' ? renamed.value : text;
}

export const IS_OK = "{{ outcome.status == 'ok' }}";
export const IS_ERROR = "{{ outcome.status == 'error' }}";
