import { hash } from 'node:crypto';
import {
  type ExecutionEvent,
  type ExecutionState,
  encodeState,
  type Instant,
  isTagged,
  type ResultReference,
  TAG,
} from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { LeftInput } from '../ports/control-inputs.ts';
import type { StoreWitness } from './faulty-store.testing.ts';
import { createLedger, type Ledger } from './ledger.testing.ts';
import type { CrashMoment, SimulatedProcess } from './process.testing.ts';
import type { ToolWitness } from './scripted-tool.testing.ts';
import { formsOf } from './secret-forms.testing.ts';
import { noteCancel, noteCrashIn, noteDisturbance, noteEvent, noteMoment } from './situations.testing.ts';
import type { Sometimes } from './sometimes.testing.ts';
import { Violation } from './violation.testing.ts';
import { type WatchedExecution, watchExecution } from './watched-execution.testing.ts';

/** Looks at everything that becomes durable or is told, while it happens. */
export interface Watch extends Omit<StoreWitness, 'claimed' | 'renewed' | 'released'>, ToolWitness {
  readonly ledger: Ledger;
  readonly executions: ReadonlyMap<string, WatchedExecution>;
  /** How many executions have begun and are not over. */
  readonly open: number;
  /** A user left a control in the store. */
  left(id: number, execution: string, input: LeftInput): void;
  /** A process was told that events are in the log, and tells others. */
  committed(process: SimulatedProcess, events: readonly ExecutionEvent[], state: ExecutionState): void;
  crashed(process: SimulatedProcess, how: CrashMoment): void;
  stalled(process: SimulatedProcess): void;
}

interface WatchOptions {
  /** Undefined if nobody uses one. */
  readonly secret: string | undefined;
  readonly eventsPerDecision: number;
  /** The texts of events, by execution, as they are kept. */
  readonly histories: ReadonlyMap<string, readonly string[]>;
  /** The texts of stored results, by key. */
  readonly results: ReadonlyMap<string, string>;
  readonly sometimes: Sometimes;
  now(): Instant;
  isDead(process: number): boolean;
}

interface LeftControl {
  readonly execution: string;
  readonly input: LeftInput;
  /** The position of the log when it was left. */
  readonly since: number;
  /** Whether somebody has met it. */
  taken: boolean;
}

/** Of so many commits, one is compared as a whole: its texts, and the state with its replay; so is that of an end. */
const COMPARED = 8;

/** RES-1: bytes that a payload may have. What the spec says, not what the program believes. */
const INLINE_LIMIT = 64 * 1024;

