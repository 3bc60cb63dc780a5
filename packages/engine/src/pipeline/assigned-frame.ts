import type { Json, JsonMap } from '@noetl/playbook';
import type { RunOptions } from '@noetl/template';
import type { Assignment } from '../execution/assignment.ts';
import { iterationScope, iteratorNames } from '../execution/iteration-scope.ts';
import { jobView } from '../execution/job-view.ts';
import type { Plan } from '../execution/plan.ts';
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
  const levels = assignment.loops.map(({ iterator, items, index, total }) => {
    return { iterator, index, total, item: (loaded(items, known) as readonly Json[])[index] ?? null };
  });
  const iter = iterationScope(levels);
  return {
    tasks: steps.get(assignment.step)?.tasks ?? [],
    workbook: playbook.workbook,
    parts: {
      workload: loaded(assignment.workload, known) as JsonMap,
      args: loaded(assignment.args, known) as JsonMap,
      ctx: assignment.ctx,
      results: assignment.results,
      execution_id: assignment.request.execution_id,
      job: jobView(assignment.request, playbook.metadata.path),
      ...(keychain === undefined ? {} : { keychain }),
      ...(iter === undefined ? {} : { iter, iterators: iteratorNames(levels) }),
    },
    known,
    run,
    maxJumps: limits.jumps,
  };
}

function loaded(value: Json, known: KnownValues): Json {
  if (!isTagged(value)) return value;
  const found = known.get(tagKey(value));
  return found !== undefined && 'value' in found ? found.value : null;
}
