import type { Json, JsonMap, SharedWrite, Then } from '@noetl/playbook';
import type { Outcome, OutcomeError } from '../outcome.ts';
import { type PipelineState, visitsOf } from './pipeline-state.ts';

/** Everything `task.done` records of one attempt: a worker that takes over goes on from the newest one. */
export interface Checkpoint extends Patches {
  /** Absent where a rule kept the body from running. */
  readonly outcome?: Outcome;
  readonly directive: Directive;
  readonly next: Next;
}

export interface Directive {
  readonly do: Then['do'];
  /** The position of the rule that chose it, `default` without a policy, `unmatched` where no rule held. */
  readonly rule: number | 'default' | 'unmatched';
  /** Of a policy that could not be evaluated: the position of the rule in whose templates the error is. */
  readonly asked?: number;
}

export interface Patches {
  readonly set_iter?: JsonMap;
  readonly set_ctx?: JsonMap;
  readonly set_shared?: readonly SharedContribution[];
}

export interface SharedContribution {
  readonly key: string;
  readonly reduce: SharedWrite['reduce'];
  readonly value: Json;
}

export type Next =
  | { readonly kind: 'task'; readonly label: string; readonly position: number }
  | { readonly kind: 'retry'; readonly seconds: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: OutcomeError };

/**
 * The pipeline after a checkpoint. Worker and log agree on it because both fold with this function. Its parts are listed,
 * not spread: that takes a tenth of the time, for every attempt of a task.
 */
export function passCheckpoint(state: PipelineState, checkpoint: Checkpoint): PipelineState {
  const { outcome, directive, set_iter, set_ctx, next } = checkpoint;
  // ENG-10: every ok outcome becomes `_prev`, also before jump and break; an error, a retry and a skip leave it.
  const keeps = outcome?.status !== 'ok' || directive.do === 'retry' || directive.do === 'skip';
  const entered = next.kind === 'task' ? next : undefined;
  const passed: PipelineState = {
    position: entered === undefined ? state.position : entered.position,
    label: entered === undefined ? state.label : entered.label,
    visits:
      entered === undefined ? state.visits : { ...state.visits, [entered.label]: visitsOf(state, entered.label) + 1 },
    attempt: entered !== undefined ? 1 : next.kind === 'retry' ? state.attempt + 1 : state.attempt,
    jumps: entered !== undefined && directive.do === 'jump' ? state.jumps + 1 : state.jumps,
    prev: keeps ? state.prev : outcome.result,
    iter: set_iter === undefined ? state.iter : { ...state.iter, ...set_iter },
    ctx: set_ctx === undefined ? state.ctx : { ...state.ctx, ...set_ctx },
  };
  const ended = next.kind === 'done' || next.kind === 'failed' ? next : state.ended;
  return ended === undefined ? passed : Object.assign<PipelineState, Partial<PipelineState>>(passed, { ended });
}
