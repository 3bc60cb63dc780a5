import {
  currentForm,
  type Decision,
  decide,
  type ExecutionEvent,
  type ExecutionState,
  evolve,
  type Input,
  isTagged,
  type KnownValues,
  type Plan,
  type ResultReference,
  withValueAt,
} from '@noetl/engine';
import type { EventLog } from '../ports/event-log.ts';
import type { ResultStore } from '../ports/result-store.ts';
import { loadValues } from './load-values.ts';

export interface DecisionPorts {
  readonly log: EventLog;
  readonly results: ResultStore;
}

/** A decision that lacked something, made: values behind references are loaded, and leases looked up, as often as it asks. */
export async function informedDecision(
  plan: Plan,
  state: ExecutionState,
  input: Input,
  first: Extract<Decision, { kind: 'needs' }>,
  ports: DecisionPorts,
  leasedWork: () => ReadonlySet<string> | Promise<ReadonlySet<string>>,
): Promise<Exclude<Decision, { kind: 'needs' }>> {
  let known: KnownValues = input.known ?? new Map();
  let leased = input.leased;
  for (let lacking = first; ; ) {
    known = new Map([...known, ...(await loadValues(lacking.references, ports, lacking.pending))]);
    if (lacking.leases) leased = await leasedWork();
    const decision = decide(plan, state, { ...input, known, ...(leased === undefined ? {} : { leased }) });
    if (decision.kind !== 'needs') return decision;
    lacking = decision;
  }
}

/** How many events are read at a time. */
const PAGE = 1_000;

/** The state of an execution as the log has it now, or had it at a position; `met` is told of what was read. */
export async function catchUp(
  from: ExecutionState,
  execution: string,
  ports: DecisionPorts,
  until = Number.MAX_SAFE_INTEGER,
  met: (events: readonly ExecutionEvent[], after: ExecutionState) => void = () => undefined,
): Promise<ExecutionState> {
  let state = from;
  for (;;) {
    const events = await ports.log.read(execution, state.seq, Math.min(PAGE, until - state.seq));
    for (const event of events) state = evolve(state, await hydrated(event, ports));
    if (events.length > 0) met(events, state);
    if (events.length < PAGE) return state;
  }
}

/** A fork's first state is fetched before it is folded, with its references: evolve reads nothing from outside. */
export async function hydrated(stored: ExecutionEvent, ports: DecisionPorts): Promise<ExecutionEvent> {
  const reading = currentForm(stored);
  if (reading.kind === 'unreadable') {
    throw new Error(`the execution ${stored.execution_id} cannot be read at event ${stored.seq}: ${reading.problem}.`);
  }
  const { event } = reading;
  if (event.name !== 'execution.forked' || !isTagged(event.payload.state)) return event;
  const fetched = await ports.results.get(event.payload.state as ResultReference);
  if (fetched.kind !== 'value') {
    throw new Error(`the execution ${event.execution_id} cannot be read: its first state is ${fetched.kind}.`);
  }
  return withValueAt(event, ['state'], fetched.value);
}
