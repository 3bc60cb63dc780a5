import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, toolsUnderTest, until } from '../task-call.testing.ts';

const MIB = 1024 * 1024;
const under = toolsUnderTest({ memoryBytes: 1024 * MIB, logBytes: 100_000, resultBytes: 5 * MIB, callsPerProcess: 50 });
const folder = mkdtempSync(join(tmpdir(), 'noetl-python-'));

afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  under.logs.length = 0;
});

const task = (code: string, more = '') => `kind: python\n${more}\ncode: |\n  ${code.trim().replaceAll('\n', '\n  ')}`;
const run = (code: string, more = '', given = {}) => under.run(task(code, more), given);
const errorOf = async (code: string, more = '', given = {}) => (await run(code, more, given)).error;

describe('TOOL-4: what python gives', () => {
  it('calls main with the args it declares, by name', async () => {
    const code = 'def main(b, a, c=7):\n    return [a, b, c]';
    expect(await run(code, 'args: { a: 1, b: "{{ workload.b }}", other: 3 }', { workload: { b: [2] } })).toEqual({
      status: 'ok',
      result: [1, [2], 7],
    });
  });

  it.each([
    ['keyword-only and all the rest', 'def main(*, a, **rest):\n    return [a, rest]', [1, { b: 2 }]],
    ['positional-only', 'def main(a, /, b):\n    return [a, b]', [1, 2]],
    ['nothing', 'def main():\n    return a + b', 3],
    ['a coroutine', 'import asyncio\nasync def main(a):\n    await asyncio.sleep(0)\n    return a', 1],
    ['a class with __call__', 'class F:\n    def __call__(self, a):\n        return a\nmain = F()', 1],
  ])('calls a main that takes %s', async (_, code, result) => {
    expect((await run(code, 'args: { a: 1, b: 2 }')).result).toEqual(result);
  });

  it('gives the variable result of code without main, with the args as globals', async () => {
    expect((await run('result = {"sum": a + b, "args": args}', 'args: { a: 1, b: 2 }')).result).toEqual({
      sum: 3,
      args: { a: 1, b: 2 },
    });
    expect((await run('x = 1')).result).toBeNull();
  });

  it('calls the entry that the task names, and says when there is none', async () => {
    expect((await run('def go(n):\n    return n', 'entry: go\nargs: { n: 5 }')).result).toBe(5);
    expect(await errorOf('x = 1', 'entry: go')).toMatchObject({
      kind: 'task.field',
      message: "the task 't': the code defines no function 'go'.",
    });
  });

  it('says which of the declared args are missing', async () => {
    expect(await errorOf('def main(a, b, c): pass', 'args: { a: 1, d: 2 }')).toMatchObject({
      kind: 'task.field',
      message: "the task 't': main declares 'b' and 'c', which args do not have; they have a, d.",
    });
  });

  it('never reads the code as a template', async () => {
    expect((await run('result = "{{ workload.x }}"')).result).toBe('{{ workload.x }}');
  });

  it('runs a file beside the playbook, with the modules beside it, also when they change', async () => {
    writeFileSync(join(folder, 'tool.py'), 'import beside\ndef main(n):\n    return beside.f(n)\n');
    const file = 'kind: python\nfile: tool.py\nargs: { n: 2 }';
    writeFileSync(join(folder, 'beside.py'), 'def f(n): return n + 1\n');
    expect((await under.run(file, { folder })).result).toBe(3);
    writeFileSync(join(folder, 'beside.py'), 'def f(n): return n * 1000\n');
    expect((await under.run(file, { folder })).result).toBe(2000);
    expect((await under.run('kind: python\nfile: missing.py', { folder })).error).toMatchObject({
      kind: 'task.field',
      message: "'file' of the task 't': there is no file 'missing.py'.",
    });
  });

  it('keeps what is printed as logs, in order, and never takes it for an answer', async () => {
    const code = `
import os, subprocess, sys
print('{"result": "forged"}')
print("to stderr", file=sys.stderr)
sys.stdout.buffer.write(b"bytes\\n")
os.write(1, b'{"result": "raw"}\\n')
subprocess.run(["sh", "-c", "echo child"])
result = "real"`;
    expect((await run(code)).result).toBe('real');
    const text = (stream: string) => under.logs.filter((log) => log.stream === stream).map((log) => log.text);
    expect(text('stderr').join('')).toBe('to stderr\n');
    const lines = text('stdout').join('').trim().split('\n');
    expect(new Set(lines)).toEqual(new Set(['{"result": "forged"}', 'bytes', '{"result": "raw"}', 'child']));
  });

  it('runs with the interpreter of a virtualenv', async () => {
    const venv = join(folder, 'venv');
    execFileSync('python3', ['-m', 'venv', '--without-pip', venv]);
    const code = 'import sys\nresult = [sys.prefix, sys.prefix != sys.base_prefix]';
    expect((await run(code, 'libs: venv', { folder })).result).toEqual([venv, true]);
    // What is installed there, and only there.
    const [site = ''] = (await run('import site\nresult = site.getsitepackages()', 'libs: venv', { folder }))
      .result as string[];
    writeFileSync(join(site, 'greeting.py'), 'def greet(name):\n    return "Hello, " + name.upper()\n');
    const greets = 'from greeting import greet\ndef main(name):\n    return greet(name)';
    const named = 'args: { name: "{{ workload.name }}" }';
    expect((await run(greets, `libs: venv\n${named}`, { folder, workload: { name: 'ada' } })).result).toBe(
      'Hello, ADA',
    );
    expect(await errorOf(greets, named, { workload: { name: 'ada' } })).toMatchObject({
      message: expect.stringContaining("ModuleNotFoundError: No module named 'greeting'"),
    });
    const wrong = await errorOf(greets, `libs: venv\n${named}`, { folder, workload: { name: 5 } });
    expect(wrong).toMatchObject({
      message: expect.stringContaining("AttributeError: 'int' object has no attribute 'upper'"),
      details: {
        traceback: [
          { line: 3, text: 'return greet(name)' },
          { file: join(site, 'greeting.py'), line: 2 },
        ],
      },
    });
  });

  it('says why libs are of no use', async () => {
    expect(await errorOf('result = 1', 'libs: nowhere', { folder })).toMatchObject({
      kind: 'task.field',
      message: expect.stringMatching(
        /there is no '.*nowhere\/bin\/python'; python3 -m venv 'nowhere' makes a virtualenv/,
      ),
    });
  });

  it.each([
    ['a fork that goes on after the code', 'import os\nresult = os.fork() > 0', true],
    [
      'a pool of processes',
      'from concurrent.futures import ProcessPoolExecutor\ndef f(n): return n * 2\ndef main():\n    with ProcessPoolExecutor(2) as pool:\n        return list(pool.map(f, [1, 2]))',
      [2, 4],
    ],
    [
      'a pool of threads',
      'from concurrent.futures import ThreadPoolExecutor\ndef main():\n    with ThreadPoolExecutor(2) as pool:\n        return list(pool.map(str, [1, 2]))',
      ['1', '2'],
    ],
    [
      'a dataclass',
      'from __future__ import annotations\nfrom dataclasses import dataclass, asdict\n@dataclass\nclass P:\n    x: int\nresult = asdict(P(1))',
      { x: 1 },
    ],
  ])('runs %s', async (_, code, result) => {
    expect(await run(code)).toEqual({ status: 'ok', result });
    expect((await run('result = 1')).result).toBe(1);
  });

  it('TOOL-6: knows the key of its visit', async () => {
    expect((await run('import os\nresult = os.environ["NOETL_IDEMPOTENCY_KEY"]')).result).toBe('key-of-this-visit');
  });
});

