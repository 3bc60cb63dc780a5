import {
  type Decision,
  type Effect,
  type ExecutionEvent,
  type ExecutionState,
  effectsOf,
  fold,
  type Input,
  type Plan,
} from '@noetl/engine';
import type { Append, EventLog } from '../ports/event-log.ts';
import { catchUp, type DecisionPorts, informedDecision } from './informed-decision.ts';
import { storeLargeValues } from './store-large-values.ts';

export interface Handled {
  readonly state: ExecutionState;
  readonly events: readonly ExecutionEvent[];
  readonly effects: readonly Effect[];
  readonly answer: 'done' | 'fenced' | Extract<Decision, { kind: 'refused' }>;
}

/**
 * One input, from decision to commit: what decide lacks is loaded, what is large is stored first, and the events are
 * appended on the position they were decided on; if the log has moved on, it is read and the decision made again.
 * Effects are handed back for after the commit, never before.
 */
export async function handleInput(
  plan: Plan,
  before: ExecutionState,
  execution: string,
  input: Input,
  under: Append['under'],
  ports: DecisionPorts,
): Promise<Handled> {
  let state = before;
  for (;;) {
    const leased = () => leasedWork(execution, ports.log);
    const decision = await informedDecision(plan, state, input, ports, leased);
    if (decision.kind === 'refused') return { state, events: [], effects: [], answer: decision };
    if (decision.events.length === 0) return { state, events: [], effects: [], answer: 'done' };
    const events = await storeLargeValues(decision.events, ports.results);
    const unclaimed = events.flatMap(({ payload }) => ('dropped' in payload ? (payload.dropped ?? []) : []));
    const [appended] = await ports.log.append([{ execution, expected: state.seq, events, under, unclaimed }]);
    if (appended?.kind === 'fenced') return { state, events: [], effects: [], answer: 'fenced' };
    if (appended?.kind === 'conflict') {
      state = await catchUp(state, execution, ports);
      continue;
    }
    const after = events === decision.events ? decision.state : fold(foldable(events, decision.events), state);
    const effects = events.flatMap((event) => effectsOf(after, event));
    if (!decision.more) return { state: after, events, effects, answer: 'done' };
    const rest = await handleInput(plan, after, execution, { kind: 'continue', at: input.at }, [], ports);
    return { ...rest, events: [...events, ...rest.events], effects: [...effects, ...rest.effects] };
  }
}

/** The state that a fork starts from is folded as it is, also where it was stored. */
const foldable = (stored: readonly ExecutionEvent[], decided: readonly ExecutionEvent[]): readonly ExecutionEvent[] =>
  stored.map((event, index) => (event.name === 'execution.forked' ? (decided[index] ?? event) : event));

/** Work that somebody may be running: its lease is valid. */
async function leasedWork(execution: string, log: EventLog): Promise<ReadonlySet<string>> {
  const leases = await log.leases(execution);
  return new Set(leases.filter(({ remaining }) => remaining > 0).map(({ work }) => work));
}
