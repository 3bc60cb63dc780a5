import { shortName } from '../abridge.ts';
import { intEntries } from '../int-map.ts';
import { failure } from '../outcome.ts';
import { loopsOf, pipelinesOf } from './body.ts';
import { type Draft, emit } from './draft.ts';
import { childrenOf } from './drain.ts';
import { finishWorkflow } from './finish.ts';
import { packed, workKey } from './ids.ts';
import type { ControlInput } from './input.ts';
import { placesIn } from './loop.ts';
import type { Schedules } from './payloads.ts';
import { overdueWaits } from './waits.ts';

/** ENG-14: pause acts between pipelines. A second pause, or a resume of what is not paused, changes nothing. */
export function control(draft: Draft, { kind, reason, by }: ControlInput): void {
  const { state } = draft;
  const asked = { reason: reason === null ? null : shortName(reason), by: by === null ? null : shortName(by) };
  if (kind === 'cancel') {
    emit(draft, 'playbook.cancel.requested', { status: 'in_progress' }, { ...asked, cancels: childrenOf(state) });
  } else if (kind === 'pause') {
    if (!state.paused) emit(draft, 'playbook.paused', { status: 'in_progress' }, asked);
  } else if (state.paused) {
    resume(draft, asked);
  }
}

/** The end that a cancelled execution owes. */
export function endCancelled(draft: Draft, reason: string | null): void {
  const message = reason === null ? 'the execution was cancelled.' : `the execution was cancelled: ${reason}`;
  finishWorkflow(draft, 'cancelled', failure('cancelled', message));
}

/** What became ready in the meantime may run, free places are filled, due timers fire. */
function resume(draft: Draft, { reason, by }: Pick<ControlInput, 'reason' | 'by'>): void {
  const running: Draft = { ...draft, state: { ...draft.state, paused: false } };
  const releases: string[] = [];
  const schedules: Record<string, Schedules> = {};
  for (const [run, { body }] of intEntries(draft.state.runs)) {
    for (const [work, { phase }] of pipelinesOf(body, { run, path: [] })) {
      if (phase === 'held') releases.push(workKey(work));
    }
    for (const [work, loop] of loopsOf(body, { run, path: [] })) {
      const places = placesIn(running, loop);
      if (places.count > 0) schedules[workKey(work)] = places;
    }
  }
  emit(draft, 'playbook.resumed', { status: 'in_progress' }, { reason, by, releases: packed(releases), schedules });
  overdueWaits(draft);
}
