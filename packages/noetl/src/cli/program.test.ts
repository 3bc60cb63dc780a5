import { describe, expect, it } from 'vitest';
import { noetl } from './scripted-terminal.testing.ts';

describe('the command line', () => {
  it('prints its version', async () => {
    expect(await noetl(['--version'])).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
  });

  it('prints its help on standard output when asked', async () => {
    for (const args of [['--help'], ['help'], ['-h']]) {
      const { exitCode, stdout, stderr } = await noetl(args);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: noetl /);
    }
    expect((await noetl(['render', '--help'])).stdout).toMatch(/^Usage: noetl render /);
    expect((await noetl(['help', 'render'])).stdout).toMatch(/^Usage: noetl render /);
  });

  it('answers a misuse with exit code 2, a sentence on standard error and nothing else', async () => {
    const misuse = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await noetl(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      return stderr;
    };
    expect(await misuse()).toMatch(/^Usage: noetl /);
    expect(await misuse('rendr')).toBe("error: unknown command 'rendr'\n(Did you mean render?)\n");
    expect(await misuse('render')).toBe("error: missing required argument 'template'\n");
    expect(await misuse('render', 'x', '--jsn')).toBe("error: unknown option '--jsn'\n(Did you mean --json?)\n");
    expect(await misuse('render', 'x', '--scope')).toMatch(/^error: option '-s, --scope <file>' argument missing\n$/);
    expect(await misuse('render', 'x', 'y')).toMatch(/^error: too many arguments for 'render'/);
    for (const verb of [['list'], ['events', 'id'], ['logs', 'id']]) {
      expect(await misuse('exec', ...verb, '--limit', '0')).toMatch(
        /^error: .*'0' is invalid\. expected a whole number from 1/,
      );
    }
    for (const port of ['', ' ', '0x1f', '-1', '80.5']) {
      expect(await misuse('server', 'start', '--port', port)).toMatch(/ is invalid\. expected a whole number\.\n$/);
    }
    expect(await misuse('run', '-', '--payload', '-')).toBe(
      'error: the playbook and --payload cannot both be read from standard input. Put one of them into a file.\n',
    );
    expect(await misuse('run', 'x.yaml', '--json', '--quiet')).toMatch(
      /^error: option '--quiet' cannot be used with option '--json'/,
    );
    expect(await misuse('completion', 'tcsh')).toMatch(/^error: .*Allowed choices are bash, zsh, fish\.\n$/);
  });
});
