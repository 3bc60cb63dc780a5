import type { Json } from '@noetl/playbook';
import type { OutcomeError } from '../outcome.ts';
import { type Draft, emit } from './draft.ts';
import { childrenOf } from './drain.ts';
import type { ExecutionState } from './state.ts';

/** ENG-7: no live token, run or timer is left. */
export const isOver = ({ tokens, runs, owed }: ExecutionState): boolean =>
  runs.size === 0 && owed.length === 0 && Object.keys(tokens).length === 0;

/** The workflow is over; what still runs is told and fenced off. */
export function finishWorkflow(draft: Draft, status: 'success' | 'error' | 'cancelled', error?: OutcomeError): void {
  const cancels = childrenOf(draft.state);
  emit(
    draft,
    'workflow.finished',
    { status: status === 'success' ? 'success' : 'error' },
    { status, ...(error === undefined ? {} : { error }), ...(cancels.length === 0 ? {} : { cancels }) },
  );
}

/** ENG-16: the last word of every execution. */
export function processPlaybook(draft: Draft): void {
  const { state } = draft;
  const { status = 'success', error } = state.outcome ?? {};
  emit(
    draft,
    'playbook.processed',
    { status: status === 'success' ? 'success' : 'error' },
    {
      status,
      result: resultOf(draft),
      error: error ?? null,
      stats: { ...state.stats, duration_ms: draft.input.at - state.request.requested_at },
    },
  );
}

function resultOf({ plan, state }: Draft): Json {
  const { resultStep } = plan.playbook;
  if (resultStep === undefined) return state.branchResult;
  return Object.hasOwn(state.results, resultStep) ? (state.results[resultStep] ?? null) : null;
}
