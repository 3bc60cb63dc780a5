import type { Json, JsonMap } from '@noetl/playbook';
import type { OutcomeError } from '../outcome.ts';

/**
 * Where the pipeline of one step run or iteration is. It is the whole memory of a pipeline: after a crash another
 * worker goes on from the newest one in the log.
 */
export interface PipelineState {
  /** Index of the task to run next. */
  readonly position: number;
  /** Its label. */
  readonly label: string;
  /** How often each task has been entered, by label; a retry is no new visit (ENG-10). */
  readonly visits: Readonly<Record<string, number>>;
  /** 1 for the first try of a visit. */
  readonly attempt: number;
  readonly jumps: number;
  /** `_prev`: the result of the newest ok outcome. */
  readonly prev: Json;
  /** What set_iter has written, private to the iteration. */
  readonly iter: JsonMap;
  /** What set_ctx of this pipeline has written, over the ctx it was scheduled with (ENG-9). */
  readonly ctx: JsonMap;
  /** How it ended, once it has. */
  readonly ended?: { readonly kind: 'done' } | { readonly kind: 'failed'; readonly error: OutcomeError };
}

/** How often a task has been entered. A label may be any text, also the name of what every object has. */
export const visitsOf = ({ visits }: PipelineState, label: string): number =>
  Object.hasOwn(visits, label) ? (visits[label] ?? 0) : 0;

export const startPipeline = (first: string): PipelineState => ({
  position: 0,
  label: first,
  visits: { [first]: 1 },
  attempt: 1,
  jumps: 0,
  prev: null,
  iter: {},
  ctx: {},
});
