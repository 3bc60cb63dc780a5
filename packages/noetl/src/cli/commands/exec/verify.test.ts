import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../stores/sqlite/driver/open-database.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

describe('exec verify', { timeout: 60_000 }, () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', recordWeather());
    await stored.keep('failed', recordFailure());
  });
  afterAll(() => stored.close());

  async function changing(sql: string): Promise<void> {
    const database = await openDatabase(join(stored.folder, 'noetl.db'));
    database.exec(sql);
    database.close();
  }

  it('says what was looked at, and that it is intact', async () => {
    expect(await stored.exec(['verify', 'weather'])).toEqual({
      exitCode: 0,
      stdout: '✓ weather intact: 49 events, 3 iterations\n',
      stderr: '',
    });
  });

  it('looks at all executions, newest first', async () => {
    const { exitCode, stdout } = await stored.exec(['verify', '--all']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "✓ failed intact: 18 events
      ✓ weather intact: 49 events, 3 iterations
      2 executions, all intact
      "
    `);
  });

  it('prints a line of JSON for each', async () => {
    const { stdout } = await stored.exec(['verify', '--all', '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ execution_id }) => execution_id)).toEqual(['failed', 'weather']);
    expect(lines[1]).toEqual({
      execution_id: 'weather',
      intact: true,
      events: 49,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      iterations: 3,
      snapshots: 0,
      results: 0,
      result_bytes: 0,
      difference: null,
    });
  });

  it('names the first difference, and goes on with the next execution', async () => {
    await changing("UPDATE executions SET status = 'success' WHERE execution_id = 'failed'");
    const { exitCode, stdout } = await stored.exec(['verify', '--all']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "✗ failed the row of the execution says otherwise than its log: status differs
          where      executions.status
          expected   "error"
          found      "success"
          looked at  18 events
          to do      restore the data folder from a backup; the log up to here is intact, and says what is right
      ✓ weather intact: 49 events, 3 iterations
      2 executions, 1 not intact
      "
    `);
    await changing("UPDATE executions SET status = 'error' WHERE execution_id = 'failed'");
    expect((await stored.exec(['verify', 'failed'])).exitCode).toBe(0);
  });

  it('notices that the text of its playbook was changed, or is gone', async () => {
    await changing("UPDATE catalog SET text = replace(text, 'kind', 'Kind')");
    const changed = await stored.exec(['verify', 'weather']);
    expect(changed).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('was changed in the catalog') });
    await changing("UPDATE catalog SET text = replace(text, 'Kind', 'kind'), content_hash = 'x' || content_hash");
    const gone = await stored.exec(['verify', 'weather']);
    expect(gone).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('is not in the catalog') });
    await changing('UPDATE catalog SET content_hash = substr(content_hash, 2)');
    expect((await stored.exec(['verify', 'weather'])).exitCode).toBe(0);
  });

  it.each([
    [['verify'], 'name an execution, or say --all'],
    [['verify', 'weather', '--all'], 'name an execution, or say --all'],
    [['verify', 'nobody'], "has no execution 'nobody'"],
  ])('refuses %j', async (args, why) => {
    expect(await stored.exec(args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(why) });
  });
});
