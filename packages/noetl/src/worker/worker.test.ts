import { type Assignment, assignmentOf, decide, failure, initialState, type OutcomeError, planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { ResultStore } from '../ports/result-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { ServerAway } from './server-calls.ts';
import { runWorker, type WorkerOptions } from './worker.ts';

const PLAYBOOK = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    tool: { kind: noop }
`;

/** Lets a worker run a step whose result is too large for an event; what it says, and whether it gave up. */
async function runWith(results: ResultStore, call?: WorkerOptions<never>['call']) {
  const { playbook } = readPlaybook(PLAYBOOK, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  const plan = planOf(playbook);
  const request = { execution_id: 'x', path: 't', version: null, content_hash: 'h', payload: {} };
  const decision = decide(plan, initialState, { kind: 'request', ...request, at: 0 });
  if (decision.kind !== 'events') throw new Error('the request of the test was refused');
  const assignment = assignmentOf(decision.state, { run: 1, path: [] }) as Assignment;
  const clock = createVirtualClock();
  const said: string[] = [];
  const stop = new AbortController();
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const work = { plan, assignment, isStopped: () => false, signal: new AbortController().signal };
  const claims = [[work]];
  const worker = runWorker(
    {
      name: 'w',
      clock,
      resultsOf: () => results,
      slots: 1,
      call: call ?? (async () => ({ status: 'ok', result: 'x'.repeat(70_000) })),
      load: async () => new Map(),
      secretsOf: () => ({ keychain: {}, redact: (value) => value }),
      source: {
        claim: async (_max, signal) =>
          claims.shift() ??
          new Promise<never[]>((wake) => signal.addEventListener('abort', () => wake([]), { once: true })),
        report: async (_work, events) => {
          said.push(...events.map(({ name }) => name));
          return true;
        },
        release: (_work, failed?: OutcomeError) => {
          said.push(failed === undefined ? 'released' : `failed: ${failed.message}`);
          ended();
        },
        abandon: (_work, reason) => {
          said.push(`abandoned: ${(reason as Error).message}`);
          ended();
        },
      },
    },
    stop.signal,
  );
  const passing = setInterval(() => clock.advanceTo(clock.now() + 1_000), 1);
  await end;
  clearInterval(passing);
  stop.abort();
  await worker;
  return said;
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

const failing = (times: number): ResultStore => {
  const results = createMemoryResults();
  let left = times;
  return {
    ...results,
    put: (value) => {
      left -= 1;
      if (left < 0) return results.put(value);
      return Promise.reject(new StoreError('NOETL_STORE_FULL', 'the disk is full.'));
    },
  };
};

describe('a worker whose result store fails (RES-3)', () => {
  it('tries again, and the work comes to its end', async () => {
    expect(await runWith(failing(2))).toEqual(['step.started', 'task.started', 'task.done', 'finished', 'released']);
  });

  it('abandons the work if the store does not recover: it goes on somewhere else, and has not failed', async () => {
    expect((await runWith(failing(1_000))).at(-1)).toBe('abandoned: the disk is full.');
  });

  it('abandons the work if its server is away while a result is sent in pieces: no task has failed', async () => {
    const cutOff = () => Promise.reject(new ServerAway('the server is away.'));
    const said = await runWith({ ...createMemoryResults(), putPieces: cutOff }, async (_call, _work, keep) => {
      const failed = await keep.text(pieces('a')).catch((error) => error.message);
      return { status: 'error', result: null, error: failure('tool.failed', failed) };
    });
    expect(said.at(-1)).toBe('abandoned: the server is away.');
    expect(said).not.toContain('task.done');
  });
});
