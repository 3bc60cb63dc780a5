import { type ExecutionEvent, failure, planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { EventLog } from '../ports/event-log.ts';
import { StoreError } from '../ports/store-error.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import type { ChildPlans } from './children.ts';
import { createEnds } from './ends.ts';
import { createExecutions } from './executions.ts';

const STATS = { step_runs: 0, skipped: 0, tasks: 0, retries: 0, iterations: 0, failures: 0, duration_ms: 0 };
const END = { status: 'success', result: 1, error: null, stats: STATS } as const;

function planFrom(body: string) {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${body}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return planOf(playbook);
}

/** Over without a worker. */
const PLAN = planFrom(`
executor: { spec: { execution_timeout: 86400 } }
workflow: [{ step: start, next: { arcs: [{ step: end }] } }]
`);

/** Waits for a worker. */
const WAITING = planFrom(`workflow: [{ step: start, tool: { kind: noop } }]`);

const NO_PLANS: ChildPlans = {
  find: async () => ({ kind: 'none', error: failure('child.unknown', 'there is none') }),
  of: async () => undefined,
};

function open(childPlans: ChildPlans = NO_PLANS, disturbed: (log: EventLog) => EventLog = (log) => log) {
  const clock = createVirtualClock();
  const events: ExecutionEvent[] = [];
  const { log: healthy, snapshots } = createMemoryStore(clock);
  const log = disturbed(healthy);
  const ports = { log, snapshots, results: createMemoryResults() };
  const executions = createExecutions({
    ports,
    clock,
    childPlans,
    credentials: { resolve: async () => undefined, forget: () => undefined },
    committed: (more) => events.push(...more),
  });
  const start = (id: string, plan = PLAN) =>
    executions.start(plan, { execution_id: id, path: 't', version: null, content_hash: 'h', payload: {} });
  return { clock, executions, start, events };
}

describe('the ends of executions', () => {
  it('are told to all who wait, and then nothing is kept of them', async () => {
    const ends = createEnds();
    const waiting = [ends.wait('a'), ends.wait('a')];
    ends.reached('a', END);
    ends.reached('nobody waits for', END);
    expect(await Promise.all(waiting)).toEqual([END, END]);
    expect([ends.isAwaited('a'), ends.isAwaited('nobody waits for')]).toEqual([false, false]);
  });

  it('that will not come are told too, and then nothing is kept of them', async () => {
    const ends = createEnds();
    const waiting = ends.wait('a');
    const others = [ends.wait('b'), ends.wait('c')];
    ends.failed('a', new Error('given up'));
    ends.allFailed(new Error('all given up'));
    await expect(waiting).rejects.toThrow('given up');
    for (const other of others) await expect(other).rejects.toThrow('all given up');
    expect(['a', 'b', 'c'].some(ends.isAwaited)).toBe(false);
  });

  it('are known also to who asks when they are over, and again: the log keeps them', async () => {
    const { executions, start } = open();
    await start('x');
    expect(await executions.over('x')).toMatchObject({ status: 'success' });
    expect(await executions.over('x')).toMatchObject({ status: 'success' });
  });

  it('are told by what has begun, also if the log could not be read for who asked before', async () => {
    let read: (problem: Error) => void = () => undefined;
    const { executions, start } = open(NO_PLANS, (log) => ({
      ...log,
      position: () => new Promise((_, fail) => (read = fail)),
    }));
    const over = executions.over('x');
    await start('x', WAITING);
    read(new StoreError('NOETL_STORE_IO', 'the disk has an error.'));
    await new Promise((wake) => setImmediate(wake));
    await executions.submit('x', { kind: 'cancel', reason: null, by: null });
    expect(await over).toMatchObject({ status: 'cancelled' });
  });

  it('are known to who asked before the beginning', async () => {
    const { executions, start } = open();
    const over = executions.over('x');
    await start('x');
    expect(await over).toMatchObject({ status: 'success' });
  });
});

describe('an execution whose beginning fails', () => {
  it('is not half open: the next who asks for it begins with its log (ENG-15)', async () => {
    const broken = new StoreError('NOETL_STORE_IO', 'the disk has an error.');
    const failures = [broken];
    const { executions, start } = open(NO_PLANS, (log) => ({
      ...log,
      append: async (batch) => {
        const answers = await log.append(batch);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return answers;
      },
    }));
    await expect(start('x')).rejects.toBe(broken);
    expect(executions.drives('x')).toBe(false);
    await executions.resume('x', PLAN);
    expect(await executions.over('x')).toMatchObject({ status: 'success' });
  });
});

describe('an execution that is about to begin', () => {
  it('is driven only once its request is in the log: somebody else may have begun it, and be asked to cancel it', async () => {
    const drives: boolean[] = [];
    const { executions, start } = open(NO_PLANS, (log) => ({
      ...log,
      append: async (batch) => {
        drives.push(executions.drives('x'));
        const answers = await log.append(batch);
        drives.push(executions.drives('x'));
        return answers;
      },
    }));
    const begun = start('x');
    expect(executions.drives('x')).toBe(false);
    await begun;
    expect(drives.slice(0, 2)).toEqual([false, false]);
  });
});

describe('an execution that is over', () => {
  it('leaves no timer behind', async () => {
    const { clock, executions, start } = open();
    await start('x');
    await executions.over('x');
    expect(clock.next()).toBeUndefined();
  });
});

describe('an execution that a server still opens', () => {
  it('has no work yet, also if a lease of it expires meanwhile: only then its pool is known', async () => {
    const plan = planFrom(`workflow: [{ step: start, spec: { pool: gpu }, tool: { kind: noop } }]`);
    const clock = createVirtualClock();
    const { log, snapshots } = createMemoryStore(clock);
    const remote = { key: Buffer.from('the key of a test'), ttl: 5_000 };
    const serve = (by: EventLog) =>
      createExecutions({
        ports: { log: by, snapshots, results: createMemoryResults() },
        clock,
        childPlans: NO_PLANS,
        credentials: { resolve: async () => undefined, forget: () => undefined },
        remote,
        committed: () => undefined,
      });
    const card = (name: string, pool: string) => ({ name, pool, labels: {}, slots: 1, host: 'h', pid: 1 });
    const first = serve(log);
    await first.start(plan, { execution_id: 'x', path: 't', version: null, content_hash: 'h', payload: {} });
    const [given] = (await first.remote?.claim(card('anna', 'gpu'), 1, new AbortController().signal)) ?? [];
    if (given === undefined) throw new Error('there is no work');
    const begun = { name: 'step.started', timestamp: '2026-01-01T00:00:00.000Z', payload: { worker: 'anna' } } as const;
    await first.remote?.report([{ lease: given.ticket, nth: 1, events: [begun] }]);
    first.close();

    let slow = true;
    const second = serve({
      ...log,
      claim: (claims) => {
        const never = new Promise<never>(() => undefined);
        return slow ? never : log.claim(claims);
      },
    });
    // What its workers had begun is counted when it is taken over, and the store takes its time for that.
    void second.resume('x', plan, true);
    await new Promise((wake) => setImmediate(wake));
    slow = false;
    for (let seconds = 0; seconds < 8; seconds++) {
      clock.advanceTo(clock.now() + 1_000);
      await new Promise((wake) => setImmediate(wake));
    }
    expect(second.waiting()).toEqual(new Map());
  });
});
