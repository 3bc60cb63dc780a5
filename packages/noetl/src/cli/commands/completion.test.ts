import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { noetl } from '../scripted-terminal.testing.ts';

/** What bash proposes for the last of `words`. */
async function proposals(...words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await noetl(['completion', 'bash']);
  const type = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _noetl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${type}`, 'bash', 'noetl', ...words], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it('proposes commands, then their options and fixed arguments, in bash', async () => {
    expect(await proposals('')).toEqual(
      expect.arrayContaining(['render', 'completion', 'help', '--version', '--help']),
    );
    expect(await proposals('re')).toEqual(['render']);
    expect(await proposals('schema', '--')).toEqual(['--json', '--help']);
    expect(await proposals('render', '--')).toEqual(['--scope', '--json', '--help']);
    expect(await proposals('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
  });

  it('leaves the value of an option to the completion of files', async () => {
    expect(await proposals('render', '--scope', '')).toEqual([]);
    expect(await proposals('render', '-s', '')).toEqual([]);
    expect(await proposals('render', '-s', 'file', '--j')).toEqual(['--json']);
  });

  it('proposes the words that an option takes, for its command', async () => {
    expect(await proposals('validate', '--format', '')).toEqual(['pretty', 'json', 'github']);
    expect(await proposals('graph', '-f', 'd')).toEqual(['dot']);
    expect(await proposals('init', 'orders', '--template', '')).toEqual(['http', 'etl', 'loop', 'pagination']);
    expect(await proposals('validate', '--format', 'json', '--s')).toEqual(['--strict']);
  });

  it('knows every command and option in every shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { exitCode, stdout } = await noetl(['completion', shell]);
      expect(exitCode).toBe(0);
      for (const word of ['render', 'completion', 'scope', 'json', 'version', 'validate', 'pagination'])
        expect(stdout).toContain(word);
    }
  });
});
