import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { built, main } from './program.testing.ts';

const terminals = spawnSync('script', ['--version']).status === 0;

describe.skipIf(!terminals)('SEC-2: noetl credential set on a terminal', { timeout: 60_000 }, () => {
  let folder: string;
  beforeEach(() => {
    built();
    folder = mkdtempSync(join(tmpdir(), 'noetl-prompt-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What the terminal shows while somebody types an answer to each question. */
  async function typing(answers: readonly string[]): Promise<string> {
    const command = `'${process.execPath}' '${main}' credential set door --kind basic --data '${folder}/data'`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    const left = [...answers];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      if (/ - The \w+\. $/.test(shown)) child.stdin.write(left.shift() ?? '');
    });
    await once(child, 'close');
    return shown.replaceAll('\r', '');
  }

  it('shows the user name while it is typed, and nothing of the password', async () => {
    const shown = await typing(['adx\u007fa\r', 'pass-word-1234\r']);
    expect(shown).toContain('username - The user. adx\b \ba\n');
    expect(shown).toContain('password - The password. \n');
    expect(shown).toContain("kept 'door' (basic: username, password).");
    expect(shown).not.toContain('pass-word');
    const stored = readdirSync(join(folder, 'data')).map((name) => readFileSync(join(folder, 'data', name), 'latin1'));
    expect(stored.join()).not.toContain('pass-word-1234');
  });

  it('keeps nothing after Ctrl-C', async () => {
    const shown = await typing(['ada\r', 'pass\u0003']);
    expect(shown).toContain('Nothing was kept.');
    expect(shown).not.toContain('pass\n');
    expect(readdirSync(folder)).not.toContain('data');
  });
});
