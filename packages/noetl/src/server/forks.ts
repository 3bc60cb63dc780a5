import {
  type Decision,
  decide,
  type ExecutionEvent,
  type ExecutionState,
  type ForkInput,
  type Input,
  type Instant,
  initialState,
  type Plan,
} from '@noetl/engine';
import { type DecisionPorts, informedDecision } from './informed-decision.ts';
import { type Answer, existsAlready } from './live-execution.ts';
import { storeLargeValues } from './store-large-values.ts';
import { type StatePorts, storedState } from './stored-state.ts';

/** What is asked for: an execution that goes on from a state of another (ENG-15). */
export type ForkRequest = Omit<ForkInput, 'kind'>;

/** The state to fork from. The request of a fork means nothing without the state that follows it: they are one. */
export async function originState(execution: string, seq: number, ports: StatePorts): Promise<ExecutionState> {
  const [first] = await ports.log.read(execution, 0, 1);
  const isFork = first?.name === 'playbook.execution.requested' && first.payload.origin !== undefined;
  return storedState(execution, ports, isFork ? Math.max(seq, 2) : seq);
}

/** What a fork would write first, or why there can be none. A pause is that of the origin: the fork goes on. */
export async function decideFork(
  plan: Plan,
  request: ForkRequest,
  at: Instant,
  ports: DecisionPorts,
): Promise<Decided> {
  const forked = await decided(plan, initialState, { kind: 'fork', ...request, at }, ports);
  if (forked.kind === 'refused' || !forked.state.paused) return forked;
  const resumed = await decided(plan, forked.state, { kind: 'resume', reason: LIFTED, by: null, at }, ports);
  return resumed.kind === 'refused' ? resumed : { ...resumed, events: [...forked.events, ...resumed.events] };
}

type Decided = Exclude<Decision, { kind: 'needs' }>;

const LIFTED = 'the pause was that of its origin';

async function decided(plan: Plan, state: ExecutionState, input: Input, ports: DecisionPorts): Promise<Decided> {
  const decision = decide(plan, state, input);
  return decision.kind === 'needs' ? informedDecision(plan, state, input, decision, ports, () => new Set()) : decision;
}

/** Makes a fork true, in one append. Nobody goes on with it yet. */
export async function appendFork(
  execution: string,
  decided: readonly ExecutionEvent[],
  { log, results }: DecisionPorts,
): Promise<Answer> {
  const events = await storeLargeValues(decided, results);
  const [appended] = await log.append([{ execution, expected: 0, events, under: [], unclaimed: [] }]);
  if (appended?.kind === 'appended') return { kind: 'done' };
  return existsAlready(execution);
}
