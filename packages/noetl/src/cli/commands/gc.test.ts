import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionEvent, ResultReference } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { append } from '../../ports/log-under-test.testing.ts';
import { processed, requested } from '../../ports/sample-events.testing.ts';
import { createFileResults } from '../../results/files.ts';
import { openDatabase } from '../../stores/sqlite/driver/open-database.ts';
import { type DataFolder, openDataFolder } from '../data-folder.ts';
import { noetl } from '../scripted-terminal.testing.ts';
import { systemClock } from '../system-clock.ts';

/** Of the world that the commands of tests see. */
const NOW = Date.UTC(2026, 0, 2);
const DAY = 24 * 3_600_000;

describe('noetl gc', () => {
  let folder: string;
  let data: DataFolder;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'noetl-gc-'));
    data = await openDataFolder(folder, systemClock, 'run');
  });
  afterEach(async () => {
    await data.store.close();
    rmSync(folder, { recursive: true });
  });

  const gc = (...args: readonly string[]) =>
    noetl(['gc', '--data', folder, ...args], { [join(folder, 'noetl.db')]: '' });
  const json = async (...args: readonly string[]) => JSON.parse((await gc('--json', ...args)).stdout);
  /** An execution that is over, with a result. */
  async function over(execution: string, result: Json, endedAt: number, parent?: string): Promise<void> {
    const end = processed(execution, 2, 'success') as Extract<ExecutionEvent, { name: 'playbook.processed' }>;
    const timestamp = new Date(endedAt).toISOString();
    const events = [requested(execution, 1, 'p', parent), { ...end, timestamp, payload: { ...end.payload, result } }];
    await data.store.log.append([append(execution, 0, { events })]);
  }

  /** Puts a value as if that had been long ago. */
  async function old(value: Json): Promise<ResultReference> {
    const reference = await data.results.put(value);
    utimesSync(join(folder, 'results', reference.key.slice(0, 2), `${reference.key}.json`), 1, 1);
    return reference;
  }
  const kindOf = async (reference: ResultReference) => (await data.results.get(reference)).kind;

  it('collects results that nobody names, and keeps the others, also those inside of others (RES-3)', async () => {
    const inner = await old('inner');
    await over('a', { nested: await old({ list: [inner] }) }, NOW);
    const lost = await old('lost');
    const young = await data.results.put('young');
    writeFileSync(join(folder, 'results', 'x.unfinished'), 'half');
    utimesSync(join(folder, 'results', 'x.unfinished'), 1, 1);
    const found = { count: 2, bytes: 10 };
    expect(await json('--dry-run')).toEqual({ dry_run: true, executions: [], results: found });
    expect(await kindOf(lost)).toBe('value');
    expect(await json()).toEqual({ dry_run: false, executions: [], results: found });
    expect(await Promise.all([lost, inner, young].map(kindOf))).toEqual(['missing', 'value', 'value']);
    expect((await gc()).stdout).toBe('collected 0 results of 0 bytes\n');
    expect(
      readdirSync(join(folder, 'results'), { recursive: true }).some((name) => /unfinished/.test(String(name))),
    ).toBe(false);
  });

  it('removes executions that are over for long, with what they alone named', async () => {
    const [both, alone] = [await old('both'), await old('alone')];
    await over('early', [both, alone], NOW - 40 * DAY);
    await over('late', both, NOW - 20 * DAY);
    await over('mother', null, NOW - 20 * DAY);
    await over('child', null, NOW - 40 * DAY, 'mother');
    const results = { count: 1, bytes: 7 };
    expect(await json('--older-than', '30d', '--dry-run')).toEqual({ dry_run: true, executions: ['early'], results });
    expect(await gc('--older-than', '30d')).toMatchObject({
      stdout: 'removed 1 execution that ended more than 30 d 00 h ago\ncollected 1 result of 7 bytes\n',
      stderr: '',
      exitCode: 0,
    });
    expect(await data.store.executions.get('early')).toBeUndefined();
    expect(await Promise.all([both, alone].map(kindOf))).toEqual(['value', 'missing']);
    expect((await json('--older-than', '2w')).executions).toEqual(['child', 'mother', 'late']);
  });

  it('collects nothing while a log cannot be read, and says which', async () => {
    await over('damaged', null, NOW);
    const lost = await old('lost');
    const database = await openDatabase(join(folder, 'noetl.db'));
    database.exec("UPDATE events SET bodies = replace(bodies, 'success', 'succes5')");
    database.close();
    const { stderr, exitCode } = await gc();
    expect(stderr).toMatch(
      /^error: the log of the execution 'damaged' is not what was written\. No result was collected\. noetl exec verify damaged/,
    );
    expect(exitCode).toBe(1);
    expect(await kindOf(lost)).toBe('value');
  });

  it('collects nothing while a store that may name results cannot be asked, and says which', async () => {
    const lost = await old('lost');
    await over('a', { ...lost, store: 'postgres' }, NOW);
    const { stderr, exitCode } = await gc();
    expect(stderr).toContain('NOETL_RESULTS_POSTGRES');
    expect(stderr).toContain('No result was collected');
    expect(exitCode).toBe(1);
    expect(await kindOf(lost)).toBe('value');
  });

  it.each(['30', '1y', '-3d', ''])('does not take %o for a time', async (time) => {
    const { stderr, exitCode } = await gc('--older-than', time);
    expect(stderr).toContain('expected a time like 30d, 12h, 90m or 2w.');
    expect(exitCode).toBe(2);
  });

  it('lets a value live that is put again while it is collected (RES-3)', async () => {
    const results = createFileResults(join(folder, 'results'));
    const reference = await old('again');
    for await (const stored of results.stored()) {
      await results.put('again');
      expect(await results.collect(stored)).toBe(false);
    }
    expect(await kindOf(reference)).toBe('value');
  });
});
