import {
  type ExecutionEvent,
  type ExecutionState,
  fold,
  type Input,
  type Plan,
  type RefusalCode,
  unpacked,
} from '@noetl/engine';
import type { Append } from '../ports/event-log.ts';
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
}

/** An input between its arrival and its answer. */
interface Entry {
  readonly input: Input;
  readonly under: Append['under'];
  readonly answer: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

/** A decision whose append is under way. */
interface Decided {
  readonly entry: Entry;
  readonly events: readonly ExecutionEvent[];
  readonly after: ExecutionState;
  readonly more: boolean;
  readonly refusal: Answer | undefined;
  outcome: 'under way' | 'appended' | 'conflict' | 'fenced';
}

/**
 * The mailbox of one execution. Inputs are decided in the order they arrive, also on state whose append is still under
 * way, so that one commit can carry many of them; answers and effects go out only after the commit. An append that was
 * refused takes everything decided after it along: the log is read and all of it decided again.
 */
export function liveExecution({ id, plan, state, ports, leased, committed }: LiveOptions): LiveExecution {
  let durable = state;
  let decided = state;
  let waiting: Entry[] = [];
  /** The input whose decision is being made; once it is under way it is not this any more. */
  let deciding: Entry | undefined;
  let pumping = false;
  let underWay: Decided[] = [];
  let stale = false;
  let generation = 0;

  async function pump(): Promise<void> {
    if (pumping) return;
    pumping = true;
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      deciding = entry;
      try {
        if (stale) await reload();
        await decideOne(entry);
      } catch (error) {
        breakDown(error, entry);
      }
    }
    deciding = undefined;
    pumping = false;
  }

  async function reload(): Promise<void> {
    durable = await catchUp(durable, id, ports);
    decided = durable;
    stale = false;
  }

  async function decideOne(entry: Entry): Promise<void> {
    const begun = generation;
    const decision = await informedDecision(plan, decided, entry.input, ports, leased);
    if (begun !== generation) return;
    if (decision.kind === 'refused') {
      enter({ entry, events: [], after: decided, more: false, refusal: decision, outcome: 'appended' });
      return;
    }
    const events = await storeLargeValues(decision.events, ports.results);
    if (begun !== generation) return;
    const after = events === decision.events ? decision.state : fold(foldable(events, decision.events), decided);
    const expected = decided.seq;
    decided = after;
    const { more } = decision;
    if (events.length === 0) {
      enter({ entry, events, after, more: false, refusal: undefined, outcome: 'appended' });
      return;
    }
    append(enter({ entry, events, after, more, refusal: undefined, outcome: 'under way' }), expected);
  }

  function append(made: Decided, expected: number): void {
    const { events, entry } = made;
    const unclaimed = events.flatMap(({ payload }) => ('dropped' in payload ? unpacked(payload.dropped ?? []) : []));
    ports.log.append([{ execution: id, expected, events, under: entry.under, unclaimed }]).then(
      ([appended]) => {
        made.outcome = appended?.kind ?? 'conflict';
        settle();
      },
      (error: unknown) => {
        if (underWay.includes(made)) breakDown(error);
      },
    );
  }

  function enter(made: Decided): Decided {
    deciding = undefined;
    underWay.push(made);
    settle();
    return made;
  }

  /** Answers go out in order: one that adds nothing still waits for what it was decided on. */
  function settle(): void {
    for (let first = underWay[0]; first !== undefined && first.outcome !== 'under way'; first = underWay[0]) {
      if (first.outcome !== 'appended') {
        decideAgain(first);
        return;
      }
      underWay.shift();
      durable = first.after;
      if (first.events.length > 0) committed(first.events, first.after);
      if (first.more) waiting.unshift({ ...unanswered, input: { kind: 'continue', at: first.entry.input.at } });
      first.entry.answer(first.refusal ?? { kind: 'done' });
    }
    void pump();
  }

  function decideAgain(refused: Decided): void {
    const fenced = refused.outcome === 'fenced';
    const again = underWay.filter((made) => !(fenced && made === refused)).map(({ entry }) => entry);
    discard([...again, ...(deciding === undefined ? [] : [deciding])]);
    if (fenced) refused.entry.answer({ kind: 'fenced' });
    void pump();
  }

  /** The store failed: whether the last appends count is unknown until the log can be read again. */
  function breakDown(error: unknown, stopped?: Entry): void {
    const failed = [...underWay.map(({ entry }) => entry), ...(stopped === undefined ? [] : [stopped])];
    discard(stopped === undefined && deciding !== undefined ? [deciding] : []);
    for (const { fail } of failed) fail(error);
  }

  function discard(again: readonly Entry[]): void {
    generation += 1;
    stale = true;
    underWay = [];
    waiting = [...again, ...waiting];
  }

  return {
    id,
    plan,
    decided: () => decided,
    submit: (input, under = []) =>
      new Promise((answer, fail) => {
        waiting.push({ input, under, answer, fail });
        void pump();
      }),
  };
}

/** Nobody waits for what an execution owes itself; if it fails, the next input finds it still owed. */
const unanswered: Pick<Entry, 'under' | 'answer' | 'fail'> = {
  under: [],
  answer: () => undefined,
  fail: () => undefined,
};

/** The state that a fork starts from is folded as it is, also where it was stored. */
const foldable = (stored: readonly ExecutionEvent[], decided: readonly ExecutionEvent[]): readonly ExecutionEvent[] =>
  stored.map((event, index) => (event.name === 'execution.forked' ? (decided[index] ?? event) : event));
