import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itemsFor, writeLargeExecution } from '../bench/large-execution.ts';
import { openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { openDatabase } from '../packages/noetl/src/stores/sqlite/driver/open-database.ts';
import { openProgram, type Program } from './program.testing.ts';

const EVENTS = 50_000;
const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: large, path: large }
workflow:
  - step: start
    loop: { in: "{{ range(0, 9) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 100 } }
    tool: { kind: noop, result: "{{ iter.x }}" }
`;

/** The events of one of these executions, parsed, take several times as much: who loads them whole does not get far. */
const LITTLE = { NODE_OPTIONS: '--max-old-space-size=40' };

describe('large executions', { timeout: 600_000 }, () => {
  let program: Program;
  let data: string;
  beforeAll(async () => {
    program = openProgram();
    data = program.newData();
    const folder = await openDataFolder(data, systemClock, 'run');
    const contentHash = createHash('sha256').update(PLAYBOOK).digest('hex');
    await folder.store.catalog.register('large', PLAYBOOK, contentHash, 0);
    for (const id of ['one', 'two']) await writeLargeExecution(id, itemsFor(EVENTS), folder, { contentHash });
    await folder.store.close();
  }, 600_000);
  afterAll(() => program.close());

  const exec = (...args: string[]) => program.run(['exec', ...args, '--data', data], { env: LITTLE });

  it('are compared without loading them', async () => {
    const { code, stdout, stderr } = await exec('diff', 'one', 'two', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ equal: true, a: { events: 50_001 }, b: { events: 50_001 } });
  });

  it('are told by their milestones, also where the index of them is lost', async () => {
    const status = async () => JSON.parse((await exec('status', 'one', '--json')).stdout);
    const told = await status();
    expect(told).toMatchObject({
      status: 'success',
      seq: 50_001,
      counters: { step_runs: 1, tasks: 12_498, iterations: 12_498, failures: 0 },
      runs: [{ step: 'start', status: 'done', loop: { total: 12_498, ok: 12_498, failed: 0, in_flight: 0 } }],
    });
    const database = await openDatabase(join(data, 'noetl.db'));
    const count = database.prepare<{ readonly many: number }>('SELECT count(*) AS many FROM milestones').get();
    expect(count?.many).toBeGreaterThan(0);
    expect(count?.many).toBeLessThan(10);
    database.exec('DELETE FROM milestones');
    database.close();
    expect(await status()).toEqual(told);
    expect((await exec('verify', 'one')).stdout).toContain('milestones');
  });

  it('are drawn and charted without loading them', async () => {
    const graph = await exec('graph', 'one', '--json');
    expect(graph.code).toBe(0);
    expect(JSON.parse(graph.stdout).steps.start.iterations).toEqual({ started: 12_498, ok: 12_498, failed: 0 });
    const timeline = await exec('timeline', 'one');
    expect(timeline.code).toBe(0);
    expect(timeline.stdout).toContain('12,498/12,498');
  });

  it('are explained page by page, and watched, without loading them', async () => {
    const explained = await exec('events', 'one', '--explain', '--json', '--after', '49990');
    expect(explained.code).toBe(0);
    expect(explained.stdout.trimEnd().split('\n')).toHaveLength(11);
    const watched = await exec('watch', 'one', '--json', '--after', '0');
    expect(watched.code).toBe(0);
    expect(watched.stdout.match(/\n/g)).toHaveLength(50_001);
  });
});
