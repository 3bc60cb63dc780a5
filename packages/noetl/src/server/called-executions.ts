import { type Cause, type Effect, failure, type Outcome, type OutcomeError, type Plan } from '@noetl/engine';
import type { JsonMap } from '@noetl/playbook';
import type { Clock } from '../ports/clock.ts';
import { type ChildPlans, childOutcome, childRequest, ORPHANED, startedOutcome, uncallableChild } from './children.ts';
import type { Ends, ExecutionEnd } from './ends.ts';
import type { Answer, LiveExecution } from './live-execution.ts';
import { plainValue } from './load-values.ts';
import type { StatePorts } from './stored-state.ts';

/** The executions that others have called and that are not under way yet. */
export interface CalledExecutions {
  /** Starts one that an execution calls, or goes on with it, and tells the caller what it gets from it. */
  start(parent: LiveExecution, effect: StartChild): Promise<void>;
  /** One that is being started must not go on. */
  cancel(id: string): void;
  has(id: string): boolean;
  /** How many are being started. */
  count(): number;
}

export interface CalledSurroundings {
  readonly ports: StatePorts;
  readonly clock: Clock;
  readonly plans: ChildPlans;
  readonly ends: Ends;
  start(plan: Plan, request: ReturnType<typeof childRequest>): Promise<Answer>;
  resume(id: string, plan: Plan, takenOver: boolean): Promise<void>;
  isTakenOver(id: string): boolean;
  tell(id: string, cause: Cause): void;
  giveUp(id: string, reason: unknown): void;
  /** One more is under way, or will never be. */
  started(): void;
}

type StartChild = Extract<Effect, { kind: 'start-child' }>;

export function createCalledExecutions(around: CalledSurroundings): CalledExecutions {
  const { ports, clock, plans, ends, tell } = around;
  /** Those whose start is under way, and whether they must not go on. */
  const starting = new Map<string, 'wanted' | 'cancelled'>();

  async function start(parent: LiveExecution, effect: StartChild): Promise<void> {
    const { child, work } = effect;
    const id = child.execution_id;
    const answer = (outcome: Outcome): void => tell(parent.id, { kind: 'child', work, execution_id: id, outcome });
    if (child.wait) {
      const answered = (end: ExecutionEnd) => answer(childOutcome(child, end, clock.now()));
      ends.wait(id).then(answered, (error) => around.giveUp(parent.id, error));
    }
    starting.set(id, 'wanted');
    const problem = await bringUp(parent, effect).finally(() => starting.delete(id));
    if (problem !== undefined) {
      ends.forget(id);
      answer(uncallableChild(problem, clock.now()));
    } else if (!child.wait) answer(startedOutcome(id, clock.now()));
    around.started();
  }

  /** A child has its own log; one that the log knows already goes on. The answer is why it cannot begin. */
  async function bringUp(parent: LiveExecution, effect: StartChild): Promise<OutcomeError | undefined> {
    const id = effect.child.execution_id;
    if ((await ports.log.position(id)) === 0) {
      const problem = await startCalled(parent, effect);
      if (problem !== 'exists') return problem;
    }
    // With the playbook that it was started with, whatever its path leads to now.
    const plan = await plans.of(id);
    if (plan === undefined) return failure('child.unknown', `the playbook of the child execution '${id}' is not kept.`);
    await around.resume(id, plan, around.isTakenOver(parent.id));
    return undefined;
  }

  /** `exists` if the log knows it after all: somebody was faster, or the request has arrived twice. */
  async function startCalled(
    parent: LiveExecution,
    { child, work }: StartChild,
  ): Promise<OutcomeError | 'exists' | undefined> {
    const id = child.execution_id;
    const called = await plans.find(child.path, child.version, parent.plan);
    if (called.kind === 'none') return called.error;
    const payload = await plainValue(child.payload, ports);
    if ('problem' in payload) return failure('template', payload.problem);
    const asked = childRequest(parent.decided(), work, id, called.found, payload.value as JsonMap);
    const answer = await around.start(called.found.plan, asked);
    if (answer.kind === 'refused') {
      return answer.code === 'NOETL_EXECUTION_EXISTS' ? 'exists' : failure('template', answer.message);
    }
    if (starting.get(id) === 'cancelled') tell(id, ORPHANED);
    return undefined;
  }

  return {
    start,
    cancel(id) {
      if (starting.has(id)) starting.set(id, 'cancelled');
    },
    has: (id) => starting.has(id),
    count: () => starting.size,
  };
}
