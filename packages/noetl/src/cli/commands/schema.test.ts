import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noetl } from '../scripted-terminal.testing.ts';

describe('schema', () => {
  it('prints the JSON Schema that stands in the repository (DOC-12)', async () => {
    const published = JSON.parse(readFileSync(new URL('../../../../../schema/playbook.json', import.meta.url), 'utf8'));
    const { exitCode, stdout, stderr } = await noetl(['schema']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(published);
    expect(stdout.split('\n').length).toBeGreaterThan(100);
  });

  it('prints it as one line with --json', async () => {
    const { stdout } = await noetl(['schema', '--json']);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await noetl(['schema'])).stdout));
  });
});