export function createWatch(options: WatchOptions): Watch {
  const { secret, eventsPerDecision, histories, results, sometimes, now, isDead } = options;
  const executions = new Map<string, WatchedExecution>();
  const ledger = createLedger((id) => executions.get(id));
  const secrets = secret === undefined ? [] : formsOf(secret);
  const drivers = new Map<string, number>();
  /** Until when each process counts as alive. */
  const alive = new Map<number, Instant>();
  /** What was over when a process took it. */
  const settled = new Map<number, Set<string>>();
  const stalled = new Set<number>();
  const writers = new Map<string, number>();
  const controls = new Map<number, LeftControl>();
  const told = new Map<string, number>();
  const crashed = new Set<string>();
  /** What became of events that were appended. */
  const texts = new WeakMap<ExecutionEvent, string>();
  let commits = 0;
  let open = 0;

  const rootOf = (id: string): string => executions.get(id)?.root ?? id;

  function executionOf(id: string): WatchedExecution {
    const known = executions.get(id) ?? watchExecution(id, rootOf);
    executions.set(id, known);
    return known;
  }

  function noSecretIn(text: string, where: string): void {
    const found = secrets.find((form) => text.includes(form));
    if (found !== undefined)
      throw new Violation('no secret is written', `${where} has '${found}' in ${text.slice(0, 400)}`);
  }

  function checkReferences(value: Json, where: string): void {
    if (typeof value !== 'object' || value === null) return;
    if (isTagged(value)) {
      if (value[TAG] !== 'reference') return;
      const reference = value as ResultReference;
      const text = results.get(reference.key);
      if (text === undefined || reference.checksum !== `sha256:${hash('sha256', text, 'hex')}`) {
        const found = text === undefined ? 'missing' : 'not what its checksum says';
        throw new Violation('every reference resolves', `${reference.key} of ${where} is ${found}`);
      }
      sometimes.met('a value is stored by reference');
      return;
    }
    for (const inner of Object.values(value)) checkReferences(inner, where);
  }

  function take(process: SimulatedProcess, execution: WatchedExecution, event: ExecutionEvent): void {
    const text = histories.get(execution.id)?.[event.seq - 1];
    if (text === undefined) throw new Violation('no acknowledged event is lost', `${event.event_id} is not in the log`);
    texts.set(event, text);
    noSecretIn(text, event.event_id);
    const taken = execution.take(text);
    const payload = taken.payload as unknown as Json;
    const size = text.length <= INLINE_LIMIT / 3 ? 0 : Buffer.byteLength(JSON.stringify(payload));
    if (size > INLINE_LIMIT)
      throw new Violation('no payload is over the inline limit', `${event.event_id}: ${size} bytes`);
    if (text.includes(TAG)) checkReferences(payload, event.event_id);
    if (taken.seq === 1) open += 1;
    if (taken.name === 'playbook.processed') open -= 1;
    noteEvent(execution, taken, crashed.has(execution.id), sometimes);
    ledger.check(taken);
    if (taken.name === 'signal.received') checkSignal(execution.id, taken.payload.input);
    if (taken.name === 'playbook.cancel.requested') {
      noteCancel(execution, ledger.runningIn(process, execution.id), sometimes);
    }
  }

  function checkSignal(id: string, input: number | undefined): void {
    const { events } = executionOf(id);
    const same = events.filter(
      ({ name, payload }) => name === 'signal.received' && 'input' in payload && payload.input === input,
    );
    if (input === undefined || same.length < 2) return;
    throw new Violation('a signal counts once', `the signal that was left as ${input} is received twice by ${id}`);
  }

  /** Whether what a control asks for shows in the log, since it was left. */
  function isAnswered({ execution, input, since }: LeftControl): boolean {
    const { isFinished, events, stateAt } = executionOf(execution);
    if (isFinished) return true;
    if (input.kind === 'signal') {
      const isThis = (left: LeftControl): boolean =>
        left.execution === execution && left.input.kind === 'signal' && left.input.name === input.name;
      const received = events.filter((event) => event.name === 'signal.received' && event.payload.name === input.name);
      const left = [...controls.values()].filter(isThis);
      return received.length >= left.filter(({ taken }) => taken).length;
    }
    if (input.kind === 'cancel') return events.some(({ name }) => name === 'playbook.cancel.requested');
    for (let seq = since; seq <= events.length; seq++) {
      if (stateAt(seq).paused === (input.kind === 'pause')) return true;
    }
    return false;
  }

  /** DESIGN §4: who drives an execution is followed only when it is dead, has ended, or has not beaten for too long. */
  function follow(process: SimulatedProcess, id: string, before: number | undefined): void {
    if (before !== undefined && !isDead(before) && (alive.get(before) ?? 0) > now()) {
      const text = `process ${process.start} takes ${id} from process ${before}, which is alive`;
      throw new Violation('work has one lease at a time', text);
    }
    const over = [...executions.values()].filter(({ root, isFinished }) => root === id && isFinished);
    settled.set(process.start, new Set([...(settled.get(process.start) ?? []), ...over.map((one) => one.id)]));
  }

  return {
    ledger,
    executions,
    get open() {
      return open;
    },
    begun(process, call, signal) {
      if (ledger.callsOf(call.key) > 0) sometimes.met('a tool is called again after a crash, with the same key');
      const execution = call.key.slice(0, call.key.indexOf(':'));
      if (told.get(execution) === process.start || settled.get(process.start)?.has(execution)) {
        throw new Violation('nothing is dispatched after the end', `${call.key} is called by process ${process.start}`);
      }
      ledger.begun(process, call, signal);
    },
    ended: ledger.ended,
    appended(process, batch, answers) {
      batch.forEach(({ execution: id, events, takes }, index) => {
        const execution = executionOf(id);
        const answer = answers[index];
        const writer = writers.get(id);
        const driver = drivers.get(execution.events.length === 0 ? rootOfFirst(events, rootOf) : execution.root);
        const old = driver !== undefined && driver !== process.start;
        if (old) {
          sometimes.met('an old driver goes on after a takeover');
          if (events.some(({ source }) => source === 'worker')) sometimes.met('an old driver reports after a takeover');
        }
        if (answer?.kind === 'conflict' && writer !== undefined && writer !== process.start) {
          sometimes.met('two processes write to one execution at the same position');
        }
        if (answer?.kind !== 'appended') return;
        if (old && events.length > 0) {
          const text = `process ${process.start} writes ${events[0]?.event_id}, which process ${driver} drives`;
          throw new Violation('an old driver never writes', text);
        }
        writers.set(id, process.start);
        if (takes) drivers.set(id, process.start);
        if (events.length >= eventsPerDecision) sometimes.met('a decision is continued in another append');
        for (const event of events) take(process, execution, event);
      });
    },
    disturbed: (kind, batch) => noteDisturbance(kind, batch, sometimes),
    written(process, text) {
      noSecretIn(text, `process ${process.start}`);
    },
    left(id, execution, input) {
      controls.set(id, { execution, input, since: executionOf(execution).events.length, taken: false });
    },
    listed(entries) {
      for (const { id, execution } of entries) {
        const { events } = executionOf(execution);
        const met = events.some((event) => event.name === 'signal.received' && event.payload.input === id);
        if (met) sometimes.met('a signal that was received already is met again');
      }
    },
    deleted(_process, ids) {
      for (const id of ids) {
        const control = controls.get(id);
        if (control === undefined) continue;
        control.taken = true;
        const over = executionOf(control.execution).isOver;
        if (control.input.kind === 'cancel' && over) sometimes.met('an execution is cancelled when it is over');
        if (!isAnswered(control)) {
          const text = `${control.input.kind} of ${control.execution} was taken, and changed nothing`;
          throw new Violation('no acknowledged control is lost', text);
        }
      }
    },
    drove(process, ids, answers) {
      ids.forEach((id, index) => {
        if (answers[index] !== true) return;
        const before = drivers.get(id);
        if (before !== undefined && before !== process.start) {
          if (isDead(before)) sometimes.met('a driver that is dead is followed by another at once');
          else if (stalled.has(before)) {
            sometimes.met('a driver that counts as dead is followed by another while it stands still');
          }
        }
        if (before !== process.start) follow(process, id, before);
        drivers.set(id, process.start);
      });
    },
    beat(process, milliseconds) {
      alive.set(process.start, now() + milliseconds);
    },
    committed(process, events, state) {
      commits += 1;
      const compared = commits % COMPARED === 0 || state.phase === 'processed';
      for (const event of events) {
        const text = (compared ? undefined : texts.get(event)) ?? JSON.stringify(event);
        if (executions.get(event.execution_id)?.texts[event.seq - 1] !== text) {
          throw new Violation('no acknowledged event is lost', `${event.event_id} ${event.name} is not in the log`);
        }
        if (event.name === 'workflow.finished') told.set(event.execution_id, process.start);
      }
      const id = events[0]?.execution_id ?? '';
      if (!compared) return;
      const replayed = JSON.stringify(encodeState(executionOf(id).stateAt(state.seq)));
      const live = JSON.stringify(encodeState(state));
      if (live !== replayed) throw new Violation('replay equals state', `${id} at ${state.seq}\n${live}\n${replayed}`);
    },
    crashed(process, how) {
      noteMoment(how, sometimes);
      for (const execution of executions.values()) {
        if (drivers.get(execution.root) !== process.start) continue;
        crashed.add(execution.id);
        noteCrashIn(execution, how, executions, sometimes);
      }
      ledger.forget(process);
    },
    stalled(process) {
      stalled.add(process.start);
      sometimes.met('a process stands still for longer than it counts as alive');
    },
  };
}

/** The first event of a log tells whose child it is. */
function rootOfFirst(events: readonly ExecutionEvent[], rootOf: (id: string) => string): string {
  const [first] = events;
  if (first?.name !== 'playbook.execution.requested') return first?.execution_id ?? '';
  const { parent_execution_id: parent } = first.payload;
  return parent === undefined ? first.execution_id : rootOf(parent);
}
