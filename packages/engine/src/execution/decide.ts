import { shortName } from '../abridge.ts';
import { getInt } from '../int-map.ts';
import { isTooDeep, tooDeepMessage } from '../nesting.ts';
import { escapeTags, type Tagged } from '../result-reference.ts';
import { control } from './control.ts';
import { type Draft, draftOf, emit, Needs } from './draft.ts';
import type { ExecutionEvent } from './event.ts';
import { findBody } from './evolve-work.ts';
import { ForkRefused, fork, forkRefusal } from './fork.ts';
import type { GiveUpInput, Input, SignalInput } from './input.ts';
import { endIteration } from './loop.ts';
import type { Plan } from './plan.ts';
import { report } from './report.ts';
import { settle } from './settle.ts';
import { request } from './start.ts';
import type { ExecutionState } from './state.ts';
import { childOver, timerDue } from './waits.ts';

/** The answer to an input. */
export type Decision =
  /** What to append, and the state after it. `more`: something may still be owed; decide `continue` next. */
  | {
      readonly kind: 'events';
      readonly events: readonly ExecutionEvent[];
      readonly state: ExecutionState;
      readonly more: boolean;
    }
  /**
   * What has to be known first: values behind references, or which work is leased. A manifest may list iterations that
   * end in this very decision; their events are `pending`, and not in the log yet.
   */
  | {
      readonly kind: 'needs';
      readonly references: readonly Tagged[];
      readonly leases: boolean;
      readonly pending: readonly ExecutionEvent[];
    }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

/** Why an input is refused; docs/errors has a page for each. */
export const REFUSAL_CODES = [
  'NOETL_EXECUTION_EXISTS',
  'NOETL_EXECUTION_UNKNOWN',
  'NOETL_EXECUTION_OVER',
  'NOETL_FORK_REFUSED',
  'NOETL_DATA_TOO_DEEP',
] as const;

export type RefusalCode = (typeof REFUSAL_CODES)[number];

/**
 * ENG-1: what happens because of an input. Pure: the same playbook, state and input give the same events. It does not
 * change anything; who appends the events makes them true.
 */
export function decide(plan: Plan, state: ExecutionState, input: Input): Decision {
  const refusal = refuse(plan, state, input);
  if (refusal !== undefined) return refusal;
  const draft = draftOf(plan, state, input);
  try {
    answer(draft, input);
    settle(draft);
    const { events } = draft;
    return { kind: 'events', events, state: draft.state, more: events.length >= plan.limits.eventsPerDecision };
  } catch (error) {
    if (error instanceof ForkRefused) return refused('NOETL_FORK_REFUSED', error.message);
    if (!(error instanceof Needs)) throw error;
    return { kind: 'needs', references: error.references, leases: error.leases, pending: draft.events };
  }
}

function refuse(plan: Plan, { phase }: ExecutionState, input: Input): Decision | undefined {
  if (isTooDeep(dataOf(input)))
    return refused('NOETL_DATA_TOO_DEEP', `${tooDeepMessage('the data')} Pass flatter data, or a part of it as text.`);
  if (input.kind === 'request' || input.kind === 'fork') {
    if (phase !== 'new')
      return refused('NOETL_EXECUTION_EXISTS', `the execution '${input.execution_id}' exists already.`);
    const problem = input.kind === 'fork' ? forkRefusal(plan, input) : undefined;
    return problem === undefined ? undefined : refused('NOETL_FORK_REFUSED', problem);
  }
  if (phase === 'new') return refused('NOETL_EXECUTION_UNKNOWN', 'there is no such execution.');
  const asked = input.kind === 'pause' || input.kind === 'resume' || input.kind === 'cancel' || input.kind === 'signal';
  const over = phase === 'finished' || phase === 'processed';
  return asked && over ? refused('NOETL_EXECUTION_OVER', 'the execution is over; nothing can change it.') : undefined;
}

/** What comes from outside, and may be anything. */
function dataOf(input: Input): unknown {
  if (input.kind === 'request' || input.kind === 'signal') return input.payload;
  return input.kind === 'fork' ? input.edits : undefined;
}

const refused = (code: RefusalCode, message: string): Decision => ({ kind: 'refused', code, message });

function answer(draft: Draft, input: Input): void {
  switch (input.kind) {
    case 'request':
      request(draft, input);
      return;
    case 'fork':
      fork(draft, input);
      return;
    case 'report':
      report(draft, input);
      return;
    case 'timer':
      timerDue(draft, input.timer);
      return;
    case 'child':
      childOver(draft, input);
      return;
    case 'give-up':
      giveUp(draft, input);
      return;
    case 'signal':
      signal(draft, input);
      return;
    case 'pause':
    case 'resume':
    case 'cancel':
      control(draft, input);
      return;
    case 'continue':
      return;
  }
}

/** Kept until a `wait` takes it. */
function signal(draft: Draft, { name, payload, by, input }: SignalInput): void {
  // Whoever took it may have died before it could be forgotten.
  if (input !== undefined && input === draft.state.lastInput) return;
  const sent = { name: shortName(name), payload: escapeTags(payload), by: by === null ? null : shortName(by) };
  emit(draft, 'signal.received', { status: 'success' }, { ...sent, ...(input === undefined ? {} : { input }) });
}

/** ENG-13: work that was taken over too often fails. */
function giveUp(draft: Draft, { work, error }: GiveUpInput): void {
  const step = getInt(draft.state.runs, work.run)?.step;
  if (step === undefined || findBody(draft.state, work)?.kind !== 'pipeline') return;
  if (work.path.length > 0) endIteration(draft, work, step, { error });
  else emit(draft, 'step.failed', { work, status: 'error' }, { step, error });
}
