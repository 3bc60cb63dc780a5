import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../views/recorded.testing.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

const WAITS = 'workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]';

/** e2e/exec-watch.test.ts follows one that another process runs. */
describe('exec watch on an execution that is over', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', recordWeather());
    await stored.keep('failed', recordFailure());
    await stored.keep('cancelled', record(WAITS, { inputs: [{ kind: 'cancel', reason: 'enough', by: 'ada' }] }));
  });
  afterAll(() => stored.close());

  it('shows its end, and prints its result', async () => {
    expect(await stored.exec(['watch', 'weather'])).toEqual({
      exitCode: 0,
      stdout: 'sorry\n',
      stderr:
        '2026-01-01T00:00:15.820Z demo/weather: done in 15.8 s: 4 step runs, 1 skipped, 8 attempts, 1 retry, 3 iterations, 2 failures\n',
    });
  });

  it('explains why it failed, and has the exit code of run', async () => {
    const failed = await stored.exec(['watch', 'failed']);
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^[^\n]+ failed in 300 ms: [^\n]+\nfailed: execution failed after 300 ms\n/);
    expect(failed.stderr).toContain('load.get failed in attempt 3 at demo/weather:');
    expect(await stored.exec(['watch', 'cancelled'])).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('prints its events as they are stored', async () => {
    const { stdout: events } = await stored.exec(['events', 'failed', '--json']);
    expect(await stored.exec(['watch', 'failed', '--json'])).toEqual({ exitCode: 1, stdout: events, stderr: '' });
    const last = `${events.trimEnd().split('\n').at(-1)}\n`;
    for (const after of ['17', '18', '99']) {
      const { stdout } = await stored.exec(['watch', 'failed', '--json', '--after', after]);
      expect(stdout).toBe(last);
    }
  });

  it('is not told where to begin without --json, nor about what is not there', async () => {
    expect(await stored.exec(['watch', 'weather', '--after', '3'])).toMatchObject({ exitCode: 2 });
    expect(await stored.exec(['watch', 'nobody'])).toMatchObject({ exitCode: 2 });
  });
});
