import type { Json, JsonMap } from '@noetl/playbook';
import type { RunOptions } from '@noetl/template';
import type { Assignment } from '../execution/assignment.ts';
import { iterationScope, iteratorNames } from '../execution/iteration-scope.ts';
import { jobView } from '../execution/job-view.ts';
import type { Plan } from '../execution/plan.ts';
import { isMap } from '../is-map.ts';
import { failure, type OutcomeError } from '../outcome.ts';
import { isTagged, type Tagged, tagKey } from '../result-reference.ts';
import type { KnownValues } from '../scope/known-values.ts';
import type { PipelineFrame } from './frame.ts';

/** Lists of loops, args and workload that stand behind references: a pipeline cannot begin without them. */
export const unloadedParts = ({ loops, args, workload }: Assignment, known: KnownValues): readonly Tagged[] =>
  [workload, args, ...loops.map(({ items }) => items)].filter(isTagged).filter((tagged) => !known.has(tagKey(tagged)));

/** The frame of the pipeline that a worker was assigned. */
export function assignedFrame(
  plan: Plan,
  assignment: Assignment,
  known: KnownValues,
  run: RunOptions,
  keychain?: JsonMap,
): PipelineFrame {
  const { playbook, limits, steps } = plan;
  const unreadable = unreadablePart(assignment, known);
  const levels = assignment.loops.map(({ iterator, items, index, total }) => {
    const list = loaded(items, known);
    return { iterator, index, total, item: itemOf(list, index) };
  });
  const iter = iterationScope(levels);
  return {
    tasks: steps.get(assignment.step)?.tasks ?? [],
    workbook: playbook.workbook,
    parts: {
      workload: mapOf(loaded(assignment.workload, known)),
      args: mapOf(loaded(assignment.args, known)),
      ctx: assignment.ctx,
      results: assignment.results,
      execution_id: assignment.request.execution_id,
      job: jobView(assignment.request, playbook.metadata.path),
      ...(keychain === undefined ? {} : { keychain }),
      ...(iter === undefined ? {} : { iter, iterators: iteratorNames(levels) }),
    },
    known,
    unreadable,
    run,
    maxJumps: limits.jumps,
  };
}

/** A list that stands for itself, because only what is known of it is wanted, stands for its items too. */
const itemOf = (list: Json, index: number): Json =>
  Array.isArray(list) ? (list[index] ?? null) : isTagged(list) ? list : null;

const mapOf = (value: Json): JsonMap => (isMap(value) ? value : {});

/** RES-2: without its item, args or workload no task can be run. */
function unreadablePart({ workload, args, loops }: Assignment, known: KnownValues): OutcomeError | undefined {
  for (const part of [workload, args, ...loops.map(({ items }) => items)]) {
    const found = isTagged(part) ? known.get(tagKey(part)) : undefined;
    if (found !== undefined && 'problem' in found) return failure('template', found.problem);
  }
  return undefined;
}

function loaded(value: Json, known: KnownValues): Json {
  if (!isTagged(value)) return value;
  const found = known.get(tagKey(value));
  return found !== undefined && 'value' in found ? found.value : null;
}
