import type { Condition, Json, JsonMap, Templated } from '@noetl/playbook';
import { type Reference, type RunOptions, TemplateError } from '@noetl/template';
import { timestampOf } from '../instant.ts';
import { failure, type OutcomeError, templateFailure } from '../outcome.ts';
import { isTagged, type Tagged, tagKey } from '../result-reference.ts';
import { noKnownValues, referencesRead, UnreadableValue, withKnownValues } from '../scope/known-values.ts';
import { readsOf } from '../scope/reads.ts';
import { holds, render } from '../scope/render.ts';
import { type ScopeParts, templateScope } from '../scope/template-scope.ts';
import { type EventStatus, type ExecutionEvent, entityTypeOf } from './event.ts';
import { evolve } from './evolve.ts';
import { eventId, iterationId, stepRunId, taskRunId, type Work } from './ids.ts';
import type { Input } from './input.ts';
import { jobView } from './job-view.ts';
import type { EventName, Payload } from './payloads.ts';
import type { Plan } from './plan.ts';
import type { ExecutionState } from './state.ts';

/** A decision being written: each event is folded at once, so that what follows is decided on the state it made. */
export interface Draft {
  readonly plan: Plan;
  readonly input: Input;
  readonly now: string;
  readonly events: ExecutionEvent[];
  state: ExecutionState;
}

export const draftOf = (plan: Plan, state: ExecutionState, input: Input): Draft => ({
  plan,
  input,
  now: timestampOf(input.at),
  events: [],
  state,
});

/** A decision has to know more before it can be made. */
export class Needs extends Error {
  override name = 'Needs';
  readonly references: readonly Tagged[];
  readonly leases: boolean;

  constructor(references: readonly Tagged[], leases: boolean) {
    super('a decision lacks values or leases');
    this.references = references;
    this.leases = leases;
  }
}

interface About {
  readonly status: EventStatus;
  readonly source?: 'worker';
  readonly timestamp?: string;
  readonly work?: Work;
  readonly task?: { readonly label: string; readonly visit: number; readonly attempt: number } | undefined;
  readonly parent?: string | undefined;
}

/** Appends an event to the draft. Its ids follow from what it is about. */
export function emit<N extends EventName>(draft: Draft, name: N, about: About, payload: Payload<N>): void {
  const execution = draft.state.request.execution_id || executionOf(draft.input);
  const seq = draft.state.seq + 1;
  const ids = idsOf(execution, about);
  const event = {
    event_id: eventId(execution, seq),
    execution_id: execution,
    seq,
    timestamp: about.timestamp ?? draft.now,
    source: about.source ?? 'server',
    name,
    entity_type: entityTypeOf(name),
    entity_id: ids.task_run_id ?? ids.iteration_id ?? ids.step_run_id ?? execution,
    status: about.status,
    ...ids,
    payload,
  } as unknown as ExecutionEvent;
  draft.events.push(event);
  draft.state = evolve(draft.state, event);
}

interface Ids {
  step_run_id?: string;
  iteration_id?: string;
  task_run_id?: string;
  task_label?: string;
  visit?: number;
  attempt?: number;
  parent_event_id?: string;
}

/** Filled in one by one: this runs for every event, and spreading parts costs several times as much. */
function idsOf(execution: string, { work, task, parent }: About): Ids {
  const ids: Ids = {};
  if (work !== undefined) {
    ids.step_run_id = stepRunId(execution, work.run);
    if (work.path.length > 0) ids.iteration_id = iterationId(execution, work);
    if (task !== undefined) {
      ids.task_run_id = taskRunId(execution, work, task.label, task.visit);
      ids.task_label = task.label;
      ids.visit = task.visit;
      ids.attempt = task.attempt;
    }
  }
  if (parent !== undefined) ids.parent_event_id = parent;
  return ids;
}

const executionOf = (input: Input): string =>
  input.kind === 'request' || input.kind === 'fork' ? input.execution_id : '';

/** What came of evaluating: a value, or why there is none. Never both, never an exception. */
export type Evaluated<T> = { readonly value: T } | { readonly error: OutcomeError };

export const renderIn = (draft: Draft, data: Templated, parts: ScopeParts): Evaluated<Json> =>
  evaluate(draft, readsOf(data), parts, (known, run) => render(data, templateScope(known), run));

export const holdsIn = (draft: Draft, condition: Condition, parts: ScopeParts): Evaluated<boolean> =>
  evaluate(draft, readsOf(condition), parts, (known, run) => holds(condition, templateScope(known), run));

function evaluate<T>(
  draft: Draft,
  reads: readonly Reference[],
  parts: ScopeParts,
  body: (parts: ScopeParts, run: RunOptions) => T,
): Evaluated<T> {
  const known = draft.input.known ?? noKnownValues;
  const missing = referencesRead(parts, reads).filter((tagged) => !known.has(tagKey(tagged)));
  if (missing.length > 0) throw new Needs(missing, false);
  try {
    // Chance and time are those of the decision, so that making it again gives the same.
    return { value: body(withKnownValues(parts, reads, known), { now: () => draft.now, seed: draft.state.seq }) };
  } catch (error) {
    if (error instanceof TemplateError) return { error: templateFailure(error) };
    if (error instanceof UnreadableValue) return { error: failure('template', error.message) };
    throw error;
  }
}

/** ENG-1: the value itself, where it may be behind a reference. */
export function loadedMap(draft: Draft, value: Json): JsonMap {
  if (!isTagged(value)) return value as JsonMap;
  const loaded = (draft.input.known ?? noKnownValues).get(tagKey(value));
  if (loaded === undefined) throw new Needs([value], false);
  return 'value' in loaded ? (loaded.value as JsonMap) : {};
}

/** ENG-1: the values themselves, where they may be behind references, or why one cannot be had. */
export function loadedValues(draft: Draft, values: readonly Json[]): Evaluated<readonly Json[]> {
  const known = draft.input.known ?? noKnownValues;
  const missing = values.filter(isTagged).filter((tagged) => !known.has(tagKey(tagged)));
  if (missing.length > 0) throw new Needs(missing, false);
  const loaded: Json[] = [];
  for (const value of values) {
    const found = isTagged(value) ? known.get(tagKey(value)) : { value };
    if (found === undefined || 'problem' in found) return { error: failure('template', found?.problem ?? '') };
    loaded.push(found.value);
  }
  return { value: loaded };
}

/** TPL-5: what server-side templates read everywhere; args, event and iter depend on the place. */
export function commonParts({ state, plan }: Draft): Omit<ScopeParts, 'args'> {
  return {
    workload: state.workload as JsonMap,
    ctx: state.ctx,
    results: state.results,
    execution_id: state.request.execution_id,
    job: jobView(state.request, plan.playbook.metadata.path),
  };
}
