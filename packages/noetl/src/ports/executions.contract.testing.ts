import { createHash } from 'node:crypto';
import type { ExecutionEvent } from '@noetl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { append } from './log-under-test.testing.ts';
import { note, notes, paused, processed, requested, resumed } from './sample-events.testing.ts';
import type { Store } from './store.ts';

/** An empty store under test. */
export interface OpenedExecutions {
  readonly store: Store;
  close(): Promise<void>;
}

/** What every index of executions promises. */
export function executionsContract(name: string, open: () => Promise<OpenedExecutions>): void {
  describe(`the executions (${name})`, () => {
    let opened: OpenedExecutions;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function has(execution: string, ...events: readonly ((seq: number) => ExecutionEvent)[]): Promise<void> {
      const before = await opened.store.log.position(execution);
      const appended = events.map((event, offset) => event(before + offset + 1));
      const answers = await opened.store.log.append([append(execution, before, { events: appended })]);
      expect(answers).toEqual([{ kind: 'appended' }]);
    }
    const start = (execution: string, path = 'p', parent?: string) =>
      has(execution, (seq) => requested(execution, seq, path, parent));
    const finish = (execution: string, status: 'success' | 'error' | 'cancelled' = 'success') =>
      has(execution, (seq) => processed(execution, seq, status));
    const ids = (entries: readonly { readonly execution: string }[]) => entries.map(({ execution }) => execution);

    it('say what was asked for, and that it is unfinished', async () => {
      await start('a', 'etl/load', 'parent');
      expect(await opened.store.executions.get('a')).toEqual({
        execution: 'a',
        number: 1,
        position: 1,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        path: 'etl/load',
        version: 3,
        contentHash: 'hash of etl/load',
        parent: 'parent',
        origin: undefined,
        status: 'running',
        requestedAt: 1,
        endedAt: undefined,
      });
      expect(await opened.store.executions.get('b')).toBeUndefined();
    });

    it('say what a fork was made from', async () => {
      await has('f', (seq) => requested('f', seq, 'p', undefined, { execution_id: 'a', seq: 12 }));
      expect(await opened.store.executions.get('f')).toMatchObject({ origin: { execution: 'a', position: 12 } });
      expect(await opened.store.executions.list({}, undefined, 1)).toMatchObject([
        { origin: { execution: 'a', position: 12 } },
      ]);
    });

    it('follow the log: paused, resumed, ended', async () => {
      const status = async () => (await opened.store.executions.get('a'))?.status;
      await start('a');
      await has('a', (seq) => paused('a', seq));
      expect(await status()).toBe('paused');
      await has('a', (seq) => resumed('a', seq));
      expect(await status()).toBe('running');
      await finish('a', 'cancelled');
      expect(await opened.store.executions.get('a')).toMatchObject({ status: 'cancelled', endedAt: 4, position: 4 });
    });

    it('know nothing of an append that was refused', async () => {
      await opened.store.log.append([append('a', 5, { events: [requested('a', 6, 'p')] })]);
      expect(await opened.store.executions.get('a')).toBeUndefined();
      expect(await opened.store.executions.list({}, undefined, 9)).toEqual([]);
    });

    it('are listed newest first, in pages', async () => {
      for (const execution of ['a', 'b', 'c', 'd']) await start(execution);
      await has('a', (seq) => note('a', seq));
      const first = await opened.store.executions.list({}, undefined, 3);
      expect(ids(first)).toEqual(['d', 'c', 'b']);
      expect(ids(await opened.store.executions.list({}, first.at(-1)?.number, 3))).toEqual(['a']);
    });

    it('are listed by status and by path', async () => {
      for (const execution of ['a', 'b', 'c', 'd']) await start(execution, execution < 'c' ? 'one' : 'two');
      for (const execution of ['b', 'd']) await finish(execution, 'error');
      const list = async (filter: Parameters<Store['executions']['list']>[0], before?: number) =>
        ids(await opened.store.executions.list(filter, before, 9));
      expect(await list({ status: 'error' })).toEqual(['d', 'b']);
      expect(await list({ path: 'one' })).toEqual(['b', 'a']);
      expect(await list({ status: 'running', path: 'two' })).toEqual(['c']);
      expect(await list({ status: 'running' }, 3)).toEqual(['a']);
      expect(await list({ path: 'One' })).toEqual([]);
    });

    it('are listed by what their path is within', async () => {
      const paths = ['flows/a', 'flows', 'flows/a/b', 'flows0', 'flows.x', 'flowsé', 'flows/', 'Flows/a', 'flow'];
      for (const [nth, path] of paths.entries()) await start(`e${nth}`, path);
      await finish('e2', 'error');
      const list = async (filter: Parameters<Store['executions']['list']>[0], before?: number, limit = 9) =>
        ids(await opened.store.executions.list(filter, before, limit));
      expect(await list({ within: 'flows' })).toEqual(['e6', 'e2', 'e1', 'e0']);
      expect(await list({ within: 'flows/' })).toEqual(['e6', 'e2', 'e0']);
      expect(await list({ within: 'flows' }, 7, 2)).toEqual(['e2', 'e1']);
      expect(await list({ within: 'flows', status: 'error' })).toEqual(['e2']);
      expect(await list({ within: 'flows', path: 'flows/a' })).toEqual(['e0']);
      expect(await list({ within: 'flows/a', parent: null })).toEqual(['e2', 'e0']);
      expect(await list({ within: 'none' })).toEqual([]);
    });

    it('are listed by who called them, or those that nobody called', async () => {
      await start('a');
      for (const child of ['b', 'c', 'd'])
        await has(child, (seq) => requested(child, seq, child === 'c' ? 'two' : 'one', 'a'));
      await has('e', (seq) => requested('e', seq, 'one', 'b'));
      await start('f');
      const list = async (filter: Parameters<Store['executions']['list']>[0], before?: number) =>
        ids(await opened.store.executions.list(filter, before, 2));
      expect(await list({ parent: 'a' })).toEqual(['d', 'c']);
      expect(await list({ parent: 'a' }, 3)).toEqual(['b']);
      expect(await list({ parent: 'a', path: 'one', status: 'running' })).toEqual(['d', 'b']);
      expect(await list({ parent: 'b' })).toEqual(['e']);
      expect(await list({ parent: 'f' })).toEqual([]);
      expect(await list({ parent: null })).toEqual(['f', 'a']);
    });

    it('that are unfinished are listed oldest first, in pages', async () => {
      for (const execution of ['a', 'b', 'c', 'd', 'e']) await start(execution);
      await finish('b');
      await has('c', (seq) => paused('c', seq));
      const first = await opened.store.executions.unfinished(0, 3);
      expect(ids(first)).toEqual(['a', 'c', 'd']);
      expect(ids(await opened.store.executions.unfinished(first.at(-1)?.number ?? 0, 3))).toEqual(['e']);
    });

    it('have the hash of their newest event, over all that came before', async () => {
      const events = notes('a', 0, 3);
      await opened.store.log.append([append('a', 0, { events: events.slice(0, 2) })]);
      await opened.store.log.append([append('a', 2, { events: events.slice(2) })]);
      const hash = events.reduce(
        (before, event) => createHash('sha256').update(before).update(JSON.stringify(event)).digest('hex'),
        '',
      );
      expect(await opened.store.executions.get('a')).toMatchObject({ hash, position: 3 });
    });

    it('are not removed while something is there that was forked from them (ENG-15)', async () => {
      await start('a');
      await finish('a');
      await has('f', (seq) => requested('f', seq, 'p', undefined, { execution_id: 'a', seq: 1 }));
      await finish('f');
      expect(await opened.store.executions.remove('a')).toBe(false);
      expect(await opened.store.executions.remove('f')).toBe(true);
      expect(await opened.store.executions.remove('a')).toBe(true);
    });

    it('are removed with all that is kept of them, once they are over', async () => {
      const { store } = opened;
      await start('a');
      await start('ab');
      await has('a', (seq) => note('a', seq));
      await store.toolLogs.append([{ execution: 'a', taskRun: 't', attempt: 1, stream: 'stdout', at: 1, text: 'x' }]);
      await store.snapshots.put({ execution: 'a', position: 2, format: 1, state: '{}' });
      expect(await store.executions.remove('a')).toBe(false);
      await finish('a');
      await finish('ab');
      expect(await store.executions.remove('a')).toBe(true);
      expect(await store.executions.remove('a')).toBe(false);
      expect(await store.executions.remove('none')).toBe(false);
      expect(await store.executions.get('a')).toBeUndefined();
      expect(ids(await store.executions.list({}, undefined, 10))).toEqual(['ab']);
      expect(await store.log.read('a', 0, 10)).toEqual([]);
      expect(await store.log.position('a')).toBe(0);
      expect(await store.snapshots.list('a')).toEqual([]);
      expect(await store.inspection.strays()).toBe(0);
      // Its name may come again, and finds nothing of the one before.
      await start('a');
      expect(await store.executions.get('a')).toMatchObject({ position: 1, status: 'running' });
      expect(await store.log.position('ab')).toBe(2);
    });
  });
}
