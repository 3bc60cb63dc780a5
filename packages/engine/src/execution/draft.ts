import type { Condition, Json, JsonMap, Templated } from '@noetl/playbook';
import type { Reference, RunOptions } from '@noetl/template';
import { timestampOf } from '../instant.ts';
import { failure } from '../outcome.ts';
import { isTagged, type Tagged, tagKey } from '../result-reference.ts';
import { attempt, type Evaluated, leaving } from '../scope/attempt.ts';
import { noKnownValues, referencesRead, withKnownValues } from '../scope/known-values.ts';
import { readsOf, recordReads } from '../scope/reads.ts';
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

/** What leaves a template here goes into events, and is as they may hold it. */
export const renderIn = (draft: Draft, data: Templated, parts: ScopeParts): Evaluated<Json> =>
  evaluate(draft, readsOf(data), parts, (known, run) => leaving(render(data, templateScope(known), run)));

/** A verdict, and what it was found from. */
export type Verdict = Evaluated<boolean> & { readonly reads?: JsonMap };

export function holdsIn(draft: Draft, condition: Condition, parts: ScopeParts): Verdict {
  let reads: JsonMap | undefined;
  const held = evaluate(draft, readsOf(condition), parts, (known, run) => {
    reads = recordReads(condition, known);
    return holds(condition, templateScope(known), run);
  });
  return reads === undefined ? held : { ...held, reads };
}

function evaluate<T>(
  draft: Draft,
  reads: readonly Reference[],
  parts: ScopeParts,
  body: (parts: ScopeParts, run: RunOptions) => T,
): Evaluated<T> {
  const known = draft.input.known ?? noKnownValues;
  const missing = referencesRead(parts, reads).filter((tagged) => !known.has(tagKey(tagged)));
  if (missing.length > 0) throw new Needs(missing, false);
  // Chance and time are those of the decision, so that making it again gives the same.
  const run = { now: () => draft.now, seed: draft.state.seq };
  return attempt(() => body(withKnownValues(parts, reads, known), run));
}

/** ENG-1: the value itself, where it may be behind a reference, or why it cannot be had. */
export function loadedMap(draft: Draft, value: Json): Evaluated<JsonMap> {
  const loaded = loadedValues(draft, [value]);
  return 'error' in loaded ? loaded : { value: loaded.value[0] as JsonMap };
}

/** ENG-1: the values themselves, where they may be behind references, or why one cannot be had. */
export function loadedValues(draft: Draft, values: readonly Json[]): Evaluated<readonly Json[]> {
  if (!values.some(isTagged)) return { value: values };
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

/** TPL-5: what server-side templates read everywhere; event and iter depend on the place. */
export function partsWith(draft: Draft, args: Json): Evaluated<ScopeParts> {
  const { state, plan } = draft;
  const loaded = loadedValues(draft, [state.workload, args]);
  if ('error' in loaded) return loaded;
  const [workload, ownArgs] = loaded.value as readonly JsonMap[];
  const value = {
    workload: workload ?? {},
    args: ownArgs ?? {},
    ctx: state.ctx,
    results: state.results,
    execution_id: state.request.execution_id,
    job: jobView(state.request, plan.playbook.metadata.path),
  };
  return { value };
}
