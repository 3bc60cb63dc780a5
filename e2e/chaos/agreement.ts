import type { ExecutionEvent, Payload } from '@noetl/engine';
import { attemptOf, type Call } from './ledger.ts';
import { doneAttempts, endOf, rootsOf, type StoredHistory } from './stored-history.ts';

/** Kinds whose tools write into the ledger. */
const LEDGERED = new Set(['http', 'shell', 'python', 'javascript']);
/** Who is stopped may not have come to write anything. */
const STOPPED = new Set(['timeout', 'cancelled']);

/**
 * Where the ledger and the log contradict each other. `histories` are what the log said before each life, and at last
 * after the last of them.
 */
export function disagreements(calls: readonly Call[], histories: readonly StoredHistory[]): readonly string[] {
  const end = histories.at(-1) ?? new Map();
  return [
    ...histories.slice(0, -1).flatMap((before, nth) => lifeProblems(nth + 1, calls, before, histories[nth + 1] ?? end)),
    ...unknownCalls(calls, end),
  ];
}

function lifeProblems(
  life: number,
  calls: readonly Call[],
  before: StoredHistory,
  after: StoredHistory,
): readonly string[] {
  const problems: string[] = [];
  const over = new Set([...before].filter(([, events]) => endOf(events) !== undefined).map(([id]) => id));
  const done = new Set(doneAttempts(before).map(({ id }) => id));
  const seen = new Set<string>();
  for (const call of calls) {
    if (call.life !== life) continue;
    const id = attemptOf(call);
    if (over.has(executionOf(call.key))) problems.push(`life ${life}: ${id} was called after the end of its execution`);
    if (done.has(id)) problems.push(`life ${life}: ${id} was called again, though the log had its task.done before`);
    if (seen.has(id)) problems.push(`life ${life}: ${id} was called twice by one process`);
    if (!isScheduled(call.key, after)) problems.push(`life ${life}: ${id} was called before its work was scheduled`);
    seen.add(id);
  }
  for (const { id, payload } of doneAttempts(after)) {
    if (done.has(id) || seen.has(id) || !isLedgered(payload)) continue;
    problems.push(`life ${life}: the log has a task.done of ${id}, which was never called`);
  }
  return problems;
}

/** Whether who did an attempt must have written it down. */
export const isLedgered = ({ kind, outcome }: Payload<'task.done'>): boolean =>
  LEDGERED.has(kind) && outcome !== undefined && !STOPPED.has(outcome.error?.kind ?? '');

/** Work is begun only when the log has scheduled it, for good: whatever happens then, the log knows of it. */
function isScheduled(key: string, history: StoredHistory): boolean {
  const [execution = '', run, ...rest] = key.split(':');
  const events = history.get(execution) ?? [];
  const index = rest.length === 3 ? Number(rest[0]) : undefined;
  return events.some((event) => {
    // Its state stands in for what its origin had scheduled.
    if (event.name === 'execution.forked') return true;
    if (event.step_run_id !== `${execution}:${run}`) return false;
    if (index === undefined) return event.name === 'step.scheduled';
    if (!('schedules' in event.payload) || event.name === 'playbook.resumed') return false;
    const { schedules } = event.payload;
    return schedules !== undefined && index >= schedules.from && index < schedules.from + schedules.count;
  });
}

/** A call must be one that the log knows; what a cancel or a failure stopped may not have come to say that it began. */
export function unknownCalls(calls: readonly Call[], end: StoredHistory): readonly string[] {
  const started = new Set(
    [...end.values()].flat().flatMap((event) => (event.name === 'task.started' ? [startedId(event)] : [])),
  );
  return [...new Set(calls.map(attemptOf))].flatMap((id) => {
    const events = end.get(executionOf(id));
    if (events === undefined) return [`${id} was called, but the log has no such execution`];
    if (started.has(id) || endOf(events)?.status !== 'success') return [];
    return [`${id} was called, but the log has no task.started of it`];
  });
}

const startedId = ({ task_run_id = '', attempt = 0 }: ExecutionEvent): string =>
  attemptOf({ key: task_run_id, attempt });

const executionOf = (key: string): string => key.slice(0, key.indexOf(':'));

/**
 * What happened, without what may differ from run to run (ids, times, order): every attempt of every task with how it
 * ended, and the end of each execution.
 */
export function outlineOf(history: StoredHistory): readonly string[] {
  const roots = rootsOf(history);
  return [...history]
    .flatMap(([id, events]) => {
      const root = roots.findIndex((one) => id.startsWith(one));
      const name = `execution ${root + 1}${id.slice(roots[root]?.length)}`;
      const end = endOf(events);
      const { status, result, error } = end ?? { status: 'unfinished', result: null, error: null };
      return [
        `${name} ends: ${JSON.stringify({ status, result, error: error?.kind ?? null })}`,
        ...events.flatMap((event) => (event.name === 'task.done' ? [`${name} ${outlineOfAttempt(event)}`] : [])),
      ];
    })
    .sort();
}

function outlineOfAttempt(event: Extract<ExecutionEvent, { name: 'task.done' }>): string {
  const { iteration_id, task_label, visit, attempt, payload } = event;
  const where = iteration_id === undefined ? '' : `[${iteration_id.split(':').at(-1)}]`;
  return `${payload.step}${where}.${task_label} visit ${visit} attempt ${attempt}: ${payload.outcome?.status} → ${payload.directive.do}`;
}

/** What is in one outline only. */
export function outlineDifferences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const [wanted, got] = [new Set(expected), new Set(found)];
  return [
    ...expected.filter((line) => !got.has(line)).map((line) => `missing: ${line}`),
    ...found.filter((line) => !wanted.has(line)).map((line) => `not in an undisturbed run: ${line}`),
    ...(found.length > got.size ? ['something is in the log twice'] : []),
  ];
}
