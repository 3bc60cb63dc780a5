import { type ExecutionEvent, type ExecutionState, pendingEffects } from '@noetl/engine';
import type { FaultKind } from './faults.testing.ts';
import type { Disturbed } from './faulty-store.testing.ts';
import type { CrashMoment } from './process.testing.ts';
import type { Sometimes } from './sometimes.testing.ts';
import type { WatchedExecution } from './watched-execution.testing.ts';

/** What the moment of a crash tells. */
export function noteMoment(how: CrashMoment, { met }: Sometimes): void {
  if (typeof how !== 'object') return;
  const { of, when } = how;
  if (of === 'append' && when === 'before') met('a process crashes before a commit');
  if (of === 'append' && when === 'after') met('a process crashes after a commit, before it is told');
  if (of === 'tool' && when === 'before') met('a process crashes while a tool runs');
  if (of === 'tool' && when === 'after') met('a process crashes after a tool has ended, before it is told');
  if (of === 'drive') met('a process crashes while it takes an execution');
}

/** What a crash meets in an execution that the process drives. */
export function noteCrashIn(
  execution: WatchedExecution,
  how: CrashMoment,
  executions: ReadonlyMap<string, WatchedExecution>,
  { met }: Sometimes,
): void {
  if (execution.isOver) return;
  const { waits, events } = execution;
  const state = execution.stateAt(events.length);
  for (const { for: what, child } of waits.values()) {
    if (what === 'retry') met('a retry waits for longer than its lease, across a crash');
    if (what === 'delay') met('a delay is waited for in a crash');
    if (child === undefined || !executions.has(child)) continue;
    if (executions.get(child)?.isOver) met('a child is over, and its parent has not heard of it in a crash');
    else met('a child is started, and its parent crashes');
  }
  if (tokensAtJoins(state) > 0) met('a join waits when a crash comes');
  if (isInInnerLoop(state)) met('iterations of an inner loop run when a crash comes');
  if (typeof how !== 'object' || how.of !== 'append' || how.when !== 'after') return;
  if (events.slice(-REPORTED).some(isRefill)) met('a loop refills its window in the commit that a crash follows');
}

const isInInnerLoop = (state: ExecutionState): boolean =>
  pendingEffects(state).some((effect) => effect.kind === 'dispatch' && effect.work.path.length > 1);

/** How many events the report of an iteration has at least. */
const REPORTED = 3;

const isRefill = (event: ExecutionEvent): boolean =>
  (event.name === 'loop.iteration.done' || event.name === 'loop.iteration.failed') &&
  event.payload.schedules !== undefined;

/** What goes wrong with what a process asks for. */
export function noteDisturbance(kind: FaultKind, what: Disturbed, sometimes: Sometimes): void {
  if (typeof what === 'string') noteCall(kind, what, sometimes);
  else
    noteAppend(
      kind,
      what.flatMap(({ events }) => events),
      sometimes,
    );
}

function noteCall(kind: FaultKind, what: string, { met }: Sometimes): void {
  if (what === 'results.put' && kind === 'refused') met('a result cannot be stored');
  if (what === 'log.read' && kind === 'refused') met('the log cannot be read');
  if (what === 'drivers.beat' && kind === 'refused') met('a sign of life is lost');
  if (what !== 'inputs.list') return;
  if (kind === 'refused') met('a wake-up for a control is lost');
  if (kind === 'twice') met('a wake-up for a control comes twice');
  if (kind === 'slow') met('a wake-up for a control comes late');
}

function noteAppend(kind: FaultKind, events: readonly ExecutionEvent[], { met }: Sometimes): void {
  const reported = events.some(({ source }) => source === 'worker');
  if (kind === 'unknown') {
    met('a commit has an unknown outcome, and was applied');
    if (reported) met('a report is delivered again after an unknown outcome');
  }
  if (kind === 'refused') met('a commit has an unknown outcome, and was not applied');
  if (kind === 'twice') met('a commit arrives twice');
  if (reported && kind === 'crash before') met('a report is lost with its process');
  if (reported && kind === 'twice') met('a report arrives twice');
  if (reported && kind === 'slow') met('a report comes late');
  if (kind === 'crash before' && events.some(isRefill)) {
    met('a loop refills its window in a commit that a crash prevents');
  }
}

/** The state in which a cancel finds an execution. */
export function noteCancel(execution: WatchedExecution, running: number, { met }: Sometimes): void {
  const { events, waits, loops } = execution;
  const before = execution.stateAt(events.length - 1);
  const begun = events.some(({ name }) => name === 'step.started' || name === 'loop.iteration.started');
  if (!begun) met('an execution is cancelled before its work begins');
  if (running > 0) met('an execution is cancelled while a tool runs');
  if (loops.size > 0) met('an execution is cancelled while a loop runs');
  if (isInInnerLoop(before)) met('an execution is cancelled while an inner loop runs');
  if (before.owed.length > 0) met('an execution is cancelled between two appends of a decision');
  if (before.paused) met('an execution is cancelled while it is paused');
  if (before.failure !== undefined) met('an execution is cancelled while it drains after a failure');
  if (tokensAtJoins(before) > 0) met('an execution is cancelled while a join waits');
  for (const { for: what } of waits.values()) {
    if (what === 'retry') met('an execution is cancelled while it waits for a retry');
    if (what === 'signal' || what === 'approval') met('an execution is cancelled while it waits for a signal');
    if (what === 'delay') met('an execution is cancelled while it waits for a delay');
    if (what === 'child') met('an execution is cancelled while it waits for a child');
  }
}

const tokensAtJoins = ({ tokens }: ExecutionState): number =>
  Object.entries(tokens).reduce((sum, [step, at]) => sum + (step.endsWith('join') ? at.size : 0), 0);

/** What an event alone tells; `disturbed` is whether the execution has been through a crash. */
export function noteEvent(
  execution: WatchedExecution,
  event: ExecutionEvent,
  disturbed: boolean,
  { met }: Sometimes,
): void {
  switch (event.name) {
    case 'signal.received': {
      const { name } = event.payload;
      const awaited = [...execution.waits.values()].some((wait) => wait.name === name);
      met(awaited ? 'a signal comes while it is waited for' : 'a signal comes before it is waited for');
      return;
    }
    case 'task.started':
      if (disturbed && (event.visit ?? 1) > 1) met('a jump starts a new visit after a crash');
      return;
    case 'task.resumed':
      if (event.payload.held) met('a pause holds work that was ready to go on');
      return;
    case 'loop.iteration.failed':
      if (event.payload.dropped !== undefined) met('a loop fails fast, and drops iterations');
      return;
    case 'loop.done':
      if (event.payload.stats.failed > 0) met('a loop of best effort has failed iterations');
      return;
    case 'step.failed':
      if (event.payload.error.kind === 'timeout.step') met('a step takes longer than its step_timeout');
      if (event.payload.error.kind === 'ctx.conflict') met('a loop ends with a conflict of writes');
      return;
    case 'playbook.cancel.requested':
      if (execution.root !== execution.id) met('a child is cancelled with its parent');
      return;
    default:
      return;
  }
}
