import type { JsonMap } from '@noetl/playbook';
import { timestampOf } from '../instant.ts';
import { isMap } from '../is-map.ts';
import { escapeTags } from '../result-reference.ts';
import type { Evaluated } from '../scope/attempt.ts';
import { type Draft, emit, loadedMap, renderIn } from './draft.ts';
import type { RequestInput } from './input.ts';
import { jobView } from './job-view.ts';
import { readTraceparent } from './trace-context.ts';
import { traceIdOf } from './trace-id.ts';

/** Somebody asks for an execution: the request is written down as it came. */
export function request(draft: Draft, input: RequestInput): void {
  const { path, version, content_hash, payload, depth = 0, parent_execution_id, folder } = input;
  emit(
    draft,
    'playbook.execution.requested',
    { status: 'in_progress' },
    {
      path,
      version,
      content_hash,
      payload: escapeTags(payload),
      depth,
      ...(parent_execution_id === undefined ? {} : { parent_execution_id }),
      ...traceOf(input),
      ...(folder === undefined ? {} : { folder }),
    },
  );
}

/** EVT-2: the trace that it was asked for with goes on; a header that is none is passed over. */
function traceOf({ execution_id, trace_id, traceparent, traced }: RequestInput) {
  const asked = readTraceparent(traceparent);
  return {
    trace_id: asked?.trace_id ?? trace_id ?? traceIdOf(execution_id),
    ...(asked === undefined || traceparent === undefined ? {} : { traceparent }),
    ...(traced === undefined ? {} : { traced }),
  };
}

/** ENG-2: defaults are rendered, the payload is merged over them, once. */
export function evaluateRequest(draft: Draft): void {
  const { input } = draft;
  if (input.kind === 'request' && input.rejected !== undefined) {
    emit(draft, 'playbook.request.evaluated', { status: 'error' }, { error: input.rejected });
    return;
  }
  const workload = workloadOf(draft);
  if ('error' in workload) emit(draft, 'playbook.request.evaluated', { status: 'error' }, { error: workload.error });
  else emit(draft, 'playbook.request.evaluated', { status: 'success' }, { workload: workload.value });
}

function workloadOf(draft: Draft): Evaluated<JsonMap> {
  const { plan, state } = draft;
  const payload = loadedMap(draft, state.request.payload);
  if ('error' in payload) return payload;
  const defaults = renderIn(draft, plan.playbook.workload, {
    workload: payload.value,
    ctx: {},
    args: {},
    results: {},
    execution_id: state.request.execution_id,
    job: jobView(state.request, plan.playbook.metadata.path),
  });
  return 'error' in defaults ? defaults : { value: mergeDeep(defaults.value as JsonMap, payload.value) };
}

/** The first token goes to the entry step. */
export function startWorkflow(draft: Draft): void {
  const { playbook } = draft.plan;
  const { executionTimeout } = playbook.executor;
  const deadline =
    executionTimeout === undefined ? {} : { deadline: timestampOf(draft.input.at + executionTimeout * 1000) };
  emit(draft, 'workflow.started', { status: 'in_progress' }, { entry_step: playbook.entryStep, ...deadline });
}

/** Maps merge, everything else of the upper replaces the lower. */
function mergeDeep(lower: JsonMap, upper: JsonMap): JsonMap {
  const merged = Object.entries(upper).map(([key, value]) => {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    return [key, isMap(below) && isMap(value) ? mergeDeep(below, value) : value] as const;
  });
  // Entries, because a key may be `__proto__`.
  return Object.fromEntries([...Object.entries(lower), ...merged]);
}
