import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, runningProcesses, toolsUnderTest, until } from './task-call.testing.ts';

const under = toolsUnderTest({ outputCharacters: 100_000 });
const folder = mkdtempSync(join(tmpdir(), 'noetl-shell-'));

afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  under.logs.length = 0;
});

const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned;',
  '" ; touch pwned; "',
  "' ; touch pwned; '",
  '\\" && touch pwned #',
  '* ? [a-z] ~',
  'two  words\tand\nlines',
  '$HOME $PATH',
  '-n',
  '',
  '\u{F0000}0\u{F0001}',
  '\'"\'"',
];

describe('shell', () => {
  it('gives exit code and output, and logs them', async () => {
    expect(await under.run('kind: shell\ncommand: [sh, -c, "echo out; echo err >&2"]')).toEqual({
      status: 'ok',
      result: { exit_code: 0, stdout: 'out\n', stderr: 'err\n' },
    });
    expect(under.logs).toContainEqual({ stream: 'stdout', text: 'out\n' });
    expect(under.logs).toContainEqual({ stream: 'stderr', text: 'err\n' });
  });

  it.each(HOSTILE)('TOOL-5: passes %j as one argument of a command', async (value) => {
    const answer = await under.run(
      'kind: shell\ncwd: .\ncommand: [printf, "<%s>", "{{ workload.v }}", "a{{ workload.v }}b"]',
      {
        workload: { v: value },
        folder,
      },
    );
    expect(answer.result).toMatchObject({ stdout: `<${value}><a${value}b>` });
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it.each(HOSTILE)('TOOL-5: passes %j to lines as a variable, one word wherever it stands', async (value) => {
    const answer = await under.run(
      `kind: shell
cwd: .
cmds:
  - printf '<%s>' {{ workload.v }} x{{ workload.v }}y
  - printf '<%s>' "{{ workload.v }}" "it's {{ workload.v }}" # it's {{ workload.v }}
  - |
    printf '<%s>' '{{ workload.v }}' 'say "{{ workload.v }}"'
  - printf '<%s>' "$(printf '%s.' {{ workload.v }})" "$(printf '%s.' "{{ workload.v }}")"`,
      { workload: { v: value }, folder },
    );
    const v = value;
    expect(answer.result).toMatchObject({
      stdout: `<${v}><x${v}y><${v}><it's ${v}><${v}><say "${v}"><${v}.><${v}.>`,
      exit_code: 0,
    });
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it.each(HOSTILE)('TOOL-5: passes %j to here-documents as it is', async (value) => {
    const answer = await under.run(
      `kind: shell
cwd: .
cmds:
  - |
    cat <<EOF - # it's one
    <{{ workload.v }}> "{{ workload.v }}" it's $(printf '%s.' {{ workload.v }})
     EOF
    EOF
    printf '<%s>' {{ workload.v }}
  - cat <<'A' && cat <<-"B"
  - plain $HOME
  - A
  - "it's"
  - "\tB"
  - printf '<%s>' {{ workload.v }}`,
      { workload: { v: value }, folder },
    );
    expect(answer.result).toMatchObject({
      stdout: `<${value}> "${value}" it's ${value}.\n EOF\n<${value}>plain $HOME\nit's\n<${value}>`,
      exit_code: 0,
    });
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('evaluates statements around the values of lines', async () => {
    const answer = await under.run(
      `kind: shell
cmds: 'echo{% for x in workload.xs %} {{ x + 1 }}{% if not loop.last %},{% endif %}{% endfor %}'`,
      { workload: { xs: [1, 2] } },
    );
    expect(answer.result).toMatchObject({ stdout: '2, 3\n' });
  });

  it.each([
    ['arithmetic', 'cmds: ["echo $(( {{ workload.v }} + 1 ))"]', /inside of \$\(\( \)\)/],
    [
      'a here-document that is taken as it is',
      `cmds: ["cat <<'A'", "{{ workload.v }}", A]`,
      /write <<A without quotes/,
    ],
    ['a here-document without an end', 'cmds: ["cat <<A", "{{ workload.v }}"]', /ends with 'A' does not end/],
    ['text made of values', 'cmds: ["{% filter upper %}echo {{ workload.v }}{% endfilter %}"]', /filter-block/],
    ['a command that is text', 'command: "{{ workload.v }}"', /expected a list/],
    ['a variable without a name', 'command: [ls]\nenv: { "": x }', /has '', which is no name/],
    [
      'TOOL-6: the key of the visit in the name of a variable',
      'command: [env]\nenv: { "NOETL_IDEMPOTENCY_KEY=mine": x }',
      /has 'NOETL_IDEMPOTENCY_KEY=mine', which is no name/,
    ],
    ['variables that are a list', 'command: [ls]\nenv: "{{ [1] }}"', /expected a mapping/],
  ])('refuses %s', async (_, fields, message) => {
    expect((await under.run(`kind: shell\n${fields}`, { workload: { v: 'x' } })).error).toMatchObject({
      kind: 'task.field',
      message: expect.stringMatching(message),
    });
  });

  it('gives variables of its own over those of the worker, and the key of the visit over all', async () => {
    const answer = await under.run(
      `kind: shell\nenv: { A: "{{ [1] }}", B: 2, NOETL_IDEMPOTENCY_KEY: mine }\ncmds: echo $A $B $C $NOETL_IDEMPOTENCY_KEY`,
      { environment: { PATH: process.env.PATH, B: 'old', C: 'kept' } },
    );
    expect(answer.result).toMatchObject({ stdout: '[1] 2 kept key-of-this-visit\n' });
  });

  it('ends with the first line that fails', async () => {
    expect((await under.run('kind: shell\ncmds: [echo one, "false", echo two]')).result).toEqual({
      exit_code: 1,
      stdout: 'one\n',
      stderr: '',
    });
  });

  it('makes an exit code other than 0 an error that keeps the result', async () => {
    expect(await under.run('kind: shell\ncommand: [sh, -c, "echo some; echo why >&2; exit 3"]')).toEqual({
      status: 'error',
      result: { exit_code: 3, stdout: 'some\n', stderr: 'why\n' },
      error: {
        kind: 'process.exit',
        retryable: false,
        message: "'sh' of the task 't' ended with exit code 3: why",
        details: { exit_code: 3, signal: null },
      },
    });
  });

  it('says which signal ended a program', async () => {
    expect((await under.run('kind: shell\ncommand: [sh, -c, "kill -9 $$"]')).error).toMatchObject({
      kind: 'process.signal',
      message: "'sh' of the task 't' was ended by SIGKILL.",
    });
  });

  it('stops a program that writes too much, and keeps the beginning', async () => {
    const answer = await under.run('kind: shell\ncommand: [sh, -c, "yes | head -c 1000000000"]');
    expect(answer.error).toMatchObject({ kind: 'process.output' });
    expect((answer.result as { stdout: string }).stdout).toMatch(/^[y\n]{100000}…$/);
  });

  it('keeps the end of much standard error, and replaces what is no UTF-8', async () => {
    const answer = await under.run(
      'kind: shell\ncommand: [sh, -c, "yes err | head -c 10000000 >&2; printf \'a\\\\377b\'"]',
    );
    const { stdout, stderr } = answer.result as { stdout: string; stderr: string };
    expect(stdout).toBe('a\uFFFDb');
    expect(stderr.length).toBeLessThan(200_000);
    expect(stderr).toMatch(/^\[\d+ characters left out\]\n/);
  });

  it.each([
    ['no such program', 'command: [no-such-program]', /there is no program 'no-such-program' on this machine/],
    ['no such folder', 'command: [ls]\ncwd: ./nowhere', /or no folder '.*nowhere'/],
    ['no program', 'command: []', /empty where a program is expected/],
    ['a zero byte', 'command: [echo, "a\\0b"]', /zero byte/],
    ['not executable', 'command: [/etc/passwd]', /may not be run/],
    ['too long', 'command: [echo, "{{ \'x\' * 300000 }}"]', /longer than the system allows/],
  ])('says what is wrong with %s', async (_, fields, message) => {
    expect((await under.run(`kind: shell\n${fields}`)).error).toMatchObject({
      kind: 'process.spawn',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['a program', 'sleep 60'],
    ['one that ignores the polite signal', "trap '' TERM; sleep 60; sleep 60"],
    ['children in the background', 'sleep 60 & sleep 60'],
  ])('stops %s, and leaves no process', async (_, line) => {
    const controller = new AbortController();
    const pids = join(folder, 'pids');
    rmSync(pids, { force: true });
    const answer = under.run(`kind: shell\ncwd: .\ncommand: [sh, -c, "echo $$ > pids; ${line}"]`, {
      folder,
      signal: controller.signal,
    });
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8') !== '');
    controller.abort(new DOMException('late', 'TimeoutError'));
    expect((await answer).error).toMatchObject({ kind: 'timeout', retryable: true });
    const group = Number(readFileSync(pids, 'utf8'));
    await until(() => !runningProcesses().some((running) => running.group === group));
  });

  it('leaves nothing behind that a program started in the background', async () => {
    const answer = await under.run('kind: shell\ncmds: ["sleep 60 & echo $!"]');
    const pid = Number((answer.result as { stdout: string }).stdout);
    await until(() => !isAlive(pid));
  });

  it('does not start what is already stopped', async () => {
    const answer = await under.run('kind: shell\ncommand: [sleep, "60"]', { signal: AbortSignal.abort() });
    expect(answer.error).toMatchObject({ kind: 'cancelled' });
  });
});