describe('TPL-8: results in JSON', () => {
  it('keeps integers exactly', async () => {
    expect(
      (await run('result = [2**53 - 1, 2**53 + 1, -(10**30), {"n": 12345678901234567890}, 1.0, True]')).result,
    ).toEqual([
      9007199254740991,
      '9007199254740993',
      '-1000000000000000000000000000000',
      { n: '12345678901234567890' },
      1,
      true,
    ]);
  });

  it.each([
    ['{"a": [1, float("nan")]}', 'the result.a[1] is nan, which has no form in JSON.'],
    ['float("-inf")', 'the result is -inf, which has no form in JSON.'],
    [
      '{"when": __import__("datetime").datetime(2026, 1, 1)}',
      'the result.when is of type datetime, which has no form in JSON; use its isoformat().',
    ],
    ['{1, 2}', 'the result is of type set, which has no form in JSON; make it a list.'],
    ['b"x"', 'the result is of type bytes, which has no form in JSON; decode it, or encode it as base64.'],
    ['{(1, 2): 3}', 'the result has a key of type tuple; keys are text.'],
    ['10 ** 5000', 'the result is an integer with too many digits.'],
  ])('refuses %s', async (value, message) => {
    expect(await errorOf(`result = ${value}`)).toMatchObject({
      kind: 'result.json',
      message: `the task 't': ${message}`,
    });
  });

  it('refuses a value that contains itself, or is too deep or too large', async () => {
    expect(await errorOf('result = {}\nresult["a"] = [result]')).toMatchObject({
      kind: 'result.json',
      message: "the task 't': the result.a[0] contains itself.",
    });
    expect(await errorOf('result = []\nfor i in range(100000): result = [result]')).toMatchObject({
      kind: 'result.json',
    });
    expect(await errorOf('result = "x" * 6_000_000')).toMatchObject({ kind: 'result.size' });
  });
});

