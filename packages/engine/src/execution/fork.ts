import { effectiveSpec, type Json, type JsonMap, type Step } from '@noetl/playbook';
import type { Instant } from '../instant.ts';
import { intEntries, intMapOf } from '../int-map.ts';
import { isMap } from '../is-map.ts';
import { type PipelineState, visitsOf } from '../pipeline/pipeline-state.ts';
import { escapeTags, type ManifestSource } from '../result-reference.ts';
import { without } from '../without.ts';
import type { Body, Wait } from './body.ts';
import { type Draft, emit, loadedMap } from './draft.ts';
import { ctxSizeOf } from './evolve.ts';
import { childId, type Work, workId } from './ids.ts';
import type { ForkInput } from './input.ts';
import type { Plan } from './plan.ts';
import { encodeState } from './snapshot.ts';
import type { ExecutionState } from './state.ts';
import { traceIdOf } from './trace-id.ts';

/** Why a fork cannot be made, where only making it shows. */
export class ForkRefused extends Error {
  override name = 'ForkRefused';
}

/** ENG-15: why an execution cannot go on with the playbook; undefined if it can. */
export function forkRefusal(plan: Plan, { origin }: ForkInput): string | undefined {
  const { tokens, runs, owed, phase } = origin.state;
  if (phase === 'new') return 'there is no event to fork from.';
  const live = new Map<string, Body | undefined>(Object.keys(tokens).map((step) => [step, undefined]));
  for (const entry of owed) if (entry.kind === 'route') live.set(entry.boundary.step, undefined);
  for (const [step, body] of live) {
    const problem = stepRefusal(plan, step, body);
    if (problem !== undefined) return problem;
  }
  for (const [, { step, body }] of intEntries(runs)) {
    const problem = stepRefusal(plan, step, body);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function stepRefusal({ steps }: Plan, name: string, body: Body | undefined): string | undefined {
  const step = steps.get(name);
  if (step === undefined) return `the step '${name}' is under way, and the edited playbook does not have it.`;
  const labels = new Set(step.tasks.map(({ label }) => label));
  const missing = [...liveLabels(body)].find((label) => !labels.has(label));
  if (missing === undefined) return undefined;
  return `the task '${missing}' of the step '${name}' is under way, and the edited playbook does not have it.`;
}

/** Labels that pipelines in flight stand in front of. */
function* liveLabels(body: Body | undefined): Generator<string> {
  if (body?.kind === 'pipeline') yield body.state.label;
  if (body?.kind === 'loop') for (const [, inner] of intEntries(body.inFlight)) yield* liveLabels(inner);
}

/** A new execution with the state of another at one of its events. */
export function fork(draft: Draft, given: ForkInput): void {
  const input = { ...given, edits: escapeTags(given.edits as JsonMap) as ForkInput['edits'] };
  const { execution_id, origin, path, version, content_hash, folder, edits } = input;
  const { state } = origin;
  // Until the request is evaluated, its payload is all there is of the workload.
  const payload = state.phase === 'requested' ? merged(draft, state.request.payload, edits.workload ?? {}) : null;
  emit(
    draft,
    'playbook.execution.requested',
    { status: 'in_progress' },
    {
      path,
      version,
      content_hash,
      payload,
      depth: state.request.depth,
      trace_id: input.trace_id ?? traceIdOf(execution_id),
      ...(input.traced === undefined ? {} : { traced: input.traced }),
      ...(folder === undefined ? {} : { folder }),
      origin: { execution_id: origin.execution_id, seq: state.seq },
      edits: edits as JsonMap,
    },
  );
  emit(draft, 'execution.forked', { status: 'success' }, { state: encodeState(forkedState(draft, input)) });
}

/** What was there with what was edited: maps merge, also those behind references. Throws if one cannot be read. */
function merged(draft: Draft, there: Json | undefined, edit: Json): Json {
  if (!isMap(there) || !isMap(edit)) return edit;
  const loaded = loadedMap(draft, there);
  if ('error' in loaded) throw new ForkRefused(loaded.error.message);
  const lower = loaded.value;
  if (!isMap(lower)) return edit;
  const values = Object.entries(edit).map(([key, value]) => {
    return [key, merged(draft, Object.hasOwn(lower, key) ? lower[key] : undefined, value)] as const;
  });
  return { ...lower, ...Object.fromEntries(values) };
}

/**
 * What the new execution starts from: nothing of it is leased, children start anew, its timeouts count from now, and its
 * end is its own.
 */
function forkedState(draft: Draft, { origin, execution_id, edits }: ForkInput): ExecutionState {
  const { state } = origin;
  const { playbook, steps, limits } = draft.plan;
  const ctx = merged(draft, state.ctx, edits.ctx ?? {}) as JsonMap;
  const ctxSize = ctxSizeOf(ctx);
  if (edits.ctx !== undefined && ctxSize > limits.ctx) {
    throw new ForkRefused(`ctx would be ${ctxSize} bytes with the edit, the limit is ${limits.ctx}.`);
  }
  const edited = Object.fromEntries(Object.keys(edits.ctx ?? {}).map((key) => [key, ctx[key] ?? null]));
  const runs = [...intEntries(state.runs)].flatMap(([run, stepRun]) => {
    const step = steps.get(stepRun.step);
    if (step === undefined) return [];
    const place = { draft, step, origin, execution_id, ctx: edited };
    const deadline = fromNow(draft, step.timeout ?? playbook.executor.stepTimeout);
    return [[run, { ...stepRun, deadline, body: forkedBody(stepRun.body, { run, path: [] }, place) }] as const];
  });
  return {
    ...state,
    phase: state.phase === 'processed' ? 'finished' : state.phase,
    workload: merged(draft, state.workload, edits.workload ?? {}),
    ctx,
    cancels: [],
    ctxSize,
    // What is still to be published was decided before the edit, which wins.
    owed: state.owed.map((owed) =>
      owed.kind === 'publish' ? { ...owed, patch: withEdits(draft, owed.patch, edits.ctx ?? {}) } : owed,
    ),
    deadline: state.phase === 'running' ? fromNow(draft, playbook.executor.executionTimeout) : undefined,
    runs: intMapOf(runs),
  };
}

/** A patch of ctx, as far as the edits leave it. */
const withEdits = (draft: Draft, patch: JsonMap, edits: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(patch).map(([key, value]) => [
      key,
      Object.hasOwn(edits, key) ? merged(draft, value, edits[key] ?? null) : value,
    ]),
  );

const fromNow = ({ input }: Draft, seconds: number | undefined): Instant | undefined =>
  seconds === undefined ? undefined : input.at + seconds * 1000;

interface ForkPlace {
  readonly draft: Draft;
  /** As the new execution has it. */
  readonly step: Step;
  readonly origin: ForkInput['origin'];
  readonly execution_id: string;
  /** Edits of ctx reach pipelines under way, too: the whole value of each key that was edited. */
  readonly ctx: JsonMap;
}

function forkedBody(body: Body, work: Work, place: ForkPlace): Body {
  if (body.kind === 'none') return body;
  if (body.kind === 'loop') {
    const inFlight = intMapOf(
      [...intEntries(body.inFlight)].map(([index, inner]) => {
        return [index, forkedBody(inner, { run: work.run, path: [...work.path, index] }, place)] as const;
      }),
    );
    const { execution_id, state } = place.origin;
    const source: ManifestSource = { execution_id, loop: workId(execution_id, work), until: state.seq };
    // Iterations to come begin with the first task as it is now.
    const plan = body.plan && { ...body.plan, firstTask: place.step.tasks[0]?.label ?? '' };
    const { overlay, pending } = body;
    // What was written before is written over by the edit.
    const unedited = { overlay: without(overlay, place.ctx), pending: without(pending, place.ctx) };
    return { ...body, ...unedited, plan, inFlight, sources: [...body.sources, source] };
  }
  const { label } = body.state;
  // The playbook may have other tasks before it now.
  const position = place.step.tasks.findIndex((task) => task.label === label);
  const state = { ...body.state, position, ctx: without(body.state.ctx, place.ctx) };
  return {
    ...body,
    phase: body.phase === 'running' ? 'ready' : body.phase,
    ctx: { ...body.ctx, ...place.ctx },
    state,
    started: false,
    taskStarted: false,
    wait: body.wait && forkedWait(body.wait, state, work, place),
  };
}

function forkedWait(wait: Wait, state: PipelineState, work: Work, { draft, step, execution_id }: ForkPlace): Wait {
  const { position, label, attempt } = state;
  const task = step.tasks[position];
  const timeout = task && effectiveSpec(draft.plan.playbook, step, task).timeout;
  return {
    ...wait,
    until: wait.timesOut ? fromNow(draft, typeof timeout === 'number' ? timeout : undefined) : wait.until,
    child: wait.child && {
      ...wait.child,
      execution_id: childId(execution_id, work, position, visitsOf(state, label), attempt),
    },
  };
}
