import {
  type Decision,
  decide,
  type ExecutionEvent,
  type ExecutionState,
  fold,
  type Input,
  type Instant,
  largeValues,
  type Plan,
  type RefusalCode,
  unpacked,
} from '@noetl/engine';
import { DriverLost } from '../ports/driver-lost.ts';
import type { Append, Appended } from '../ports/event-log.ts';
import { catchUp, type DecisionPorts, informedDecision } from './informed-decision.ts';
import { storeLargeValues } from './store-large-values.ts';

/** What became of an input, told only once it is durable. */
export type Answer =
  | { readonly kind: 'done' }
  /** It was reported under a lease that is gone. */
  | { readonly kind: 'fenced' }
  | { readonly kind: 'refused'; readonly code: RefusalCode; readonly message: string };

export interface LiveExecution {
  readonly id: string;
  readonly plan: Plan;
  /** The state with everything that is decided, durable or not yet. */
  decided(): ExecutionState;
  /** The state as the log has it. */
  durable(): ExecutionState;
  /** Whether the log has its first event: until then somebody else may turn out to have begun it. */
  isBegun(): boolean;
  submit(input: Input, under?: Append['under']): Promise<Answer>;
}

export interface LiveOptions {
  readonly id: string;
  readonly plan: Plan;
  readonly state: ExecutionState;
  readonly ports: DecisionPorts;
  /** Which work of the execution is leased right now, by key. */
  leased(): ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /** Called after each commit, in the order of the log, with the state after it. */
  committed(events: readonly ExecutionEvent[], state: ExecutionState): void;
  /** The store failed, and who asked may not ask again: the execution has to be asked to continue, until it has read its log. */
  owing(): void;
}

/** An input between its arrival and its answer. */
interface Entry {
  readonly input: Input;
  readonly under: Append['under'];
  readonly answer: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/** A decision that is not durable yet. */
interface Decided {
  readonly entry: Entry;
  readonly events: readonly ExecutionEvent[];
  readonly after: ExecutionState;
  readonly more: boolean;
  readonly refusal: Answer | undefined;
  outcome: 'under way' | 'appended' | 'conflict' | 'fenced';
}

/**
 * Appends of one execution that may be under way at a time: one is written while the next is decided. What arrives in
 * the meantime is decided together and shares an append, so that a busy execution needs few of them.
 */
const MOST_APPENDS = 2;
/** Events after which decisions that share an append are sent off. */
const FULL_APPEND = 256;

/**
 * The mailbox of one execution. Inputs are decided in the order they arrive, also on state whose append is still under
 * way, so that one commit can carry many of them; answers and effects go out only after the commit. An append that was
 * refused takes everything decided after it along: the log is read and all of it decided again.
 */
export function liveExecution({ id, plan, state, ports, leased, committed, owing }: LiveOptions): LiveExecution {
  let durable = state;
  let decided = state;
  let waiting: Entry[] = [];
  /** The input whose decision is being made; once it is under way it is not this any more. */
  let deciding: Entry | undefined;
  let pumping = false;
  let underWay: Decided[] = [];
  /** The newest of what is under way, as far as no append carries it yet. */
  let unsent: Decided[] = [];
  let appends = 0;
  /** The append under way that the next is decided on. */
  let newest: number | undefined;
  let stale = false;
  /** Somebody was told that the execution has to be asked to continue. */
  let owes = false;
  let generation = 0;

  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    while (appends < MOST_APPENDS) {
      const entry = waiting.shift();
      if (entry === undefined) break;
      deciding = entry;
      try {
        if (stale) await reload(entry.input.at);
        const slow = decideOne(entry);
        if (slow !== undefined) await slow;
      } catch (error) {
        breakDown(error, entry);
      }
      if (waiting.length === 0 || sizeOf(unsent) >= FULL_APPEND) send();
    }
    deciding = undefined;
    pumping = false;
  }

