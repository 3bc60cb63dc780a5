import { type ExecutionEvent, initialState, leasable, type Plan, planOf, type WorkerEvent } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { Append, EventLog } from '../ports/event-log.ts';
import { StoreError } from '../ports/store-error.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryEventLog } from '../stores/memory/event-log.ts';
import { liveExecution } from './live-execution.ts';

function planFrom(workflow: string, eventsPerDecision = 500): Plan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkflow:\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  const plan = planOf(playbook);
  return { ...plan, limits: { ...plan.limits, eventsPerDecision } };
}

/** Appends before the last one answers, for who has to wait. */
type Disturbance = (batch: readonly Append[], log: EventLog) => ReturnType<EventLog['append']>;

/** The mailbox of an execution whose log does as usual, but for the appends that a test disturbs. */
function opened(plan: Plan) {
  const log = createMemoryEventLog(createVirtualClock());
  const disturbances: Disturbance[] = [];
  const told: ExecutionEvent[] = [];
  let owed = 0;
  const disturbed: EventLog = {
    ...log,
    append: (batch) => (disturbances.shift() ?? ((given) => log.append(given)))(batch, log),
  };
  const live = liveExecution({
    id: 'x',
    plan,
    state: initialState,
    ports: { log: disturbed, results: createMemoryResults() },
    leased: () => new Set(),
    committed: (events) => told.push(...events),
    owing: () => {
      owed += 1;
    },
  });
  const request = { kind: 'request', execution_id: 'x', path: 't', version: null, content_hash: 'h' } as const;
  return {
    live,
    log,
    disturb: (...given: readonly Disturbance[]) => disturbances.push(...given),
    told: () => told.map(({ seq, name }) => `${seq} ${name}`),
    owed: () => owed,
    start: () => live.submit({ ...request, payload: {}, at: 0 }),
    async inLog() {
      return (await log.read('x', 0, 1_000)).map(({ seq, name }) => `${seq} ${name}`);
    },
  };
}

const broken = () => Promise.reject(new StoreError('NOETL_STORE_IO', 'the disk has an error.'));
const appliedButBroken: Disturbance = (batch, log) => log.append(batch).then(broken);

const TWO_STEPS = `
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop }`;

const LOOP = `
  - step: start
    loop: { in: [0, 1, 2], iterator: x, spec: { mode: parallel } }
    tool: { kind: noop }`;

const timestamp = '2026-01-01T00:00:00.000Z';
const meta = { attempt: 1, duration_ms: 0, ts: timestamp };
/** All that the worker of a step with one task reports. */
const finished: readonly WorkerEvent[] = [
  {
    name: 'task.done',
    timestamp,
    task: { label: 'task_1', visit: 1, attempt: 1 },
    payload: {
      kind: 'noop',
      outcome: { status: 'ok', result: 1, meta },
      directive: { do: 'continue' },
      next: { kind: 'done' },
    } as never,
  },
  { name: 'finished', timestamp },
];

