import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toolsUnderTest } from './task-call.testing.ts';

const under = toolsUnderTest();
const folder = mkdtempSync(join(tmpdir(), 'noetl-script-test-'));

afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});

describe('script', () => {
  it('TOOL-5: passes values as arguments, variables and standard input, never as code', async () => {
    const hostile = '"; $(touch pwned) `x` \' {{ y }}';
    const answer = await under.run(
      `kind: script
argv: ["{{ workload.v }}", "{{ 5 }}", "{{ [1, 'a'] }}"]
env: { V: "{{ workload.v }}" }
stdin: "{{ workload.v }}"
inline: |
  printf '<%s>' "$@" "$V" "$(cat)" "$NOETL_IDEMPOTENCY_KEY" '{{ 1 }}'`,
      { workload: { v: hostile } },
    );
    expect(answer.result).toEqual({
      exit_code: 0,
      stdout: `<${hostile}><5><[1,"a"]><${hostile}><${hostile}><key-of-this-visit><{{ 1 }}>`,
      stderr: '',
    });
  });

  it.each([
    ['python3', 'import sys; print(sys.argv[1])'],
    ['node', 'console.log(process.argv[2])'],
    ['bash', 'echo "$1"'],
  ])('runs with %s', async (interpreter, inline) => {
    const answer = await under.run(`kind: script\ninterpreter: ${interpreter}\nargv: [hello]\ninline: '${inline}'`);
    expect(answer.result).toMatchObject({ stdout: 'hello\n' });
  });

  it('runs a file relative to the playbook, in the folder it names', async () => {
    writeFileSync(join(folder, 'where.sh'), 'pwd; echo "$1"');
    const answer = await under.run('kind: script\nfile: where.sh\ncwd: .\nargv: [x]', { folder });
    expect(answer.result).toMatchObject({ stdout: `${folder}\nx\n` });
  });

  it('keeps the result of a script that fails, and removes its file', async () => {
    const answer = await under.run('kind: script\ninline: "echo some; exit 4; # of a script that fails"');
    expect(answer).toMatchObject({
      status: 'error',
      result: { exit_code: 4, stdout: 'some\n' },
      error: { kind: 'process.exit', details: { exit_code: 4 } },
    });
    expect(leftOver('of a script that fails')).toEqual([]);
  });

  it('does not mind a script that reads nothing of much standard input', async () => {
    const answer = await under.run('kind: script\nstdin: "{{ \'x\' * 900000 }}"\ninline: "true"');
    expect(answer.status).toBe('ok');
  });

  it.each([
    ['a file that is not there', 'file: nowhere.sh', 'task.field', /there is no file '.*nowhere\.sh'/],
    ['an unknown interpreter', 'interpreter: nolang\ninline: x', 'process.spawn', /there is no program 'nolang'/],
    [
      'arguments that are no list',
      'inline: x\nargv: "{{ 5 }}"',
      'task.field',
      /'argv' of the task 't' is 5, expected a list/,
    ],
    ['standard input that is a mapping', 'inline: x\nstdin: "{{ {} }}"', 'task.field', /is a mapping, expected text/],
  ])('says what is wrong with %s', async (_, fields, kind, message) => {
    expect((await under.run(`kind: script\n${fields}`)).error).toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it('stops in time', async () => {
    const answer = await under.run('kind: script\ninline: "sleep 60 # of a script that is stopped"', {
      signal: AbortSignal.timeout(300),
    });
    expect(answer.error).toMatchObject({ kind: 'timeout' });
    expect(leftOver('of a script that is stopped')).toEqual([]);
  });
});

/** Files of scripts that hold the words: other tests may run scripts at the same time. */
const leftOver = (words: string): readonly string[] =>
  readdirSync(tmpdir())
    .filter((name) => /^noetl-script-(?!test)/.test(name))
    .map((name) => join(tmpdir(), name, 'script'))
    .filter((file) => textIn(file).includes(words));

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
