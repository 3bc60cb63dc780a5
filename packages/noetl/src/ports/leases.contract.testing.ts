import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import type { Claim, LeaseId } from './leases.ts';
import { append, type LogUnderTest } from './log-under-test.testing.ts';
import {
  iterationDone,
  iterationFailed,
  note,
  stepDone,
  stepFailed,
  taskWaiting,
  workflowFinished,
} from './sample-events.testing.ts';

/** Longer than any test takes. */
const LONG = 600_000;
const SHORT = 50;

/** What every event log promises about leases. */
export function leasesContract(test: LogUnderTest): void {
  const claim = (execution: string, work: string, ttl = LONG, worker = 'w'): Claim => ({
    execution,
    work,
    worker,
    ttl,
  });

  async function lease(execution: string, work: string, ttl = LONG, worker = 'w'): Promise<LeaseId> {
    const [granted] = await test.log.claim([claim(execution, work, ttl, worker)]);
    if (granted === undefined) throw new Error(`${work} was not granted`);
    return { execution, work, epoch: granted.epoch };
  }

  const isFree = async (execution: string, work: string): Promise<boolean> =>
    (
      await test.log.append([append(execution, await test.log.position(execution), { events: [], unclaimed: [work] })])
    )[0]?.kind === 'appended';

  describe('leases', () => {
    it('are granted where none is valid, one for each piece of work, in the order of the claims', async () => {
      const [one, two] = [test.fresh(), test.fresh()];
      const granted = await test.log.claim([claim(one, '1'), claim(one, '1'), claim(two, '1'), claim(one, '1:0')]);
      const first = { epoch: 1, takeovers: 0 };
      expect(granted).toEqual([
        { execution: one, work: '1', ...first },
        undefined,
        { execution: two, work: '1', ...first },
        { execution: one, work: '1:0', ...first },
      ]);
      expect(await test.log.claim([claim(one, '1', LONG, 'other')])).toEqual([undefined]);
    });

    it('are granted once among 50 claims', async () => {
      const execution = test.fresh();
      const claims = Array.from({ length: 50 }, (_, rival) =>
        test.log.claim([claim(execution, '1', LONG, `${rival}`)]),
      );
      expect((await Promise.all(claims)).flat().filter((granted) => granted !== undefined)).toHaveLength(1);
    });

    it('are listed with their worker and what remains of them, while they are valid', async () => {
      const execution = test.fresh();
      await lease(execution, '2', LONG, 'anna');
      await lease(execution, '1', 0, 'ben');
      await test.log.release([await lease(execution, '3', LONG, 'cleo')]);
      await lease(test.fresh(), '4', LONG, 'dora');
      const [only, ...others] = await test.log.leases(execution);
      expect(others).toEqual([]);
      expect(only).toMatchObject({ execution, work: '2', epoch: 1, worker: 'anna' });
      expect(only?.remaining).toBeGreaterThan(0);
      expect(only?.remaining).toBeLessThanOrEqual(LONG);
    });

    it('have epochs that grow by one, also after expiry and release', async () => {
      const execution = test.fresh();
      expect((await lease(execution, '1', 0)).epoch).toBe(1);
      const second = await lease(execution, '1');
      expect(second.epoch).toBe(2);
      await test.log.release([second]);
      expect((await lease(execution, '1', 0)).epoch).toBe(3);
      expect((await lease(execution, '1')).epoch).toBe(4);
    });

    it('count takeovers apart from epochs, as long as the work is not over', async () => {
      const execution = test.fresh();
      const taking = { ...claim(execution, '1', 0), takeover: true };
      const claims = [claim(execution, '1', 0), taking, claim(execution, '1', 0), taking];
      const granted = (await test.log.claim(claims)).map((one) => [one?.epoch, one?.takeovers]);
      expect(granted).toEqual([
        [1, 0],
        [2, 1],
        [3, 1],
        [4, 2],
      ]);
      await test.log.append([append(execution, 0, { events: [stepDone(execution, 1, '1')] })]);
      expect((await test.log.claim([taking]))[0]).toMatchObject({ epoch: 1, takeovers: 1 });
    });

    it('are listed, all of them, also where they expired and nobody has claimed the work since', async () => {
      const execution = test.fresh();
      await lease(execution, '1', 0, 'ben');
      await lease(execution, '2', LONG, 'anna');
      await test.log.release([await lease(execution, '3', LONG, 'cleo')]);
      const all = await test.log.leases(execution, 'all');
      expect(all.map(({ work, worker }) => [work, worker]).toSorted()).toEqual([
        ['1', 'ben'],
        ['2', 'anna'],
      ]);
      expect(all.find(({ work }) => work === '1')?.remaining).toBeLessThanOrEqual(0);
    });

    it('expire: then another may claim the work, and the old one cannot be renewed', async () => {
      const execution = test.fresh();
      const old = await lease(execution, '1', SHORT, 'anna');
      await test.pass(2 * SHORT);
      expect(await test.log.leases(execution)).toEqual([]);
      const taken = await lease(execution, '1', LONG, 'ben');
      expect(await test.log.renew([{ ...old, ttl: LONG }])).toEqual([false]);
      expect(await test.log.leases(execution)).toMatchObject([{ ...taken, worker: 'ben' }]);
    });

    it('last longer when they are renewed', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1', SHORT, 'anna');
      expect(await test.log.renew([{ ...held, ttl: LONG }])).toEqual([true]);
      await test.pass(2 * SHORT);
      expect(await test.log.leases(execution)).toMatchObject([{ ...held, worker: 'anna' }]);
      expect(await test.log.claim([claim(execution, '1')])).toEqual([undefined]);
    });

    it('that expired can be renewed while nobody else has claimed the work', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1', 0);
      expect(await test.log.renew([{ ...held, ttl: LONG }])).toEqual([true]);
      expect(await test.log.claim([claim(execution, '1')])).toEqual([undefined]);
    });

    it('that were never granted or were given back cannot be renewed', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1');
      await test.log.release([held]);
      const renewals = [
        { ...held, ttl: LONG },
        { ...held, epoch: 2, ttl: LONG },
        { execution, work: '2', epoch: 1, ttl: LONG },
      ];
      expect(await test.log.renew(renewals)).toEqual([false, false, false]);
      expect(await isFree(execution, '1')).toBe(true);
    });

    it('can be given back only by who has them', async () => {
      const execution = test.fresh();
      const old = await lease(execution, '1', 0);
      const held = await lease(execution, '1');
      await test.log.release([old, { execution, work: '2', epoch: 1 }, { ...held, epoch: 3 }]);
      expect(await isFree(execution, '1')).toBe(false);
      await test.log.release([held]);
      expect(await isFree(execution, '1')).toBe(true);
    });
  });

  describe('an append under leases', () => {
    it('is kept while they are the newest, also expired', async () => {
      const execution = test.fresh();
      const under = [await lease(execution, '1'), await lease(execution, '2', 0)];
      expect(await test.log.append([append(execution, 0, { under })])).toEqual([{ kind: 'appended' }]);
    });

    it('with a stale epoch is fenced and nothing of it is kept', async () => {
      const execution = test.fresh();
      const [stale, good] = [await lease(execution, '1', 0), await lease(execution, '2')];
      await lease(execution, '1');
      const report = append(execution, 0, { under: [good, stale], events: [stepDone(execution, 1, '2')] });
      expect(await test.log.append([report])).toEqual([{ kind: 'fenced', work: '1' }]);
      expect(await test.log.position(execution)).toBe(0);
      expect(await isFree(execution, '2')).toBe(false);
    });

    it('that were given back, or never granted, is fenced', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1');
      await test.log.release([held]);
      for (const under of [[held], [{ work: '1', epoch: 2 }], [{ work: '7', epoch: 1 }]]) {
        const fenced = { kind: 'fenced', work: under[0]?.work };
        expect(await test.log.append([append(execution, 0, { under })])).toEqual([fenced]);
      }
    });

    it('is checked in its own execution', async () => {
      const [one, two] = [test.fresh(), test.fresh()];
      const { work, epoch } = await lease(one, '1');
      const batch = [append(two, 0, { under: [{ work, epoch }] }), append(one, 0, { under: [{ work, epoch }] })];
      expect(await test.log.append(batch)).toEqual([{ kind: 'fenced', work }, { kind: 'appended' }]);
    });

    it('is fenced rather than in conflict: deciding again would not help its worker', async () => {
      const execution = test.fresh();
      const stale = await lease(execution, '1', 0);
      await lease(execution, '1');
      const report = append(execution, 5, { under: [stale], unclaimed: ['1'] });
      expect(await test.log.append([report])).toEqual([{ kind: 'fenced', work: '1' }]);
    });

    it('that took leased work for unclaimed is a conflict', async () => {
      const execution = test.fresh();
      await lease(execution, '1');
      await lease(execution, '3', 0);
      const drop = (unclaimed: readonly string[]) => test.log.append([append(execution, 0, { unclaimed })]);
      expect(await drop(['2', '1'])).toEqual([{ kind: 'conflict' }]);
      expect(await test.log.position(execution)).toBe(0);
      expect(await drop(['2', '3'])).toEqual([{ kind: 'appended' }]);
    });
  });

  describe('a lease ends with the event', () => {
    const ends: readonly (readonly [name: string, work: string, event: (execution: string) => ExecutionEvent])[] = [
      ['that its step run is done', '1', (execution) => stepDone(execution, 1, '1')],
      ['that its step run failed', '1', (execution) => stepFailed(execution, 1, '1')],
      ['that its iteration is done', '1:2', (execution) => iterationDone(execution, 1, '1:2')],
      ['that its iteration failed', '1:2.0', (execution) => iterationFailed(execution, 1, '1:2.0')],
      ['that its task waits', '1:2', (execution) => taskWaiting(execution, 1, '1:2')],
      ['that the step run around its iteration failed', '1:2.0', (execution) => stepFailed(execution, 1, '1')],
      ['that the workflow finished', '1:2', (execution) => workflowFinished(execution, 1)],
    ];
    it.each(ends)('%s', async (_, work, event) => {
      const execution = test.fresh();
      const held = await lease(execution, work);
      const report = append(execution, 0, { under: [held], events: [event(execution)] });
      expect(await test.log.append([report])).toEqual([{ kind: 'appended' }]);
      expect(await test.log.leases(execution)).toEqual([]);
      expect(await test.log.renew([{ ...held, ttl: LONG }])).toEqual([false]);
      expect(await test.log.append([append(execution, 1, { under: [held] })])).toEqual([{ kind: 'fenced', work }]);
    });

    it('and with no other', async () => {
      const execution = test.fresh();
      const works = ['1', '1:2', '12', '2:1', '2:12'];
      await test.log.claim(works.map((work) => claim(execution, work)));
      const events = [note(execution, 1), iterationDone(execution, 2, '2:1'), stepFailed(execution, 3, '1')];
      await test.log.append([append(execution, 0, { events })]);
      expect((await test.log.leases(execution)).map(({ work }) => work).toSorted()).toEqual(['12', '2:12']);
    });

    it('that was appended, not with one that was refused', async () => {
      const execution = test.fresh();
      await lease(execution, '1');
      await test.log.append([append(execution, 4, { events: [stepDone(execution, 5, '1')] })]);
      expect(await isFree(execution, '1')).toBe(false);
    });

    it('and work that waited goes on under a higher epoch', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1');
      await test.log.append([append(execution, 0, { under: [held], events: [taskWaiting(execution, 1, '1')] })]);
      expect((await lease(execution, '1')).epoch).toBe(2);
    });

    it('before the next append of the same batch is checked', async () => {
      const execution = test.fresh();
      const held = await lease(execution, '1');
      const batch = [
        append(execution, 0, { under: [held], events: [stepDone(execution, 1, '1')] }),
        append(execution, 1, { under: [held] }),
        append(execution, 1, { unclaimed: ['1'] }),
      ];
      const kinds = (await test.log.append(batch)).map(({ kind }) => kind);
      expect(kinds).toEqual(['appended', 'fenced', 'appended']);
    });
  });
}
