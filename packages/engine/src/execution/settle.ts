import { getInt } from '../int-map.ts';
import { endCancelled } from './control.ts';
import { type Draft, emit } from './draft.ts';
import { finishWorkflow, isOver, processPlaybook } from './finish.ts';
import { placeTokens } from './join.ts';
import { closeLoop, openLoop, publish } from './loop.ts';
import { route } from './routing.ts';
import { evaluateRequest, startWorkflow } from './start.ts';
import type { Owed } from './state.ts';
import { childRefused, deliverSignal } from './waits.ts';

/**
 * Decides what follows from the state until nothing is owed any more. It looks at the state alone, so that an execution
 * goes on the same way after a crash, or as a fork, in the middle of a decision.
 */
export function settle(draft: Draft): void {
  while (draft.events.length < draft.plan.limits.eventsPerDecision && settleOne(draft));
}

function settleOne(draft: Draft): boolean {
  const { state } = draft;
  switch (state.phase) {
    case 'new':
    case 'processed':
      return false;
    case 'requested':
      evaluateRequest(draft);
      return true;
    case 'evaluated':
      if (state.outcome === undefined) startWorkflow(draft);
      else processPlaybook(draft);
      return true;
    case 'finished':
      processPlaybook(draft);
      return true;
    case 'running':
      return settleRunning(draft);
  }
}

function settleRunning(draft: Draft): boolean {
  const { state } = draft;
  if (state.cancelled !== undefined) {
    endCancelled(draft, state.cancelled.reason);
    return true;
  }
  // While paused nothing new is scheduled: loops do not open and tokens stay where they are.
  const owed = state.paused ? state.owed.find(({ kind }) => kind !== 'open') : state.owed[0];
  if (owed !== undefined) {
    answer(draft, owed);
    return true;
  }
  if (deliverSignal(draft)) return true;
  if (!state.paused && state.failure === undefined && placeTokens(draft)) return true;
  if (!isOver(state)) return false;
  finishWorkflow(draft, state.failure === undefined ? 'success' : 'error', state.failure);
  return true;
}

function answer(draft: Draft, owed: Owed): void {
  switch (owed.kind) {
    case 'pass': {
      const step = getInt(draft.state.runs, owed.work.run)?.step ?? '';
      emit(draft, 'step.done', { work: owed.work, status: 'success' }, { step, result: null });
      return;
    }
    case 'open':
      openLoop(draft, owed.work);
      return;
    case 'close':
      closeLoop(draft, owed.work);
      return;
    case 'resume':
      childRefused(draft, owed.work);
      return;
    case 'publish':
      publish(draft, owed.run, owed.step, owed.patch);
      return;
    case 'route':
      route(draft, owed.boundary);
      return;
  }
}
