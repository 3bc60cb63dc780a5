import {
  type Decision,
  decide,
  type Effect,
  type ExecutionEvent,
  type ExecutionState,
  effectsOf,
  evolve,
  fold,
  type Input,
  isTagged,
  type KnownValues,
  type Plan,
  type ResultReference,
  withValueAt,
} from '@noetl/engine';
import type { Append, EventLog } from '../ports/event-log.ts';
import type { ResultStore } from '../ports/result-store.ts';
import { loadValues } from './load-values.ts';
import { storeLargeValues } from './store-large-values.ts';

export interface DecisionPorts {
  readonly log: EventLog;
  readonly results: ResultStore;
}

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
    const decision = await informedDecision(plan, state, execution, input, ports);
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

type Made = Exclude<Decision, { kind: 'needs' }>;

async function informedDecision(
  plan: Plan,
  state: ExecutionState,
  execution: string,
  input: Input,
  ports: DecisionPorts,
): Promise<Made> {
  let known: KnownValues = input.known ?? new Map();
  let leased = input.leased;
  for (;;) {
    const decision = decide(plan, state, { ...input, known, ...(leased === undefined ? {} : { leased }) });
    if (decision.kind !== 'needs') return decision;
    known = new Map([...known, ...(await loadValues(decision.references, ports, decision.pending))]);
    if (decision.leases) leased = await leasedWork(execution, ports.log);
  }
}

/** Work that somebody may be running: its lease is valid. */
async function leasedWork(execution: string, log: EventLog): Promise<ReadonlySet<string>> {
  const leases = await log.leases(execution);
  return new Set(leases.filter(({ remaining }) => remaining > 0).map(({ work }) => work));
}

/** How many events are read at a time. */
const PAGE = 1_000;

/** The state of an execution as the log has it now. */
export async function catchUp(from: ExecutionState, execution: string, ports: DecisionPorts): Promise<ExecutionState> {
  let state = from;
  for (;;) {
    const events = await ports.log.read(execution, state.seq, PAGE);
    for (const event of events) state = evolve(state, await hydrated(event, ports));
    if (events.length < PAGE) return state;
  }
}

/** A fork's first state is fetched before it is folded, with its references: evolve reads nothing from outside. */
async function hydrated(event: ExecutionEvent, ports: DecisionPorts): Promise<ExecutionEvent> {
  if (event.name !== 'execution.forked' || !isTagged(event.payload.state)) return event;
  const fetched = await ports.results.get(event.payload.state as ResultReference);
  if (fetched.kind !== 'value') {
    throw new Error(`the execution ${event.execution_id} cannot be read: its first state is ${fetched.kind}.`);
  }
  return withValueAt(event, ['state'], fetched.value);
}
