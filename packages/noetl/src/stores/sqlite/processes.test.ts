import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followChain } from '../../ports/inspection.ts';
import type { Store } from '../../ports/store.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { openSqliteStore } from './store.ts';

const WRITER = fileURLToPath(new URL('./writer.testing.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));

describe('processes on one data folder', () => {
  let folder: string;
  const children: ChildProcessByStdio<null, Readable, null>[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-processes-'));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  function writer(...args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
    const options = ['--conditions=@noetl/source', '--import', 'tsx'];
    const child = spawn(process.execPath, [...options, WRITER, folder, ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  }

  async function looking<T>(look: (store: Store) => Promise<T>): Promise<T> {
    const store = await openSqliteStore(folder, createVirtualClock(), { thread: false });
    try {
      return await look(store);
    } finally {
      await store.close();
    }
  }

  it('that are killed lose nothing that was acknowledged, and leave whole logs', { timeout: 120_000 }, async () => {
    const acknowledged = new Map<string, number>();
    for (let kills = 0; kills < 4; kills++) {
      const child = writer('alone');
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      while (printed.split('\n').length < 50) await once(child.stdout, 'data');
      await sleep(300 * Math.random());
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const line of printed.split('\n').slice(1, -1)) {
        const [execution = '', seq] = line.split(' ');
        acknowledged.set(execution, Number(seq));
      }
      await looking(async ({ log, inspection }) => {
        for (const [execution, seq] of acknowledged) {
          expect(await log.position(execution)).toBeGreaterThanOrEqual(seq);
          expect(await followChain(inspection, execution)).toMatchObject({ hash: expect.any(String) });
        }
      });
    }
    expect(acknowledged.size).toBe(20);
  });

  it('that make it at the same moment all get it', { timeout: 120_000 }, async () => {
    const openers = Array.from({ length: 6 }, (_, nth) => writer('shared', `opener ${nth}`, '1'));
    const codes = await Promise.all(openers.map((child) => once(child, 'exit')));
    expect(codes).toEqual(openers.map(() => [0, null]));
    await looking(async ({ log }) => expect(await log.position('shared')).toBe(6));
  });

  it('that write to one execution both get on, and neither overwrites the other', { timeout: 120_000 }, async () => {
    const writers = ['anna', 'ben'].map((name) => writer('shared', name, '200'));
    const codes = await Promise.all(writers.map((child) => once(child, 'exit')));
    expect(codes).toEqual([
      [0, null],
      [0, null],
    ]);
    await looking(async ({ log, inspection }) => {
      const events = await log.read('shared', 0, 1_000);
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
      const written = events.map(({ payload }) => ('payload' in payload ? payload.payload : undefined));
      for (const name of ['anna', 'ben']) {
        const own = written.filter((text) => typeof text === 'string' && text.startsWith(name));
        expect(own).toEqual(Array.from({ length: 200 }, (_, index) => `${name} ${index}`));
      }
      expect(await followChain(inspection, 'shared')).toMatchObject({ position: 400, hash: expect.any(String) });
    });
  });
});
