import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { disagreements, outlineDifferences } from './agreement.ts';
import type { Call } from './ledger.ts';
import type { StoredHistory } from './stored-history.ts';

/** As much of an event as is looked at. */
const event = (name: ExecutionEvent['name'], more: object = {}, payload: object = {}): ExecutionEvent =>
  ({ name, execution_id: 'e', step_run_id: 'e:1', ...more, payload }) as ExecutionEvent;

const attempt = { task_run_id: 'e:1:fetch:1', task_label: 'fetch', visit: 1, attempt: 1 };
const requested = event('playbook.execution.requested');
const scheduled = event('step.scheduled');
const started = event('task.started', attempt);
const done = event('task.done', attempt, { step: 's', kind: 'http', outcome: { status: 'ok' }, directive: {} });
const processed = event('playbook.processed', {}, { status: 'success' });

const log = (...events: readonly ExecutionEvent[]): StoredHistory => new Map([['e', events]]);
const whole = log(requested, scheduled, started, done, processed);
const call = (life: number, more: Partial<Call> = {}): Call => ({ life, key: 'e:1:fetch:1', attempt: 1, ...more });

describe('the ledger and the log', () => {
  it('agree about a call of one process, and about one that was made again because it had not been told', () => {
    expect(disagreements([call(1)], [new Map(), whole])).toEqual([]);
    expect(disagreements([call(1), call(2)], [new Map(), log(requested, scheduled), whole])).toEqual([]);
  });

  it.each<[what: string, calls: readonly Call[], histories: readonly StoredHistory[], problem: RegExp]>([
    [
      'was done before',
      [call(1), call(2)],
      [new Map(), log(requested, scheduled, started, done), whole],
      /called again/,
    ],
    ['was made after the end', [call(1), call(2)], [new Map(), whole, whole], /after the end/],
    ['was made twice', [call(1), call(1)], [new Map(), whole], /twice by one process/],
    ['was not scheduled yet', [call(1), call(2)], [new Map(), log(requested), whole], /before its work was scheduled/],
    ['the log never heard of', [call(1), call(1, { attempt: 2 })], [new Map(), whole], /no task.started/],
    ['nobody made', [], [new Map(), whole], /never called/],
    ['another process made', [call(1)], [new Map(), log(requested, scheduled), whole], /never called/],
    ['is of an unknown execution', [call(1), call(1, { key: 'f:1:fetch:1' })], [new Map(), whole], /no such execution/],
  ])('disagree about a call that %s', (_, calls, histories, problem) => {
    expect(disagreements(calls, histories).join('\n')).toMatch(problem);
  });

  it('know which iterations of a loop are scheduled', () => {
    const loop = event('loop.started', {}, { schedules: { from: 0, count: 2 } });
    const of = (index: number) => call(1, { key: `e:1:${index}:fetch:1` });
    const problems = disagreements([of(1), of(2)], [new Map(), log(requested, scheduled, loop)]);
    expect(problems.filter((problem) => problem.includes('scheduled'))).toEqual([
      'life 1: e:1:2:fetch:1#1 was called before its work was scheduled',
    ]);
  });
});

describe('outlines', () => {
  it('differ where something is missing, new or there twice', () => {
    expect(outlineDifferences(['a', 'b'], ['a', 'b'])).toEqual([]);
    expect(outlineDifferences(['a', 'b'], ['a', 'c', 'c'])).toEqual([
      'missing: b',
      'not in an undisturbed run: c',
      'not in an undisturbed run: c',
      'something is in the log twice',
    ]);
  });
});
