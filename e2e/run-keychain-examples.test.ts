import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from './program.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

/** How the API was called by each of them, with secrets that are nowhere else. */
const EXPECTED: Readonly<Record<string, object>> = {
  'api-key': { account: 'example', by: 'api_key' },
  'basic-auth': { account: 'example', by: 'basic' },
  'bearer-auth': { account: 'example', plan: 'free' },
  oauth2: { account: 'example', by: 'bearer' },
  'secret-from-env': { account: 'example' },
  'secret-while-running': [
    { account: 'example', by: 'bearer' },
    { account: 'example', by: 'bearer' },
  ],
  'stored-credential': { account: 'example', by: 'bearer' },
  'which-credential': { account: 'example', by: 'bearer' },
};

describe.each(WAYS)('the examples with a keychain, by the %s', { timeout: 120_000 }, (way) => {
  let program: WayProgram;
  let api: ChildProcess;
  let url: string;
  let config: string;
  beforeAll(async () => {
    const file = join(root, 'examples/with-api/api.mjs');
    api = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (api.stdout === null) throw new Error('the API has no output');
    [url] = await once(createInterface(api.stdout), 'line');
    const names = ['EXAMPLE_API_TOKEN', 'EXAMPLE_PASSWORD', 'EXAMPLE_API_KEY', 'EXAMPLE_CLIENT_SECRET'];
    const secrets = names.map((name) => [name, `secret-of-${name.toLowerCase()}`]);
    // The key of the credential store is kept elsewhere than for whoever runs this.
    config = mkdtempSync(join(tmpdir(), 'noetl-config-'));
    program = await openProgramBy(way, { ...Object.fromEntries(secrets), XDG_CONFIG_HOME: config });
  });
  afterAll(async () => {
    api.kill();
    await program.close();
    rmSync(config, { recursive: true });
  });

  it('are all expected to give something', () => {
    const files = readdirSync(join(root, 'examples/with-keychain')).map((file) => file.replace('.yaml', ''));
    expect(Object.keys(EXPECTED)).toEqual(files.sort());
  });

  it.each(Object.entries(EXPECTED))('%s gives what its text says', async (name, result) => {
    const data = program.newData();
    await program.run(['credential', 'set', 'example_api', '--kind', 'bearer', '--data', data], { input: 'stored-1' });
    const file = join(root, 'examples/with-keychain', `${name}.yaml`);
    const { code, stdout, stderr } = await program.run([
      'run',
      file,
      '--set',
      `api_url=${url}`,
      '--data',
      data,
      '--quiet',
    ]);
    expect([code, stderr, JSON.parse(stdout || 'null')]).toEqual([0, '', result]);
  });
});
