import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../views/recorded.testing.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

describe('exec result', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', recordWeather());
    await stored.keep('failure', recordFailure());
    const waits = 'workflow: [{ step: start, tool: [{ hold: { kind: wait, for: signal, name: go } }] }]';
    await stored.keep('cancelled', record(waits, { inputs: [{ kind: 'cancel', reason: 'enough', by: null }] }));
  });
  afterAll(() => stored.close());
  const result = (id: string, ...args: string[]) => stored.exec(['result', id, ...args]);

  it('is printed of an execution that succeeded', async () => {
    expect(await result('weather')).toMatchObject({ stdout: 'sorry\n', stderr: '', exitCode: 0 });
    expect(await result('weather', '--json')).toMatchObject({ stdout: '"sorry"\n', stderr: '', exitCode: 0 });
  });

  it('is told to be none where the execution failed, and why', async () => {
    const { stdout, stderr, exitCode } = await result('failure');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(
      /^the execution 'failure' failed: \S+: .+\nnoetl exec status failure --data \S+ tells where\.\n$/,
    );
    const json = await result('failure', '--json');
    expect(json).toMatchObject({ stderr: '', exitCode: 1 });
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'error',
      error: { kind: expect.any(String), message: expect.any(String) },
      result: null,
    });
  });

  it('is told to be none where the execution was cancelled', async () => {
    const { stdout, stderr, exitCode } = await result('cancelled');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 5 });
    expect(stderr).toContain("the execution 'cancelled' was cancelled");
    expect(JSON.parse((await result('cancelled', '--json')).stdout)).toMatchObject({ status: 'cancelled' });
  });

  it('of a step is that of its newest run, also of one that is not the last', async () => {
    const asked = await result('weather', '--step', 'start', '--json');
    expect(asked).toMatchObject({ stderr: '', exitCode: 0 });
    expect(JSON.parse(asked.stdout)).toBeDefined();
    expect(await result('weather', '--step', 'strat')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("has no step 'strat'. Did you mean 'start'?"),
    });
    expect(await result('cancelled', '--step', 'start')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("the step 'start' of the execution 'cancelled' has not come to a result."),
    });
  });

  it('is written to a file: text as it is, anything else as JSON', async () => {
    const files: Record<string, string> = {};
    const ending = await stored.exec(['result', 'weather', '--out', 'out.txt'], { files });
    expect(ending).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    expect(files['out.txt']).toBe('sorry');
    await stored.exec(['result', 'weather', '--out', 'out.json', '--json'], { files });
    expect(files['out.json']).toBe('"sorry"\n');
  });
});
