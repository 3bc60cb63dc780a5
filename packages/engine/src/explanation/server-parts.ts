import type { Json, JsonMap } from '@noetl/playbook';
import { jobView } from '../execution/job-view.ts';
import type { Plan } from '../execution/plan.ts';
import type { ExecutionState } from '../execution/state.ts';
import { isMap } from '../is-map.ts';
import type { ScopeParts } from '../scope/template-scope.ts';

/** TPL-5: what templates of the server read everywhere, as the log had it. Workload and args may be references. */
export const serverParts = (plan: Plan, state: ExecutionState, args: Json): ScopeParts => ({
  workload: mapOf(state.workload),
  args: mapOf(args),
  ctx: state.ctx,
  results: state.results,
  execution_id: state.request.execution_id,
  job: jobView(state.request, plan.playbook.metadata.path),
});

const mapOf = (value: Json): JsonMap => (isMap(value) ? value : {});
