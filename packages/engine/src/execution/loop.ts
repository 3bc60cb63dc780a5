import type { Json, JsonMap, Loop as LoopDefinition, Step } from '@noetl/playbook';
import { getInt } from '../int-map.ts';
import { jsonEqual } from '../json-equal.ts';
import { failure, type OutcomeError } from '../outcome.ts';
import { type ResultManifest, TAG } from '../result-reference.ts';
import type { Evaluated } from '../scope/attempt.ts';
import { settleFold } from '../shared-write.ts';
import { bodyAt, type Loop, type PendingWrite } from './body.ts';
import { type Draft, emit, loadedValues, partsWith, renderIn } from './draft.ts';
import { endedInLoop } from './drain.ts';
import { patchedSize } from './evolve.ts';
import { pendingValues, visibleCtx } from './evolve-loop.ts';
import { findLoop } from './evolve-work.ts';
import { type Work, workId } from './ids.ts';
import { iterationScope, iteratorNames, type LoopLevel } from './iteration-scope.ts';
import type { Schedules } from './payloads.ts';
import type { StepRun } from './state.ts';
import { patchParts } from './value-slots.ts';

/** ENG-8: `in` is evaluated once and recorded. */
export function openLoop(draft: Draft, work: Work): void {
  const run = getInt(draft.state.runs, work.run);
  const step = run === undefined ? undefined : draft.plan.steps.get(run.step);
  const definition = step === undefined ? undefined : loopAt(step, work.path.length);
  if (run === undefined || step === undefined || definition === undefined) {
    const error = failure('loop.missing', 'the playbook has no loop at the place where this one was to start.');
    endLoop(draft, work, run?.step ?? '', { error });
    return;
  }
  const items = evaluateItems(draft, definition, run, work);
  if ('error' in items) {
    endLoop(draft, work, step.name, items);
    return;
  }
  const nested = definition.inner !== undefined;
  const total = items.value.length;
  const window = definition.mode === 'sequential' ? 1 : definition.maxInFlight;
  emit(
    draft,
    'loop.started',
    { status: 'in_progress', work },
    {
      step: step.name,
      iterator: definition.iterator,
      in: items.value,
      total,
      mode: definition.mode,
      max_in_flight: window,
      failure: definition.failure,
      nested,
      first_task: step.tasks[0]?.label ?? '',
      schedules: { from: 0, count: Math.min(total, window) },
    },
  );
}

function loopAt(step: Step, depth: number): LoopDefinition | undefined {
  let loop = step.loop;
  for (let level = 0; level < depth; level++) loop = loop?.inner;
  return loop;
}

function evaluateItems(draft: Draft, definition: LoopDefinition, run: StepRun, work: Work): Evaluated<readonly Json[]> {
  const levels = levelsAround(draft, run, work.path);
  if ('error' in levels) return levels;
  const iter = iterationScope(levels.value);
  const common = partsWith(draft, run.args);
  if ('error' in common) return common;
  const parts = {
    ...common.value,
    ctx: visibleCtx(draft.state, work),
    ...(iter === undefined ? {} : { iter, iterators: iteratorNames(levels.value) }),
  };
  const items = renderIn(draft, definition.in, parts);
  if ('error' in items) return items;
  if (!Array.isArray(items.value)) {
    const found = items.value === null ? 'null' : typeof items.value === 'object' ? 'a mapping' : typeof items.value;
    const message = `the loop of '${run.step}' needs a list in 'in', found ${found}.`;
    return { error: failure('loop.items', message, itemsPlace(definition)) };
  }
  if (items.value.length > draft.plan.limits.loopItems) {
    const message = `the loop of '${run.step}' has ${items.value.length} items, the limit is ${draft.plan.limits.loopItems}.`;
    return { error: failure('limit.loop_items', message, itemsPlace(definition)) };
  }
  return { value: items.value };
}

/** Where the items stand in the playbook's file. */
function itemsPlace({ in: items, place: ofLoop }: LoopDefinition): Json {
  const { line, column } = items.kind === 'template' ? items.place : ofLoop;
  return { place: { line, column } };
}

/** The loops around a place inside a step run, outermost first, each at its current item. */
function levelsAround(draft: Draft, run: StepRun, path: readonly number[]): Evaluated<readonly LoopLevel[]> {
  const plans = path.flatMap((_, level) => {
    const loop = bodyAt(run.body, path.slice(0, level));
    return loop?.kind === 'loop' && loop.plan !== undefined ? [loop.plan] : [];
  });
  const lists = loadedValues(
    draft,
    plans.map(({ items }) => items),
  );
  if ('error' in lists) return lists;
  const levels = plans.map(({ iterator, total }, level) => {
    const index = path[level] ?? 0;
    return { iterator, index, total, item: (lists.value[level] as readonly Json[])[index] ?? null };
  });
  return { value: levels };
}

/** Nothing of the loop is left to run: its writes are published, then it ends (ENG-8, ENG-9). */
export function closeLoop(draft: Draft, work: Work): void {
  const loop = findLoop(draft.state, work);
  const step = getInt(draft.state.runs, work.run)?.step ?? '';
  if (loop === undefined) return;
  const failed = loop.stopping ?? conflictOf(draft, loop);
  // An inner loop leaves its writes to the iteration around it; a parallel one that failed drops them.
  const publishes = work.path.length === 0 && (failed === undefined || loop.plan?.mode === 'sequential');
  const patch = publishes ? heldWrites(draft, loop) : { value: {} };
  if ('value' in patch && Object.keys(patch.value).length > 0) {
    publish(draft, work.run, step, patch.value);
    return;
  }
  const error = failed ?? ('error' in patch ? patch.error : undefined);
  endLoop(draft, work, step, error === undefined ? { result: resultOf(draft, loop, work) } : { error });
}

