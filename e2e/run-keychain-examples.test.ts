import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program, root } from './program.testing.ts';

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

describe('the examples with a keychain', { timeout: 120_000 }, () => {
  let program: Program;
  let api: ChildProcess;
  let url: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    program = openProgram();
    const file = join(root, 'examples/with-api/api.mjs');
    api = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (api.stdout === null) throw new Error('the API has no output');
    [url] = await once(createInterface(api.stdout), 'line');
    const names = ['EXAMPLE_API_TOKEN', 'EXAMPLE_PASSWORD', 'EXAMPLE_API_KEY', 'EXAMPLE_CLIENT_SECRET'];
    const secrets = names.map((name) => [name, `secret-of-${name.toLowerCase()}`]);
    env = { ...Object.fromEntries(secrets), XDG_CONFIG_HOME: join(program.folder, 'config') };
  });
  afterAll(async () => {
    api.kill();
    await program.close();
  });

  it('are all expected to give something', () => {
    const files = readdirSync(join(root, 'examples/with-keychain')).map((file) => file.replace('.yaml', ''));
    expect(Object.keys(EXPECTED)).toEqual(files.sort());
  });

  it.each(Object.entries(EXPECTED))('%s gives what its text says', async (name, result) => {
    const data = program.newData();
    await program.run(['credential', 'set', 'example_api', '--kind', 'bearer', '--data', data], {
      env,
      input: 'stored-1',
    });
    const file = join(root, 'examples/with-keychain', `${name}.yaml`);
    const { code, stdout, stderr } = await program.run(
      ['run', file, '--set', `api_url=${url}`, '--data', data, '--quiet'],
      { env },
    );
    expect([code, stderr, JSON.parse(stdout || 'null')]).toEqual([0, '', result]);
  });
});
