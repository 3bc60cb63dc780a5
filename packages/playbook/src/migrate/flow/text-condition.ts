import { scalar } from '../tree/build.ts';
import type { Site, StepFlow } from './step-flow.ts';

/** A condition of an author, as it is written where it comes to stand. */
export function renamedText(text: string, site: Site, at: number, flow: StepFlow): string {
  const renamed = flow.renamed(scalar(text), site, at);
  return renamed.kind === 'scalar' && typeof renamed.value === 'string' ? renamed.value : text;
}

export const IS_OK = "{{ outcome.status == 'ok' }}";
export const IS_ERROR = "{{ outcome.status == 'error' }}";