function conflictOf(draft: Draft, { pending }: Loop): OutcomeError | undefined {
  const keys = Object.entries(pending).flatMap(([key, write]) => (isConflict(draft, write) ? [key] : []));
  if (keys.length === 0) return undefined;
  const message = `iterations of the loop set ctx.${keys.join(', ctx.')} to different values; use set_shared to combine them.`;
  return failure('ctx.conflict', message, { keys });
}

function isConflict(draft: Draft, { value, other, conflict }: PendingWrite): boolean {
  if (conflict || other === undefined) return conflict;
  const loaded = loadedValues(draft, [value, other]);
  return 'error' in loaded || !jsonEqual(loaded.value[0], loaded.value[1]);
}

function heldWrites(draft: Draft, loop: Loop): Evaluated<JsonMap> {
  const { ctx } = draft.state;
  const patch: Record<string, Json> = { ...pendingValues(loop) };
  for (const [key, fold] of Object.entries(loop.shared)) {
    const before = Object.hasOwn(patch, key) ? patch[key] : Object.hasOwn(ctx, key) ? ctx[key] : undefined;
    const loaded = loadedValues(draft, [before ?? null, ...fold.parts]);
    if ('error' in loaded) return loaded;
    const [prior = null, ...parts] = loaded.value;
    const settled = settleFold(key, { ...fold, parts }, prior);
    if ('problem' in settled) return { error: failure('ctx.conflict', settled.problem, { keys: [key] }) };
    patch[key] = settled.value;
  }
  return { value: patch };
}

function resultOf({ state }: Draft, loop: Loop, work: Work): Json {
  const { results, plan, ok, failures, sources } = loop;
  const total = plan?.total ?? 0;
  if (results !== undefined) return Array.from({ length: total }, (_, index) => getInt(results, index) ?? null);
  const own = { execution_id: state.request.execution_id, loop: workId(state.request.execution_id, work), until: null };
  return { [TAG]: 'manifest', total, ok, failed: failures, sources: [...sources, own] } satisfies ResultManifest;
}

type LoopEnd = { readonly result: Json } | { readonly error: OutcomeError };

/** A loop step's boundary is loop.done or step.failed; an inner loop ends an iteration of the outer one. */
function endLoop(draft: Draft, work: Work, step: string, end: LoopEnd): void {
  if (work.path.length > 0) {
    endIteration(draft, work, step, end);
    return;
  }
  const about = { work, parent: undefined };
  if ('error' in end) {
    emit(draft, 'step.failed', { ...about, status: 'error' }, { step, error: end.error });
    return;
  }
  const loop = findLoop(draft.state, work);
  const stats = { total: loop?.plan?.total ?? 0, ok: loop?.ok ?? 0, failed: loop?.failures ?? 0 };
  emit(draft, 'loop.done', { ...about, status: 'success' }, { step, result: end.result, stats });
}

/** ENG-8: the event that ends an iteration schedules what takes its place, or drops what had not begun. */
export function endIteration(
  draft: Draft,
  work: Work,
  step: string,
  end: LoopEnd,
  origin: { readonly source?: 'worker'; readonly timestamp?: string } = {},
): void {
  const index = work.path.at(-1) ?? 0;
  const outer: Work = { run: work.run, path: work.path.slice(0, -1) };
  const loop = findLoop(draft.state, outer);
  if (loop?.plan === undefined) return;
  const about = { work, ...origin };
  if ('error' in end) {
    const failFast = loop.plan.failure === 'fail_fast';
    const consequences = failFast ? endedInLoop(draft, loop, outer, work) : scheduled(draft, loop, 1);
    const payload = { step, index, error: end.error, ...consequences };
    emit(draft, 'loop.iteration.failed', { ...about, status: 'error' }, payload);
    return;
  }
  const payload = { step, index, result: end.result, ...scheduled(draft, loop, 1) };
  emit(draft, 'loop.iteration.done', { ...about, status: 'success' }, payload);
}

const scheduled = (draft: Draft, loop: Loop, freed: number): { readonly schedules?: Schedules } => {
  const schedules = placesIn(draft, loop, freed);
  return schedules.count === 0 ? {} : { schedules };
};

/** The iterations for which there is room: never more than max_in_flight, none while paused, stopping or draining. */
export function placesIn({ state }: Draft, { plan, next, inFlight, stopping }: Loop, freed = 0): Schedules {
  if (plan === undefined || stopping !== undefined || state.paused || state.failure !== undefined) {
    return { from: next, count: 0 };
  }
  return { from: next, count: Math.max(0, Math.min(plan.total - next, plan.maxInFlight - (inFlight.size - freed))) };
}

/** ENG-9: writes become visible, unless ctx would grow beyond its limit. */
export function publish(draft: Draft, run: number, step: string, patch: JsonMap): void {
  const { limits } = draft.plan;
  const work: Work = { run, path: [] };
  const size = patchedSize(draft.state, patch);
  if (size > limits.ctx) {
    const message = `ctx would be ${size} bytes with what '${step}' sets, the limit is ${limits.ctx}.`;
    emit(draft, 'step.failed', { work, status: 'error' }, { step, error: failure('limit.ctx', message) });
    return;
  }
  for (const part of patchParts(patch)) emit(draft, 'ctx.patched', { work, status: 'success' }, { step, patch: part });
}
