import type { Json, JsonMap } from '@noetl/playbook';
import { intEntries, intMapOf } from '../int-map.ts';
import { jsonSize } from '../json-size.ts';
import type { ManifestSource } from '../result-reference.ts';
import type { Body } from './body.ts';
import { type Draft, emit } from './draft.ts';
import { childId, type Work, workId } from './ids.ts';
import type { ForkInput } from './input.ts';
import type { Plan } from './plan.ts';
import { encodeState } from './snapshot.ts';
import { mergeDeep } from './start.ts';
import type { ExecutionState } from './state.ts';

/** ENG-15: why an execution cannot go on with the playbook; undefined if it can. */
export function forkRefusal(plan: Plan, { origin }: ForkInput): string | undefined {
  const { tokens, runs, owed } = origin.state;
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

/** Labels that pipelines in flight have visited or stand in front of. */
function* liveLabels(body: Body | undefined): Generator<string> {
  if (body?.kind === 'pipeline') yield* Object.keys(body.state.visits);
  if (body?.kind === 'loop') for (const [, inner] of intEntries(body.inFlight)) yield* liveLabels(inner);
}

/** A new execution with the state of another at one of its events. */
export function fork(draft: Draft, input: ForkInput): void {
  const { origin, path, version, content_hash, trace_id, edits } = input;
  const { state } = origin;
  emit(
    draft,
    'playbook.execution.requested',
    { status: 'in_progress' },
    {
      path,
      version,
      content_hash,
      payload: state.request.payload,
      depth: state.request.depth,
      ...(trace_id === undefined ? {} : { trace_id }),
      origin: { execution_id: origin.execution_id, seq: state.seq },
      edits: edits as JsonMap,
    },
  );
  emit(draft, 'execution.forked', { status: 'success' }, { state: encodeState(forkedState(draft.plan, input)) });
}

/** What the new execution starts from: nothing of it is leased, children start anew, and its end is its own. */
function forkedState(plan: Plan, { origin, execution_id, edits }: ForkInput): ExecutionState {
  const { state } = origin;
  const workload = edits.workload === undefined ? state.workload : mergeDeep(asMap(state.workload), edits.workload);
  const ctx = edits.ctx === undefined ? state.ctx : { ...state.ctx, ...edits.ctx };
  const runs = [...intEntries(state.runs)].map(([run, stepRun]) => {
    const place = { plan, origin, execution_id, ctx: edits.ctx ?? {} };
    return [run, { ...stepRun, body: forkedBody(stepRun.body, { run, path: [] }, place) }] as const;
  });
  return {
    ...state,
    phase: state.phase === 'processed' ? 'finished' : state.phase,
    workload,
    ctx,
    ctxSize: jsonSize(ctx),
    runs: intMapOf(runs),
  };
}

interface ForkPlace {
  readonly plan: Plan;
  readonly origin: ForkInput['origin'];
  readonly execution_id: string;
  /** Edits of ctx reach pipelines under way, too. */
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
    return { ...body, inFlight, sources: [...body.sources, source] };
  }
  const { position, label, visits, attempt } = body.state;
  const child = body.wait?.child;
  const anew = child && {
    ...child,
    execution_id: childId(place.execution_id, work, position, visits[label] ?? 1, attempt),
  };
  return {
    ...body,
    phase: body.phase === 'running' ? 'ready' : body.phase,
    ctx: { ...body.ctx, ...place.ctx },
    started: false,
    taskStarted: false,
    wait: body.wait === undefined ? undefined : { ...body.wait, child: anew },
  };
}

const asMap = (value: Json): JsonMap => value as JsonMap;
