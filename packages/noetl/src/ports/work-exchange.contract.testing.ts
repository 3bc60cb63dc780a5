import { type ResultReference, TAG } from '@noetl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GivenWork, LeaseGone, type WorkExchange, type WorkerCard } from './work-exchange.ts';

/** An exchange under test, with executions behind it. */
export interface OpenedExchange {
  readonly exchange: WorkExchange;
  /** Starts an execution of a playbook with this workflow, and whatever else stands at the root. */
  start(body: string): Promise<string>;
  cancel(execution: string): Promise<void>;
  /** How the execution ended. */
  end(execution: string): Promise<unknown>;
  /** What tools of the execution printed. */
  logs(execution: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

const STEP = 'workflow: [{ step: start, tool: { kind: noop } }]';
const SECRET = `keychain: [{ name: key, kind: static, value: swordfish-1 }]
${STEP}`;
const AT = '2026-01-01T00:00:00.000Z';
const forever = new AbortController().signal;

const card = (name: string): WorkerCard => ({
  name,
  pool: 'default',
  labels: { zone: 'eu' },
  slots: 4,
  host: 'h',
  pid: 1,
});

/** All that a worker tells of a step with one task that gives 7. */
function told({ assignment: { pipeline } }: GivenWork, result: unknown = 7) {
  const task = { label: pipeline.label, visit: 1, attempt: 1 };
  const outcome = { status: 'ok', result, meta: { attempt: 1, duration_ms: 0, ts: AT } };
  const directive = { do: 'continue', rule: 'default' };
  return [
    { name: 'step.started', timestamp: AT, payload: { worker: 'anna' } },
    { name: 'task.started', timestamp: AT, task, payload: { kind: 'noop', input: {} } },
    { name: 'task.done', timestamp: AT, task, payload: { kind: 'noop', outcome, directive, next: { kind: 'done' } } },
    { name: 'finished', timestamp: AT },
  ] as never;
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** What every way to the work of a server promises. */
export function workExchangeContract(name: string, open: () => Promise<OpenedExchange>): void {
  describe(`the work of a server (${name})`, { timeout: 60_000 }, () => {
    let opened: OpenedExchange;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function claimed(body = STEP): Promise<GivenWork> {
      await opened.start(body);
      const [given] = await opened.exchange.claim(card('anna'), 1, forever);
      if (given === undefined) throw new Error('there is no work');
      return given;
    }

    it('is given out with everything that a worker needs, and its report ends the step', async () => {
      const { exchange, end } = opened;
      const given = await claimed();
      expect(given).toMatchObject({
        lease: { work: '1', epoch: 1, worker: 'anna' },
        assignment: { step: 'start', started: false, pipeline: { attempt: 1 } },
        isSuspect: false,
      });
      expect(await exchange.playbook(given.lease)).toContain('step: start');
      expect(await exchange.files(given.lease)).toBeUndefined();
      expect(await exchange.report([{ lease: given.lease, nth: 1, events: told(given) }])).toEqual(['taken']);
      expect(await end(given.lease.execution)).toMatchObject({ status: 'success', result: 7 });
    });

    it('brings the files that its playbook names, as far as they are there', async () => {
      const given = await claimed('workflow: [{ step: start, tool: { kind: script, file: nowhere.sh } }]');
      expect(await opened.exchange.files(given.lease)).toEqual({ at: '', legacy: false, entries: [] });
    });

    it('is waited for, and given at once when it is there', async () => {
      const waiting = opened.exchange.claim(card('anna'), 1, forever);
      await opened.start(STEP);
      expect(await waiting).toHaveLength(1);
    });

    it('is waited for until nobody wants it any more', async () => {
      const stop = new AbortController();
      const waiting = opened.exchange.claim(card('anna'), 1, stop.signal);
      stop.abort();
      expect(await waiting).toEqual([]);
    });

    it('takes several reports in one call, each on its own', async () => {
      const [one, two] = [await claimed(), await claimed()];
      const forged = { ...two.lease, capability: one.lease.capability };
      const reports = [one.lease, forged, two.lease].map((lease) => ({ lease, nth: 1, events: told(one) }));
      expect(await opened.exchange.report(reports)).toEqual(['taken', 'gone', 'taken']);
    });

    it('takes a report once, however often it comes', async () => {
      const given = await claimed();
      const begun = { lease: given.lease, nth: 1, events: (told(given) as readonly never[]).slice(0, 2) };
      expect(await opened.exchange.report([begun])).toEqual(['taken']);
      expect(await opened.exchange.report([begun])).toEqual(['taken']);
      expect(await opened.exchange.report([{ lease: given.lease, nth: 2, events: told(given) }])).toEqual(['taken']);
      expect(await opened.end(given.lease.execution)).toMatchObject({ status: 'success', stats: { tasks: 1 } });
    });

    it('tells with a heartbeat which leases are gone: those of what was cancelled (ENG-14)', async () => {
      const [kept, cancelled] = [await claimed(), await claimed()];
      const leases = [kept.lease, cancelled.lease];
      expect(await opened.exchange.heartbeat(card('anna'), leases)).toEqual({ gone: [], drain: false });
      await opened.cancel(cancelled.lease.execution);
      expect(await opened.exchange.heartbeat(card('anna'), leases)).toEqual({ gone: [1], drain: false });
    });

    it('goes back to others: at once where it is given back, and where the worker leaves', async () => {
      const { exchange } = opened;
      const first = await claimed();
      await exchange.release(first.lease, {});
      const [second] = await exchange.claim(card('ben'), 1, forever);
      expect(second?.lease).toMatchObject({ execution: first.lease.execution, epoch: 2 });
      await exchange.leave(card('ben'));
      const [third] = await exchange.claim(card('cleo'), 1, forever);
      expect(third?.lease.epoch).toBeGreaterThan(2);
    });

    it('ends with the failure of a worker that cannot do it', async () => {
      const given = await claimed();
      const failed = { kind: 'worker.failed', retryable: false, message: 'no memory', details: null };
      await opened.exchange.release(given.lease, { failed });
      expect(await opened.end(given.lease.execution)).toMatchObject({
        status: 'error',
        error: { kind: 'worker.failed', message: 'no memory' },
      });
    });

    it('lends credentials with the lease (SEC-1)', async () => {
      const given = await claimed(SECRET);
      expect(given.secrets).toEqual({
        keychain: { key: 'swordfish-1' },
        secrets: [{ name: 'key', value: 'swordfish-1' }],
        problems: [],
      });
      expect(await opened.exchange.secrets(given.lease)).toEqual(given.secrets);
      const { answer } = await opened.exchange.credential(given.lease, {
        kind: 'open',
        handle: { kind: 'credential_handle', provider: 'env', key: 'NOBODY_GAVE_THIS' },
      });
      expect(answer).toMatchObject({ problem: expect.stringContaining('was given by no task of this execution') });
    });

    it('stores what is large, and gives it back byte for byte, however large (RES-1, RES-2)', async () => {
      const { exchange } = opened;
      const { lease } = await claimed();
      const value = { list: Array.from({ length: 40_000 }, (_, row) => ({ row, text: 'äß𝄞"' })), 1e21: 1e21 };
      const text = JSON.stringify(value);
      const reference = await exchange.put(lease, undefined, pieces(text.slice(0, 77), text.slice(77)));
      expect(reference).toMatchObject({ [TAG]: 'reference', size: Buffer.byteLength(text) });
      const back: Uint8Array[] = [];
      for await (const piece of exchange.read(lease, reference)) back.push(piece);
      expect(Buffer.concat(back).toString('utf8')).toBe(text);
    });

    it('refuses to store what is no JSON, and says what is lost (RES-2)', async () => {
      const { exchange } = opened;
      const { lease } = await claimed();
      await expect(exchange.put(lease, undefined, pieces('{"a": '))).rejects.toThrow(/ends in the middle/);
      const noUtf8 = (async function* () {
        yield new Uint8Array([0x22, 0xff, 0x22]);
      })();
      // By HTTP its text is that of a problem.
      await expect(exchange.put(lease, undefined, noUtf8)).rejects.toThrow(/no UTF-8/);
      const stored = await exchange.put(lease, undefined, pieces('[1]'));
      const missing: ResultReference = { ...stored, key: 'f'.repeat(64), checksum: `sha256:${'f'.repeat(64)}` };
      const reading = async () => {
        for await (const _ of exchange.read(lease, missing)) throw new Error('there is something');
      };
      await expect(reading()).rejects.toMatchObject({ name: 'ResultLost', kind: 'missing' });
      await expect(exchange.put(lease, 'nowhere', pieces('1'))).rejects.toMatchObject({
        code: 'NOETL_STORE_UNCONFIGURED',
        message: expect.stringContaining('nowhere'),
      });
    });

    it('keeps what tools print, of this execution alone', async () => {
      const { lease } = await claimed();
      const line = { attempt: 1, stream: 'stdout', at: 0 } as const;
      await opened.exchange.log(lease, 1, [
        { ...line, taskRun: `${lease.execution}:1:t:1`, text: 'hello' },
        { ...line, taskRun: 'other:1:t:1', text: 'forged' },
      ]);
      expect(await opened.logs(lease.execution)).toEqual(['hello']);
      expect(await opened.logs('other')).toEqual([]);
    });

    it('keeps what tools print once, however often it comes', async () => {
      const { lease } = await claimed();
      const line = { taskRun: `${lease.execution}:1:t:1`, attempt: 1, stream: 'stdout', at: 0 } as const;
      const log = (nth: number, text: string) => opened.exchange.log(lease, nth, [{ ...line, text }]);
      await Promise.all([log(1, 'hello'), log(1, 'hello')]);
      await log(2, 'again');
      await log(2, 'again');
      expect(await opened.logs(lease.execution)).toEqual(['hello', 'again']);
    });

    it('gives the ends of iterations that a list is made of', async () => {
      const { exchange } = opened;
      const { lease } = await claimed();
      const source = { execution_id: lease.execution, loop: `${lease.execution}:1`, until: null };
      expect(await exchange.iterations(lease, source, 0, 10)).toEqual([]);
      expect((await exchange.events(lease, lease.execution, 0, 10)).length).toBeGreaterThan(0);
    });

    it('gives nothing of executions that have nothing to do with its own', async () => {
      const { exchange } = opened;
      const [{ lease }, other] = [await claimed(), await claimed()];
      const { execution } = other.lease;
      expect(execution).not.toBe(lease.execution);
      await expect(exchange.events(lease, execution, 0, 1)).rejects.toBeInstanceOf(LeaseGone);
      const source = { execution_id: execution, loop: `${execution}:1`, until: null };
      await expect(exchange.iterations(lease, source, 0, 1)).rejects.toBeInstanceOf(LeaseGone);
    });

    it('refuses everything under a lease that is gone, or that somebody made up', async () => {
      const { exchange } = opened;
      const given = await claimed();
      await exchange.report([{ lease: given.lease, nth: 1, events: told(given) }]);
      const forged = { ...(await claimed()).lease, worker: 'eve' };
      const reading = async (lease: GivenWork['lease']) => {
        for await (const _ of exchange.read(lease, {} as ResultReference)) throw new Error('there is something');
      };
      for (const lease of [given.lease, forged]) {
        const calls = [
          () => exchange.playbook(lease),
          () => exchange.secrets(lease),
          () => exchange.put(lease, undefined, pieces('1')),
          () => exchange.log(lease, 1, []),
          () => exchange.iterations(lease, { execution_id: 'x', loop: 'x:1', until: null }, 0, 1),
        ];
        for (const call of calls) await expect(call()).rejects.toBeInstanceOf(LeaseGone);
        expect(await exchange.report([{ lease, nth: 9, events: [] }])).toEqual(['gone']);
      }
      await expect(reading(forged)).rejects.toThrow();
    });
  });
}