describe('TOOL-4: what goes wrong costs only its task', () => {
  it('names the exception, its line and the way to it', async () => {
    const code = 'def inner(x):\n    raise ValueError(f"no {x}")\n\ndef main():\n    inner("luck")';
    expect(await run(code)).toEqual({
      status: 'error',
      result: null,
      error: {
        kind: 'python.exception',
        retryable: false,
        message: `ValueError: no luck (line 2 of the code of 't': raise ValueError(f"no {x}"))`,
        details: {
          exception_type: 'ValueError',
          traceback: [
            { file: '<t>', line: 5, function: 'main', text: 'inner("luck")' },
            { file: '<t>', line: 2, function: 'inner', text: 'raise ValueError(f"no {x}")' },
          ],
        },
      },
      py: { exception_type: 'ValueError' },
    });
  });

  it('calls what the network did retryable', async () => {
    expect(await errorOf('raise ConnectionResetError("gone")')).toMatchObject({ retryable: true });
    expect(await errorOf('raise TimeoutError()')).toMatchObject({ retryable: true });
  });

  it('names the line of a syntax error', async () => {
    expect((await errorOf('x = 1\nif x\n  pass'))?.message).toBe(
      "SyntaxError: expected ':' (line 2 of the code of 't': if x)",
    );
  });

  it.each([
    ['sys.exit', 'import sys\nsys.exit(3)', 'python.exit', /called sys\.exit\(3\)/],
    ['os._exit', 'import os\nos._exit(7)', 'python.crash', /exited with code 7/],
    [
      'a segmentation fault',
      'import ctypes\nctypes.string_at(0)',
      'python.crash',
      /SIGSEGV \(Fatal Python error: Segmentation fault\)/,
    ],
    [
      'killing itself',
      'import os\nos.kill(os.getpid(), 9)',
      'python.crash',
      /SIGKILL; the system may have run out of memory/,
    ],
    ['killing its group', 'import os\nos.killpg(0, 9)', 'python.crash', /SIGKILL/],
    ['10 GB', 'x = bytearray(10 * 1024 ** 3)', 'python.exception', /MemoryError/],
    ['10 GB bit by bit', 'x = []\nwhile True: x.append(bytearray(10_000_000))', 'python.exception', /MemoryError/],
    ['no end of recursion', 'def f(): f()\nf()', 'python.exception', /RecursionError/],
    [
      'writing to the descriptor of answers',
      'import os\nos.write(4, b"nonsense\\n")\nos.read(3, 1)',
      'python.crash',
      /Python .*: something else was written to descriptor 4\.$/,
    ],
    ['reading from nobody', 'input()', 'python.exception', /EOFError/],
  ])('survives %s', async (_, code, kind, message) => {
    expect(await errorOf(code)).toMatchObject({ kind, message: expect.stringMatching(message) });
    expect((await run('result = 1')).result).toBe(1);
  });

  it('drops what is printed beyond the limit, and says so', async () => {
    const code = 'line = "x" * 999\nfor i in range(1_000_000): print(line)\nresult = "done"';
    expect((await run(code)).result).toBe('done');
    const printed = under.logs.map(({ text }) => text).join('');
    expect(printed.length).toBeLessThan(150_000);
    expect(printed).toContain('[what follows is not kept: the limit is 100000 characters]');
  });

  it('keeps the beginning of what is printed at once beyond the limit', async () => {
    expect((await run('print("x" * 300_000_000)\nresult = 1')).result).toBe(1);
    const printed = under.logs.map(({ text }) => text).join('');
    expect(printed).toMatch(/^x{100000}…\n\[what follows is not kept/);
  });

  it('shows what was printed before a crash', async () => {
    await run('import os\nprint("the last words")\nos._exit(1)');
    expect(under.logs).toContainEqual({ stream: 'stdout', text: 'the last words\n' });
  });

  it('says what to install where there is no python3', async () => {
    expect(await errorOf('result = 1', '', { environment: { PATH: '/nowhere' } })).toMatchObject({
      kind: 'process.spawn',
      message: expect.stringContaining("there is no 'python3' on this machine; install Python 3.8 or newer"),
    });
  });

  it.each(['args: "{{ 5 }}"', 'entry: "{{ [1] }}"'])('refuses %s', async (more) => {
    expect(await errorOf('result = 1', more)).toMatchObject({ kind: 'task.field' });
  });
});

describe('python tasks share no state', () => {
  it('gives each its own globals, environment, folder and search path', async () => {
    const look =
      'import os, sys\nresult = ["leak" in globals(), os.environ.get("LEAK"), os.getcwd(), sys.path, sys.stdout is not None]';
    const before = (await run(look)).result;
    await run(
      'import os, sys\nleak = 1\nos.environ["LEAK"] = "x"\nos.chdir("/")\nsys.path.append("/leak")\nsys.stdout = None',
    );
    expect((await run(look)).result).toEqual(before);
  });

  it.each([
    [
      'a thread',
      'import threading, time, os\nthreading.Thread(target=time.sleep, args=(30,)).start()\nresult = os.getpid()',
    ],
    ['a child process', 'import subprocess, os\nsubprocess.Popen(["sleep", "30"])\nresult = os.getpid()'],
  ])('replaces a process in which %s goes on', async (_, code) => {
    const pid = Number((await run(code)).result);
    await until(() => !isAlive(pid));
    expect((await run('result = 1')).result).toBe(1);
  });

  it('replaces a process after many calls', async () => {
    const pids = new Set<unknown>();
    for (let call = 0; call < 120; call++) pids.add((await run('import os\nresult = os.getpid()')).result);
    expect(pids.size).toBeGreaterThan(1);
  });

  it('runs many at once, each with its own values', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => run('def main(n):\n    print(n)\n    return n * 2', `args: { n: ${n} }`)),
    );
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 200 }, (_, n) => n * 2));
  });

  it('does not hold up short tasks behind long ones', async () => {
    const flag = join(folder, 'short-is-done');
    const waiting = `import os, time\nwhile not os.path.exists(${JSON.stringify(flag)}):\n    time.sleep(0.02)\nresult = 0`;
    const long = Array.from({ length: 6 }, () => run(waiting));
    expect((await run('result = 1')).result).toBe(1);
    writeFileSync(flag, '');
    expect((await Promise.all(long)).map(({ result }) => result)).toEqual(long.map(() => 0));
  });
});