  /**
   * What the log has beyond what was told is told now: of an append with an unknown outcome nobody else would tell. If its
   * decision was to be continued, that is owed; the input at hand may be refused, and change nothing.
   */
  async function reload(at: Instant): Promise<void> {
    const before = durable;
    await catchUp(durable, id, ports, undefined, (events, after) => {
      durable = after;
      committed(events, after);
    });
    decided = durable;
    stale = false;
    owes = false;
    if (durable !== before) waiting.push(continuation(at));
  }

  /** Made at once where nothing has to be fetched or stored first; otherwise there is something to wait for. */
  function decideOne(entry: Entry): Promise<void> | undefined {
    const decision = decide(plan, decided, entry.input);
    if (decision.kind === 'needs') return decideInformed(entry, decision);
    if (decision.kind === 'events' && decision.events.some(isLarge)) return storeFirst(entry, decision);
    enterDecision(entry, decision);
    return undefined;
  }

  async function decideInformed(entry: Entry, lacking: Lacking): Promise<void> {
    send();
    const begun = generation;
    const decision = await informedDecision(plan, decided, entry.input, lacking, ports, leased);
    if (begun !== generation) return;
    if (decision.kind === 'events' && decision.events.some(isLarge)) await storeFirst(entry, decision);
    else enterDecision(entry, decision);
  }

  async function storeFirst(entry: Entry, decision: Extract<Decision, { kind: 'events' }>): Promise<void> {
    send();
    const begun = generation;
    const events = await storeLargeValues(decision.events, ports.results);
    if (begun !== generation) return;
    const after = fold(foldable(events, decision.events), decided);
    enterDecision(entry, { ...decision, events, state: after });
  }

  function enterDecision(entry: Entry, decision: Exclude<Decision, Lacking>): void {
    deciding = undefined;
    if (decision.kind === 'refused') {
      enter({ entry, events: [], after: decided, more: false, refusal: decision, outcome: 'appended' });
      return;
    }
    const { events, state: after, more } = decision;
    decided = after;
    if (events.length === 0) {
      enter({ entry, events, after, more: false, refusal: undefined, outcome: 'appended' });
      return;
    }
    const made: Decided = { entry, events, after, more, refusal: undefined, outcome: 'under way' };
    unsent.push(made);
    enter(made);
  }

  function enter(made: Decided): void {
    underWay.push(made);
    // Without anything in front of it, it is answered at once.
    if (underWay[0] === made) settle();
  }

  function send(): void {
    const carried = unsent;
    unsent = [];
    if (carried.length > 0) append(carried);
  }

  function append(carried: readonly Decided[]): void {
    const events = carried.length === 1 ? (carried[0]?.events ?? []) : carried.flatMap((made) => made.events);
    const expected = (events[0]?.seq ?? 1) - 1;
    const under = carried.flatMap(({ entry }) => entry.under);
    const unclaimed = takenForUnclaimed(events);
    appends += 1;
    const name = nextAppend();
    const after = newest === undefined ? {} : { after: newest };
    newest = name;
    const answered = (): void => {
      appends -= 1;
      if (newest === name) newest = undefined;
    };
    const failed = (error: unknown): void => {
      answered();
      if (carried.some((made) => underWay.includes(made))) breakDown(error);
      void pump();
    };
    ports.log
      .append([{ execution: id, expected, events, under, unclaimed, id: name, ...after }])
      .then(([appended = CONFLICT]) => {
        if (appended.kind === 'lost') {
          failed(new DriverLost());
          return;
        }
        answered();
        for (const made of carried) made.outcome = outcomeOf(made, appended);
        settle();
      }, failed);
  }

  /** Answers go out in order: one that adds nothing still waits for what it was decided on. */
  function settle(): void {
    for (let first = underWay[0]; first !== undefined && first.outcome !== 'under way'; first = underWay[0]) {
      if (first.outcome !== 'appended') {
        decideAgain();
        return;
      }
      underWay.shift();
      durable = first.after;
      if (first.events.length > 0) committed(first.events, first.after);
      if (first.more) waiting.unshift(continuation(first.entry.input.at));
      first.entry.answer(first.refusal ?? DONE);
    }
    void pump();
  }

