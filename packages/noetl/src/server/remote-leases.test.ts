import { describe, expect, it } from 'vitest';
import { LeaseGone, type WorkerCard } from '../ports/work-exchange.ts';
import {
  begun,
  claimNow,
  claimOne,
  EXPIRED,
  forever,
  loop,
  ONE_STEP,
  plan,
  request,
  settle,
  TTL,
  whole,
  worker,
  world,
} from './remote-leases.testing.ts';

describe('leases of workers in other processes', () => {
  it('are given out with the work, and its report ends the step', async () => {
    const { serve, events } = world();
    const { executions, remote } = serve();
    const waiting = claimOne(remote, worker('anna'));
    await executions.start(ONE_STEP, request('x'));
    const given = await waiting;
    expect(given.ticket).toMatchObject({ execution: 'x', work: '1', epoch: 1, worker: 'anna' });
    expect(await remote.report([{ lease: given.ticket, nth: 1, events: whole(given) }])).toEqual(['taken']);
    expect(await executions.over('x')).toMatchObject({ status: 'success' });
    expect(events.map(({ name }) => name)).toContain('step.done');
  });

  it('are for one worker, and for at most as many pieces of work as it has free slots', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await executions.start(loop('distributed'), request('x'));
    expect(await claimNow(remote, worker('anna'), 3)).toHaveLength(3);
    expect(await claimNow(remote, worker('ben'), 3)).toHaveLength(1);
    expect(await claimNow(remote, worker('cleo'))).toHaveLength(0);
  });

  it('last as long as heartbeats come', async () => {
    const { serve, pass } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const given = await claimOne(remote, worker('anna'));
    for (let beat = 0; beat < 20; beat++) {
      await pass(1_000);
      expect(await remote.heartbeat(worker('anna'), [given.ticket])).toEqual({ gone: [], drain: false });
    }
    expect(await claimNow(remote, worker('ben'))).toEqual([]);
    expect(await remote.report([{ lease: given.ticket, nth: 1, events: whole(given) }])).toEqual(['taken']);
  });

  it('are taken over when no heartbeat comes, also no first one, and the old worker is fenced (ENG-15)', async () => {
    const { serve, pass, events, counted } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const lost = await claimOne(remote, worker('anna'));
    await pass(EXPIRED);
    expect(counted.expired).toBe(1);
    const taken = await claimOne(remote, worker('ben'));
    expect(taken.ticket.epoch).toBeGreaterThan(lost.ticket.epoch);
    expect(taken.work.isSuspect).toBe(true);
    expect(await remote.report([{ lease: lost.ticket, nth: 1, events: whole(lost, 'anna') }])).toEqual(['gone']);
    expect(await remote.heartbeat(worker('anna'), [lost.ticket])).toMatchObject({ gone: [0] });
    expect(() => remote.under(lost.ticket)).toThrow(LeaseGone);
    await remote.report([{ lease: taken.ticket, nth: 1, events: whole(taken, 'ben') }]);
    await executions.over('x');
    const started = events.filter(({ name }) => name === 'step.started');
    expect(started.map(({ payload }) => payload)).toMatchObject([{ worker: 'ben' }]);
  });

  it('end with limit.takeovers when workers are lost again and again (SPEC 9)', async () => {
    const { serve, pass } = world();
    const { executions, remote } = serve();
    const fragile = plan('workflow: [{ step: start, tool: { kind: noop } }]', 2);
    await executions.start(fragile, request('x'));
    const over = executions.over('x');
    for (let life = 1; life <= 3; life++) {
      const given = await claimOne(remote, worker(`w${life}`));
      await remote.report([{ lease: given.ticket, nth: 1, events: begun() }]);
      await pass(EXPIRED);
    }
    expect(await over).toMatchObject({ status: 'error', error: { kind: 'limit.takeovers' } });
  });

  it('count no takeover where work waits and is leased again', async () => {
    const { serve, store } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    for (let turn = 1; turn <= 5; turn++) {
      const given = await claimOne(remote, worker('anna'));
      expect(given.ticket.epoch).toBe(turn);
      await remote.release(given.ticket, {});
    }
    const [granted] = await store.log.claim([{ execution: 'x', work: '1', worker: 'w', ttl: 1 }]);
    expect(granted).toMatchObject({ takeovers: 0 });
  });

  it('each get one fresh ttl when a server starts, and their workers go on (DESIGN §4)', async () => {
    const { serve, pass, clock } = world();
    const first = serve();
    await first.executions.start(ONE_STEP, request('x'));
    const given = await claimOne(first.remote, worker('anna'));
    await first.remote.report([{ lease: given.ticket, nth: 1, events: begun('anna') }]);
    first.executions.close();
    clock.advanceTo(clock.now() + 10 * TTL);
    const { executions, remote } = serve();
    await executions.resume('x', ONE_STEP, true);
    expect(await claimNow(remote, worker('ben'))).toEqual([]);
    await pass(TTL - 1_000);
    expect(await remote.heartbeat(worker('anna'), [given.ticket])).toEqual({ gone: [], drain: false });
    await pass(TTL - 1_000);
    expect(await remote.report([{ lease: given.ticket, nth: 2, events: whole(given) }])).toEqual(['taken']);
    expect(await executions.over('x')).toMatchObject({ status: 'success' });
  });

  it('that nobody goes on with after a start are taken over', async () => {
    const { serve, pass } = world();
    const first = serve();
    await first.executions.start(ONE_STEP, request('x'));
    const given = await claimOne(first.remote, worker('anna'));
    first.executions.close();
    const { executions, remote } = serve();
    await executions.resume('x', ONE_STEP, true);
    await pass(EXPIRED);
    const taken = await claimOne(remote, worker('ben'));
    expect(await remote.report([{ lease: given.ticket, nth: 1, events: whole(given) }])).toEqual(['gone']);
    expect(await remote.report([{ lease: taken.ticket, nth: 1, events: whole(taken) }])).toEqual(['taken']);
  });

  it('are not taken over because the server itself stood still', async () => {
    const { serve, clock } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const given = await claimOne(remote, worker('anna'));
    // One leap: the timers in between come late, as those of a process that was stopped.
    const { advanceTo } = clock;
    const now = clock.now() + 10 * TTL;
    Object.assign(clock, { now: () => now });
    advanceTo(now);
    await settle();
    expect(await remote.heartbeat(worker('anna'), [given.ticket])).toEqual({ gone: [], drain: false });
  });

  it('are good for who shows the capability, and for nobody else', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const given = await claimOne(remote, worker('anna'));
    const forged = [
      { ...given.ticket, capability: 'x' },
      { ...given.ticket, capability: '' },
      { ...given.ticket, worker: 'ben' },
      { ...given.ticket, epoch: 2 },
    ];
    for (const lease of forged) {
      expect(await remote.report([{ lease, nth: 1, events: whole(given) }])).toEqual(['gone']);
      expect(() => remote.under(lease)).toThrow(LeaseGone);
    }
    expect(remote.under(given.ticket)).toBe(given.work);
  });

  it('take a report once, however often it comes, and old ones not after newer', async () => {
    const { serve, events } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const given = await claimOne(remote, worker('anna'));
    const first = { lease: given.ticket, nth: 1, events: begun() };
    expect(await remote.report([first, first])).toEqual(['taken', 'taken']);
    expect(await remote.report([first])).toEqual(['taken']);
    expect(events.filter(({ name }) => name === 'step.started')).toHaveLength(1);
    const last = { lease: given.ticket, nth: 2, events: whole(given) };
    expect(await remote.report([last])).toEqual(['taken']);
    expect(await remote.report([last, first])).toEqual(['gone', 'gone']);
    expect(events.filter(({ name }) => name === 'step.done')).toHaveLength(1);
  });

  it('are gone when the execution is cancelled: the next heartbeat says so (ENG-14)', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const given = await claimOne(remote, worker('anna'));
    await executions.submit('x', { kind: 'cancel', reason: null, by: null });
    expect(await remote.heartbeat(worker('anna'), [given.ticket])).toMatchObject({ gone: [0] });
    expect(await remote.report([{ lease: given.ticket, nth: 1, events: whole(given) }])).toEqual(['gone']);
    expect(await executions.over('x')).toMatchObject({ status: 'cancelled' });
  });

  it('are not given on work of an execution that is over or paused', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    for (const [id, kind] of [
      ['x', 'cancel'],
      ['y', 'pause'],
    ] as const) {
      await executions.start(ONE_STEP, request(id));
      await executions.submit(id, { kind, reason: null, by: null });
    }
    expect(await claimNow(remote, worker('anna'))).toEqual([]);
    await executions.submit('y', { kind: 'resume', reason: null, by: null });
    expect(await claimNow(remote, worker('anna'))).toHaveLength(1);
  });

  it('are given to workers of the pool that the step names, with all labels that it wants', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    const step = (pool: string) => plan(`workflow: [{ step: start, spec: { pool: "${pool}" }, tool: { kind: noop } }]`);
    await executions.start(step('gpu'), request('gpu'));
    await executions.start(step('zone=eu'), request('eu'));
    await executions.start(step('gpu, zone=eu'), request('both'));
    const had = async (card: Partial<WorkerCard>) => {
      const given = await claimNow(remote, worker(JSON.stringify(card), card));
      const executionIds = given.map(({ ticket }) => ticket.execution);
      for (const { ticket } of given) await remote.release(ticket, {});
      return executionIds.toSorted();
    };
    expect(await had({})).toEqual([]);
    expect(await had({ labels: { zone: 'us' } })).toEqual([]);
    expect(await had({ labels: { zone: 'eu', disk: 'ssd' } })).toEqual(['eu']);
    expect(await had({ pool: 'gpu' })).toEqual(['gpu']);
    expect(await had({ pool: 'gpu', labels: { zone: 'eu' } })).toEqual(['both', 'gpu']);
  });

  it('spread the iterations of a distributed loop over those who wait', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    const claims = [claimNow(remote, worker('anna')), claimNow(remote, worker('ben'))];
    await executions.start(loop('distributed'), request('x'));
    const sizes = (await Promise.all(claims)).map((given) => given.length);
    expect(sizes).toEqual([2, 2]);
  });

  it('keep the iterations of a local loop with one worker, until it is gone', async () => {
    const { serve, pass } = world();
    const { executions, remote } = serve();
    await executions.start(loop('local'), request('x'));
    expect(await claimNow(remote, worker('anna'), 1)).toHaveLength(1);
    expect(await claimNow(remote, worker('ben'))).toHaveLength(0);
    expect(await claimNow(remote, worker('anna'), 1)).toHaveLength(1);
    await pass(EXPIRED);
    expect(await claimNow(remote, worker('ben'))).toHaveLength(4);
  });

  it('are given back by a worker that leaves, and its work goes on at once', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await executions.start(loop('local'), request('x'));
    expect(await claimNow(remote, worker('anna'))).toHaveLength(4);
    await remote.leave(worker('anna'));
    expect(remote.workers.list().map(({ name }) => name)).toEqual([]);
    expect(await claimNow(remote, worker('ben'))).toHaveLength(4);
  });

  it('are found again where nobody was told that there is work', async () => {
    const { serve, store, pass } = world();
    const { claim } = store.log;
    let broken = true;
    Object.assign(store.log, {
      claim: async (claims: Parameters<typeof claim>[0]) => {
        if (broken) throw new Error('the store is away');
        return claim(claims);
      },
    });
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    await expect(claimOne(remote, worker('anna'))).rejects.toThrow('the store is away');
    broken = false;
    expect(await claimNow(remote, worker('anna'))).toEqual([]);
    await pass(5_000);
    expect(await claimNow(remote, worker('anna'))).toHaveLength(1);
  });

  it('that ended while their heartbeat was under way leave the next lease on the work alone', async () => {
    const { serve, store, pass } = world();
    const { renew } = store.log;
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    Object.assign(store.log, { renew: (leases: Parameters<typeof renew>[0]) => held.then(() => renew(leases)) });
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const first = await claimOne(remote, worker('anna'));
    await pass(TTL / 2);
    const beat = remote.heartbeat(worker('anna'), [first.ticket]);
    await remote.release(first.ticket, {});
    const next = await claimOne(remote, worker('ben'));
    go();
    await beat;
    expect(await remote.report([{ lease: next.ticket, nth: 1, events: whole(next) }])).toEqual(['taken']);
  });

  it('let a worker that is to end take no work any more', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await remote.heartbeat(worker('anna'), []);
    expect(remote.workers.drain('nobody')).toBe(false);
    expect(remote.workers.drain('anna')).toBe(true);
    await executions.start(ONE_STEP, request('x'));
    expect(await remote.heartbeat(worker('anna'), [])).toMatchObject({ drain: true });
    expect(await claimNow(remote, worker('anna'))).toEqual([]);
  });

  it('tell how long the work was ready before it was taken, however often it was looked for', async () => {
    const { serve, pass, counted } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    await pass(7_000);
    expect(executions.waiting()).toEqual(new Map([['', 1]]));
    await claimOne(remote, worker('anna'));
    expect([executions.waiting().get(''), counted.waited]).toEqual([0, [7_000]]);
  });

  it('do not leave the worker of the server out: it does what names no pool', async () => {
    const { serve } = world();
    const { executions, remote } = serve();
    await executions.start(ONE_STEP, request('x'));
    const gpu = plan('workflow: [{ step: start, spec: { pool: gpu }, tool: { kind: noop } }]');
    await executions.start(gpu, request('y'));
    const own = await executions.claim(8, forever);
    expect(own.map(({ execution }) => execution)).toEqual(['x']);
    expect(await claimNow(remote, worker('anna'))).toEqual([]);
    expect(await claimNow(remote, worker('gina', { pool: 'gpu' }))).toHaveLength(1);
  });
});