describe('an append whose outcome is unknown', () => {
  it('is told like any other once the log shows that it counts', async () => {
    const { live, start, disturb, told, inLog } = opened(planFrom(TWO_STEPS));
    await start();
    disturb(appliedButBroken);
    const report = { kind: 'report', work: { run: 1, path: [] }, events: finished, at: 1 } as const;
    await expect(live.submit(report)).rejects.toThrow('the disk has an error.');
    expect(await live.submit(report)).toEqual({ kind: 'done' });
    expect(told()).toEqual(await inLog());
    expect(told().at(-1)).toMatch('step.scheduled');
  });

  it('and did not happen is decided again by who asks again, and told once', async () => {
    const { live, start, disturb, told, inLog } = opened(planFrom(TWO_STEPS));
    await start();
    disturb(broken);
    const report = { kind: 'report', work: { run: 1, path: [] }, events: finished, at: 1 } as const;
    await expect(live.submit(report)).rejects.toThrow('the disk has an error.');
    expect(await live.submit(report)).toEqual({ kind: 'done' });
    expect(told()).toEqual(await inLog());
  });

  it('is found out once, also if nobody asks again: no work is held back by what never came to be', async () => {
    const { live, start, disturb, owed } = opened(planFrom(TWO_STEPS));
    await start();
    disturb(broken);
    const report = { kind: 'report', work: { run: 1, path: [] }, events: finished, at: 1 } as const;
    const both = await Promise.allSettled([live.submit(report), live.submit(report)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(owed()).toBe(1);
    expect(leasable(live.decided(), report.work)).toBeUndefined();
    await live.submit({ kind: 'continue', at: 2 });
    expect(leasable(live.decided(), report.work)).toBeDefined();
  });
});

describe('a report under a lease that is gone', () => {
  const report = { kind: 'report', work: { run: 1, path: [] }, events: finished, at: 1 } as const;
  const settled = () => new Promise((wake) => setImmediate(wake));

  it('leaves its work to others, also if nobody says anything after it (DESIGN §4)', async () => {
    const { live, log, start } = opened(planFrom(TWO_STEPS));
    await start();
    const [lease] = await log.claim([{ execution: 'x', work: '1', worker: 'anna', ttl: 1_000 }]);
    if (lease === undefined) throw new Error('there is no lease');
    await log.release([lease]);
    expect(await live.submit(report, [lease])).toEqual({ kind: 'fenced' });
    await settled();
    expect(leasable(live.decided(), report.work)).toBeDefined();
  });

  it('is told after all if it is in the log: its append had arrived twice', async () => {
    const { live, log, start, disturb, told, inLog } = opened(planFrom(TWO_STEPS));
    await start();
    const [lease] = await log.claim([{ execution: 'x', work: '1', worker: 'anna', ttl: 1_000 }]);
    if (lease === undefined) throw new Error('there is no lease');
    disturb((batch, given) => given.append(batch).then(() => given.append(batch)));
    expect(await live.submit(report, [lease])).toEqual({ kind: 'fenced' });
    await settled();
    expect(told()).toEqual(await inLog());
    expect(told().at(-1)).toMatch('step.scheduled');
  });
});

describe('an append that is decided on another one', () => {
  it('does not count once that one has failed, also where its position is reached otherwise', async () => {
    const { live, log, start, disturb } = opened(planFrom(LOOP));
    await start();
    let late: readonly Append[] = [];
    const delayed: Disturbance = (batch) => {
      late = batch;
      return new Promise(() => undefined);
    };
    disturb(broken, delayed);
    const report = (index: number) =>
      live.submit({ kind: 'report', work: { run: 1, path: [index] }, events: finished, at: 1 });
    const both = await Promise.allSettled([report(0), report(1)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await report(1)).toEqual({ kind: 'done' });
    expect(late[0]?.expected).toBe(await log.position('x'));
    expect(await log.append(late)).toEqual([{ kind: 'conflict' }]);
  });
});

describe('a decision that is continued in a further append', () => {
  it('is asked for again if the append fails', async () => {
    const { live, start, disturb, owed, told, inLog } = opened(planFrom(TWO_STEPS, 2));
    const asItIs: Disturbance = (batch, log) => log.append(batch);
    disturb(asItIs, broken);
    await start();
    await new Promise((wake) => setImmediate(wake));
    expect(owed()).toBe(1);
    await live.submit({ kind: 'continue', at: 1 });
    await new Promise((wake) => setImmediate(wake));
    expect(told()).toEqual(await inLog());
    expect(told().at(-1)).toMatch('step.scheduled');
  });
});

describe('a decision that is to be continued, in an append whose outcome is unknown', () => {
  it.each([
    ['fails', appliedButBroken],
    ['arrives twice', (batch: readonly Append[], log: EventLog) => log.append(batch).then(() => log.append(batch))],
  ] as const)('is continued where the append %s, also if who asks again is refused', async (_, disturbance) => {
    const { live, start, disturb, told, inLog } = opened(planFrom(TWO_STEPS, 2));
    await start();
    await new Promise((wake) => setImmediate(wake));
    disturb(disturbance);
    const cancel = { kind: 'cancel', reason: null, by: null, at: 1 } as const;
    await live.submit(cancel).catch(() => live.submit(cancel));
    await new Promise((wake) => setImmediate(wake));
    expect((await inLog()).at(-1)).toMatch('playbook.processed');
    expect(told()).toEqual(await inLog());
  });
});

describe('an execution that somebody else has begun', () => {
  it('is left to them: nothing of it is told, or done', async () => {
    const { live, disturb, told, start, inLog } = opened(planFrom(TWO_STEPS));
    disturb((batch, log) => log.append(batch).then(() => log.append(batch)));
    expect(await start()).toMatchObject({ kind: 'refused', code: 'NOETL_EXECUTION_EXISTS' });
    expect(told()).toEqual([]);
    expect(live.decided().seq).toBe(0);
    expect(await inLog()).not.toEqual([]);
  });
});