  /** Nobody waits for what an execution owes itself: it is asked for once more when the store has failed. */
  const continuation = (at: Instant): Entry => ({
    input: { kind: 'continue', at },
    under: [],
    answer: () => undefined,
    fail: () => undefined,
  });

  /** An append was refused. Who reported under a lease that is gone is told so; all others are decided on the log as it is. */
  function decideAgain(): void {
    if (durable.seq === 0) {
      standBack();
      return;
    }
    const fenced = underWay.filter(({ outcome }) => outcome === 'fenced');
    const again = underWay.filter(({ outcome }) => outcome !== 'fenced').map(({ entry }) => entry);
    discard([...again, ...(deciding === undefined ? [] : [deciding])]);
    for (const { entry } of fenced) entry.answer({ kind: 'fenced' });
    // Who was told so says nothing more: until the log is read, the work looks done here, and nobody could lease it.
    if (waiting.length === 0) waiting.push(continuation(fenced[0]?.entry.input.at ?? 0));
    void pump();
  }

  /** Somebody else has begun the execution, and drives it: nothing of it is to be done here. */
  function standBack(): void {
    const refused = [...underWay.map(({ entry }) => entry), ...waiting];
    discard([]);
    waiting = [];
    decided = durable;
    for (const { answer } of refused) answer(existsAlready(id));
  }

  /**
   * The store failed: whether the last appends count is unknown until the log can be read again. That must happen, also if
   * nobody asks again: nothing may be leased, or refused, by a decision that never came to be.
   */
  function breakDown(error: unknown, stopped?: Entry): void {
    const failed = [...underWay.map(({ entry }) => entry), ...(stopped === undefined ? [] : [stopped])];
    discard(stopped === undefined && deciding !== undefined ? [deciding] : []);
    for (const { fail } of failed) fail(error);
    if (owes || durable.seq === 0) return;
    owes = true;
    owing();
  }

  function discard(again: readonly Entry[]): void {
    generation += 1;
    stale = true;
    underWay = [];
    unsent = [];
    newest = undefined;
    waiting = [...again, ...waiting];
  }

  return {
    id,
    plan,
    decided: () => decided,
    durable: () => durable,
    isBegun: () => durable.seq > 0,
    submit: (input, under = []) =>
      new Promise((answer, fail) => {
        waiting.push({ input, under, answer, fail });
        void pump();
      }),
  };
}

type Lacking = Extract<Decision, { kind: 'needs' }>;

const DONE: Answer = { kind: 'done' };

export const existsAlready = (execution: string): Answer => ({
  kind: 'refused',
  code: 'NOETL_EXECUTION_EXISTS',
  message: `the execution '${execution}' exists already.`,
});
const CONFLICT: Appended = { kind: 'conflict' };

/** Appends are named by their number in this process. */
let named = 0;
const nextAppend = (): number => {
  named += 1;
  return named;
};

/** Of decisions that share an append, only those are fenced whose own lease is gone; the others are to be made again. */
const outcomeOf = ({ entry }: Decided, appended: Exclude<Appended, { kind: 'lost' }>): Decided['outcome'] => {
  if (appended.kind !== 'fenced') return appended.kind;
  return entry.under.some(({ work }) => work === appended.work) ? 'fenced' : 'conflict';
};

function takenForUnclaimed(events: readonly ExecutionEvent[]): readonly string[] {
  const unclaimed: string[] = [];
  for (const { payload } of events) {
    if ('dropped' in payload && payload.dropped !== undefined) unclaimed.push(...unpacked(payload.dropped));
  }
  return unclaimed;
}

const sizeOf = (unsent: readonly Decided[]): number => unsent.reduce((size, { events }) => size + events.length, 0);

const isLarge = (event: ExecutionEvent): boolean => largeValues(event).length > 0;

/** The state that a fork starts from is folded as it is, also where it was stored. */
const foldable = (stored: readonly ExecutionEvent[], decided: readonly ExecutionEvent[]): readonly ExecutionEvent[] =>
  stored.map((event, index) => (event.name === 'execution.forked' ? (decided[index] ?? event) : event));
