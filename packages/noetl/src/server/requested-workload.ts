import { decide, initialState, type Plan, type RequestInput, unescapeTags } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** The workload that a request would have, for credentials that depend on it; as it was asked for where there are none. */
export function requestedWorkload(plan: Plan, request: RequestInput, at: number): Json {
  if (plan.playbook.keychain.length === 0) return request.payload;
  const decision = decide(plan, initialState, { ...request, at });
  if (decision.kind !== 'events') return request.payload;
  const evaluated = decision.events.find((event) => event.name === 'playbook.request.evaluated');
  const workload = evaluated?.payload.workload;
  return workload === undefined ? request.payload : unescapeTags(workload);
}
