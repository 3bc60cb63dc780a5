import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { GivenWork, LeaseTicket, WorkerCard } from '../ports/work-exchange.ts';
import { createLeaseWatch } from './lease-watch.testing.ts';
import { PLAIN } from './simpler-story.testing.ts';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { faultless } from './story.testing.ts';
import { createUnclaimedWork } from './unclaimed-work.testing.ts';
import { type Invariant, Violation } from './violation.testing.ts';
import { watchExecution } from './watched-execution.testing.ts';

const TTL = 1_000;

const { playbook } = readPlaybook(
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    spec: { pool: gpu }
    loop: { in: [1, 2, 3], iterator: x, spec: { mode: parallel, max_in_flight: 3, policy: { exec: local } } }
    tool: { kind: noop }`,
  { file: 't.yaml' },
);
if (playbook === undefined) throw new Error('the playbook of the test is not valid');
const plan = planOf(playbook);

const card = (name: string, pool = 'gpu'): WorkerCard => ({ name, pool, labels: {}, slots: 1, host: 'h', pid: 1 });
const ticket = (worker: string, work = '1:0', epoch = 1): LeaseTicket => ({
  execution: 'x',
  work,
  epoch,
  worker,
  capability: 'c',
});
const given = (lease: LeaseTicket): GivenWork => ({ lease, ttl: TTL, assignment: { step: 'start' } }) as never;

function opened(began = 0) {
  let now = 10_000;
  const execution = watchExecution('x', (id) => id);
  const watch = createLeaseWatch({
    sometimes: createSometimes(),
    now: () => now,
    began: () => began,
    executionOf: () => execution,
    planOf: () => plan,
    cardOf: (name) => card(name, name === 'stranger' ? 'default' : 'gpu'),
  });
  const claim = (worker: string, work = '1:0', epoch = 1) => {
    watch.claimed([{ execution: 'x', work, worker, ttl: TTL }], [{ execution: 'x', work, epoch, takeovers: 0 }]);
    return ticket(worker, work, epoch);
  };
  return {
    watch,
    claim,
    give: (worker: string, work = '1:0') => watch.given([given(claim(worker, work))]),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

function expectBreach(invariant: Invariant, act: () => void): void {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(Violation);
    expect((error as Violation).invariant).toBe(invariant);
    return;
  }
  expect.fail(`nobody noticed: ${invariant}`);
}

describe('the watch over leases notices', () => {
  it('two valid leases of one piece of work, and an epoch that goes back', () => {
    const { claim, pass } = opened();
    claim('anna', '1:0', 2);
    expectBreach('work has one lease at a time', () => claim('ben', '1:0', 3));
    pass(TTL);
    expectBreach('work has one lease at a time', () => claim('ben', '1:0', 2));
    claim('ben', '1:0', 3);
  });

  it('that a lease is renewed, given back, and ends with its work', () => {
    const { watch, claim, pass } = opened();
    const lease = claim('anna');
    pass(TTL - 1);
    watch.renewed([{ ...lease, ttl: TTL }], [true]);
    pass(TTL - 1);
    expect(watch.isLeased('x', '1:0')).toBe(true);
    watch.released([lease]);
    claim('ben', '1:0', 2);
    const end = { name: 'step.failed', execution_id: 'x', step_run_id: 'x:1', seq: 2, payload: {} } as never;
    watch.appended(
      watchExecution('x', (id) => id),
      [end],
    );
    expect(watch.isLeased('x', '1:0')).toBe(false);
    claim('carl', '1:0', 1);
    expectBreach('an old lease never reports', () => watch.reported({ lease, nth: 1, events: [] })('taken'));
  });

  it('a report that is taken after somebody else had the work, unless it had been taken before', () => {
    const { watch, claim, pass } = opened();
    const old = claim('anna');
    const report = { lease: old, nth: 1, events: [] };
    watch.reported(report)('taken');
    pass(TTL);
    claim('ben', '1:0', 2);
    watch.reported(report)('taken');
    watch.reported({ ...report, nth: 2 })('gone');
    expectBreach('an old lease never reports', () => watch.reported({ ...report, nth: 2 })('taken'));
  });

  it('a report that is taken and is not in the log', () => {
    const { watch, claim } = opened();
    const task = { label: 't', visit: 1, attempt: 1 };
    const events = [{ name: 'task.done', task }, { name: 'finished' }] as never;
    const report = { lease: claim('anna'), nth: 1, events };
    expectBreach('a report that was taken is in the log', () => watch.reported(report)('taken'));
  });

  it('work that is taken from a worker right after the start of a server', () => {
    const { give, claim, pass } = opened(10_500);
    give('anna');
    pass(TTL);
    expectBreach('a server that starts gives every lease a fresh ttl', () => claim('ben', '1:0', 2));
  });

  it('work in the wrong pool, a local loop with two workers, and a wrong capability', () => {
    const { watch, give } = opened();
    expectBreach('work is done in its pool', () => give('stranger', '1:2'));
    const other = opened();
    other.give('anna');
    other.give('ben', '1:1');
    other.watch.heard('anna');
    expectBreach('a local loop is with one worker at a time', () => other.give('ben', '1:2'));
    expectBreach('a lease needs its capability', () => watch.fooled(ticket('anna')));
  });
});

it('ready work that nobody claims is noticed only where somebody waits for it', async () => {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkflow: [{ step: start, spec: { pool: gpu }, tool: { kind: noop } }]`;
  const { playbook: simple } = readPlaybook(text, { file: 't.yaml' });
  if (simple === undefined) throw new Error('the playbook of the test is not valid');
  const execution = watchExecution('x0', (id) => id);
  const story = faultless({
    workflow: { segments: [{ kind: 'work', tasks: [PLAIN], rescued: false }] },
    child: { segments: [] },
  });
  const { ending } = await createSimulation()(story, createSometimes());
  const { events = [], texts = [] } = ending.watch.executions.get('x0') ?? {};
  const ready = events.findIndex(({ name }) => name === 'step.scheduled');
  for (const event of texts.slice(0, ready + 1)) execution.take(event);
  const unclaimed = createUnclaimedWork({
    executions: new Map([['x0', execution]]),
    leases: { isLeased: () => false },
    planOf: () => planOf(simple),
  });
  const looked = () => {
    for (const now of [0, 2_000, 4_000, 6_000]) unclaimed.look(now);
  };
  unclaimed.waits(card('stranger', 'default'));
  looked();
  const waited = unclaimed.waits(card('anna'));
  waited();
  looked();
  unclaimed.waits(card('anna'));
  expectBreach('ready work is claimed where a worker waits for it', looked);
});
