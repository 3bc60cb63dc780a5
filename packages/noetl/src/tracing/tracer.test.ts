import type { ExecutionEvent, ExecutionState } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../ports/store-error.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createTracer } from './tracer.ts';

const at = (milliseconds: number): string => new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString();

/** An execution of so many steps, one after the other; a step takes ten milliseconds. */
function logOf(execution_id: string, steps: number): readonly ExecutionEvent[] {
  const events: object[] = [];
  const add = (name: string, payload: object, more: object = {}): void => {
    const seq = events.length + 1;
    events.push({
      event_id: `${execution_id}:${seq}`,
      execution_id,
      seq,
      timestamp: at(seq * 5),
      name,
      ...more,
      payload,
    });
  };
  add('playbook.execution.requested', {
    path: 'p',
    version: 1,
    content_hash: 'h',
    payload: {},
    depth: 0,
    traced: true,
  });
  for (let run = 1; run <= steps; run++) {
    const step = { step_run_id: `${execution_id}:${run}` };
    add('step.scheduled', { step: `s${run}`, args: {}, tokens: [run], work: 'none' }, step);
    add('step.done', { step: `s${run}`, result: null }, step);
  }
  const stats = { step_runs: steps, skipped: 0, tasks: 0, retries: 0, iterations: 0, failures: 0, duration_ms: 1 };
  add('playbook.processed', { status: 'success', result: null, error: null, stats });
  return events as unknown as readonly ExecutionEvent[];
}

const TRACED = { request: { traced: true } } as unknown as ExecutionState;
const UNTRACED = { request: {} } as unknown as ExecutionState;

function tracing(logs: Readonly<Record<string, readonly ExecutionEvent[]>>, broken?: Error) {
  const clock = createVirtualClock();
  const ended: string[] = [];
  const unreadable: string[] = [];
  let reads = 0;
  const tracer = createTracer({
    clock,
    log: {
      read: async (execution, after, limit) => {
        reads += 1;
        if (broken !== undefined) throw broken;
        return (logs[execution] ?? []).slice(after, after + limit);
      },
    },
    ended: (span) => ended.push(`${span.name} ${span.start - Date.UTC(2026, 0, 1)}`),
    unreadable: (execution) => unreadable.push(execution),
  });
  /** Lets what is read in the background come to its end. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advanceTo(clock.now() + 100);
    }
  };
  return { tracer, ended, unreadable, settle, reads: () => reads };
}

describe('following executions', () => {
  it('reads no log of what begins here', () => {
    const log = logOf('e', 2);
    const { tracer, ended, reads } = tracing({ e: log });
    for (const event of log) tracer.committed([event], TRACED);
    expect(ended).toEqual(['step s1 10', 'step s2 20', 'execution p 5']);
    expect(reads()).toBe(0);
  });

  it('does nothing for what is not traced', async () => {
    const log = logOf('e', 2);
    const { tracer, ended, settle, reads } = tracing({ e: log });
    for (const event of log) tracer.committed([event], UNTRACED);
    await settle();
    expect([ended, reads()]).toEqual([[], 0]);
  });

  it('reads what went before of what goes on here, and gives out only what ends here', async () => {
    const log = logOf('e', 900);
    const { tracer, ended, settle } = tracing({ e: log });
    // Step 899 was begun elsewhere; while its log is read, more happens.
    tracer.committed(log.slice(1_798, 1_799), TRACED);
    await new Promise<void>((resolve) => setImmediate(resolve));
    tracer.committed(log.slice(1_799, 1_801), TRACED);
    await settle();
    expect(ended).toEqual([`step s899 ${1_798 * 5}`, `step s900 ${1_800 * 5}`]);
    tracer.committed(log.slice(1_801), TRACED);
    expect(ended.at(-1)).toBe('execution p 5');
  });

  it('reads what another process drove in between, which gave out what ended then', async () => {
    const log = logOf('e', 5);
    const { tracer, ended, settle } = tracing({ e: log });
    tracer.committed(log.slice(0, 3), TRACED);
    tracer.committed(log.slice(7, 9), TRACED);
    await settle();
    expect(ended).toEqual(['step s1 10', 'step s4 40']);
    tracer.committed(log.slice(9), TRACED);
    expect(ended.slice(2)).toEqual(['step s5 50', 'execution p 5']);
  });

  it('tells once of a log that cannot be read, and leaves the others alone', async () => {
    const log = logOf('e', 3);
    const { tracer, ended, unreadable, settle, reads } = tracing({}, new Error('the disk is gone'));
    tracer.committed(log.slice(3, 4), TRACED);
    await settle();
    tracer.committed(log.slice(4, 5), TRACED);
    await settle();
    expect([unreadable, ended, reads()]).toEqual([['e'], [], 1]);
    for (const event of logOf('f', 1)) tracer.committed([event], TRACED);
    expect(ended).toEqual(['step s1 10', 'execution p 5']);
  });

  it('does not complain of a store that is closed with it', async () => {
    const { tracer, unreadable, settle } = tracing({}, new StoreError('NOETL_STORE_CLOSED', 'closed', {}));
    tracer.committed(logOf('e', 3).slice(3, 4), TRACED);
    await settle();
    await tracer.close();
    expect(unreadable).toEqual([]);
  });
});