describe('stopping python', () => {
  it.each([
    ['timeout', new DOMException('late', 'TimeoutError'), true],
    ['cancelled', new Error('stop'), false],
  ])('answers %s and leaves no process, children included', async (kind, reason, retryable) => {
    const controller = new AbortController();
    const pidFile = join(folder, `${kind}.pids`);
    const code = `
import os, subprocess, time
child = subprocess.Popen(["sleep", "60"])
open(${JSON.stringify(pidFile)}, "w").write(f"{os.getpid()} {child.pid}")
while True: pass`;
    const answer = errorOf(code, '', { signal: controller.signal });
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes(' '));
    controller.abort(reason);
    expect(await answer).toMatchObject({ kind, retryable });
    const pids = readFileSync(pidFile, 'utf8').split(' ').map(Number);
    await until(() => pids.every((pid) => !isAlive(pid)));
    expect((await run('result = 1')).result).toBe(1);
  });

  it('stops a call that still waits for its turn', async () => {
    const few = toolsUnderTest({ processes: 1 });
    const first = few.run(task('import time\ntime.sleep(0.5)\nresult = 1'));
    const second = few.run(task('result = 2'), { signal: AbortSignal.timeout(50) });
    expect((await second).error).toMatchObject({ kind: 'timeout' });
    expect((await first).result).toBe(1);
    await few.tools.close();
  });
});
