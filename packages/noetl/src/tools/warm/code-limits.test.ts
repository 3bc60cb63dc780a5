import { afterAll, describe, expect, it } from 'vitest';
import { isAlive, toolsUnderTest, until } from '../task-call.testing.ts';

const under = toolsUnderTest();
afterAll(() => under.tools.close());

const run = (kind: string, limits: string, code: string) =>
  under.run(`kind: ${kind}\nspec: { limits: ${limits} }\ncode: |\n  ${code.replaceAll('\n', '\n  ')}`);

describe('spec.limits of code', () => {
  it.each([
    ['python', 'a loop', 'while True: pass'],
    ['python', 'a loop in C', 'sum(range(10 ** 12))'],
    [
      'python',
      'code that catches everything',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    ],
    ['javascript', 'a loop', 'for (;;);'],
    ['javascript', 'a regular expression', '/^(a+)+$/.test("a".repeat(40) + "b");'],
    ['javascript', 'an async loop', 'for (;;) await null;'],
  ])('cpu ends %s: %s', async (kind, _, code) => {
    expect(await run(kind, '{ cpu: 0.3 }', code)).toMatchObject({
      status: 'error',
      error: {
        kind: `${kind}.cpu`,
        retryable: false,
        message:
          "the code of the task 't' was stopped: it used more than 0.3 s of CPU time, which spec.limits.cpu allows.",
        details: { cpu: 0.3 },
      },
    });
    expect(await run(kind, '{ cpu: 5 }', 'result = 1')).toMatchObject({ status: 'ok', result: 1 });
  });

  it.each([
    ['python', 'import time\ntime.sleep(0.5)\nresult = 1'],
    ['javascript', 'await new Promise((wake) => setTimeout(wake, 500));\nresult = 1;'],
  ])('cpu does not count waiting, nor what earlier tasks used, in %s', async (kind, code) => {
    const busy =
      kind === 'python' ? 'sum(range(10_000_000))\nresult = 1' : 'for (let i = 0; i < 3e8; i++);\nresult = 1;';
    expect(await run(kind, '{ memory: 4096 }', busy)).toMatchObject({ status: 'ok' });
    expect(await run(kind, '{ memory: 4096, cpu: 0.3 }', code)).toMatchObject({ status: 'ok', result: 1 });
  });

  it.each([
    ['python', 'x = bytearray(300 * 1024 ** 2)\nresult = 1', 'python.exception', /MemoryError/],
    ['python', 'x = []\nwhile True: x.append("y" * 1000)', 'python.exception', /MemoryError/],
    ['javascript', 'const x = [];\nfor (;;) x.push(new Array(1e5).fill(1.5));', 'javascript.crash', /memory was full/],
    // Outside of what Node counts as its heap.
    ['javascript', 'const x = [];\nfor (;;) x.push(Buffer.alloc(1e7, 1));', 'javascript.crash', /memory was full/],
  ])('memory ends %s: %s', async (kind, code, error, message) => {
    expect(await run(kind, '{ memory: 128 }', code)).toMatchObject({
      error: { kind: error, message: expect.stringMatching(message) },
    });
    expect(await run(kind, '{ memory: 128 }', 'result = 1')).toMatchObject({ status: 'ok', result: 1 });
  });

  it('of many kinds leave few processes behind', async () => {
    const few = toolsUnderTest();
    const pids: number[] = [];
    for (let memory = 200; memory < 212; memory++) {
      const task = `kind: python\nspec: { limits: { memory: ${memory} } }\ncode: |\n  import os\n  result = os.getpid()`;
      pids.push(Number((await few.run(task)).result));
    }
    expect(new Set(pids).size).toBe(12);
    await until(() => pids.filter(isAlive).length <= 6);
    expect((await few.run('kind: python\nspec: { limits: { memory: 200 } }\ncode: result = 1')).result).toBe(1);
    await few.tools.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it.each([
    ['python', 'x = bytearray(300 * 1024 ** 2)\nresult = len(x) > 0'],
    ['javascript', 'const x = Buffer.alloc(3e8, 1);\nresult = x.length > 0;'],
  ])('memory of one task of %s is not that of another', async (kind, code) => {
    expect(await run(kind, '{ memory: 128 }', 'result = 1')).toMatchObject({ status: 'ok' });
    expect(await run(kind, '{ memory: 1024 }', code)).toMatchObject({ status: 'ok', result: true });
  });
});
