import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, toolsUnderTest, until } from '../task-call.testing.ts';

const MIB = 1024 * 1024;
const under = toolsUnderTest({ memoryBytes: 64 * MIB, logBytes: 100_000, resultBytes: 5 * MIB, callsPerProcess: 50 });
const folder = mkdtempSync(join(tmpdir(), 'noetl-javascript-'));

afterAll(async () => {
  await under.tools.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  under.logs.length = 0;
});

const task = (code: string, more = '') =>
  `kind: javascript\n${more}\ncode: |\n  ${code.trim().replaceAll('\n', '\n  ')}`;
const run = (code: string, more = '', given = {}) => under.run(task(code, more), given);
const errorOf = async (code: string, more = '', given = {}) => (await run(code, more, given)).error;

describe('what javascript gives', () => {
  it.each([
    ['main with one object', 'function main({ a, b }) { return [b, a]; }', [2, 1]],
    ['an async main', 'async function main({ a }) { await new Promise((r) => setTimeout(r, 5)); return a; }', 1],
    ['main as a constant', 'const main = ({ a }) => a + 1;', 2],
    ['the variable result', 'result = a + b;', 3],
    ['a constant result', 'const result = { a };', { a: 1 }],
    ['names of its own over those of args', 'const a = 5;\nconst result = a;', 5],
    ['args as a whole', 'result = args;', { a: 1, b: 2, 'not a name': 3 }],
    ['an await at the top', 'result = await Promise.resolve(a);', 1],
    ['modules of Node', "const { basename } = require('node:path');\nresult = basename('/x/y');", 'y'],
    ['an import', "const { basename } = await import('node:path');\nresult = basename('/x/y');", 'y'],
    ['a comment at the end', 'result = 1; // done', 1],
    ['nothing', 'const x = 1;', null],
  ])('gives %s', async (_, code, result) => {
    expect(await run(code, 'args: { a: 1, b: 2, "not a name": 3 }')).toEqual({ status: 'ok', result });
  });

  it('calls the entry that the task names, and says when there is none', async () => {
    expect((await run('function go({ n }) { return n; }', 'entry: go\nargs: { n: 5 }')).result).toBe(5);
    expect(await errorOf('const x = 1;', 'entry: go')).toMatchObject({ kind: 'task.field' });
    expect(await errorOf('const x = 1;', 'entry: "a b"')).toMatchObject({ kind: 'task.field' });
  });

  it('runs files beside the playbook, with modules from libs', async () => {
    mkdirSync(join(folder, 'lib/node_modules/twice'), { recursive: true });
    writeFileSync(join(folder, 'lib/node_modules/twice/index.js'), 'module.exports = (n) => n * 2;');
    writeFileSync(
      join(folder, 'tool.js'),
      "const twice = require('twice');\nfunction main({ n }) { return twice(n); }",
    );
    writeFileSync(join(folder, 'tool.mjs'), 'export const main = ({ n }) => n + 1;');
    expect((await under.run('kind: javascript\nfile: tool.js\nlibs: lib\nargs: { n: 4 }', { folder })).result).toBe(8);
    expect((await under.run('kind: javascript\nfile: tool.mjs\nargs: { n: 4 }', { folder })).result).toBe(5);
    expect((await under.run('kind: javascript\nfile: nowhere.js', { folder })).error).toMatchObject({
      kind: 'task.field',
    });
  });

  it('imports modules from libs, and from beside the playbook', async () => {
    mkdirSync(join(folder, 'lib/node_modules/thrice'), { recursive: true });
    const manifest = { name: 'thrice', type: 'module', exports: { import: './main.js' } };
    writeFileSync(join(folder, 'lib/node_modules/thrice/package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'lib/node_modules/thrice/main.js'), 'export const thrice = (n) => n * 3;');
    writeFileSync(join(folder, 'beside.mjs'), 'export const beside = 7;');
    const code = 'const { thrice } = await import("thrice");\nresult = thrice(2);';
    expect((await run(code, 'libs: lib', { folder })).result).toBe(6);
    const other = 'const { beside } = await import("./beside.mjs");\nresult = beside;';
    expect((await run(other, '', { folder })).result).toBe(7);
    expect(await errorOf(code, '', { folder })).toMatchObject({
      kind: 'javascript.exception',
      message: expect.stringMatching(/Cannot find package 'thrice'.*in the code of 't'/),
    });
  });

  it.each([
    ['code: ""\nlibs: nowhere', /there is no folder '.*nowhere\/node_modules'; npm install in 'nowhere' makes it/],
    ['file: beside.mjs\nlibs: lib', /'beside\.mjs' is a module, and finds others only from its own folder/],
  ])('says why libs are of no use: %s', async (fields, message) => {
    expect((await under.run(`kind: javascript\n${fields}`, { folder })).error).toMatchObject({
      kind: 'task.field',
      message: expect.stringMatching(message),
    });
  });

  it('keeps what is printed as logs, and never takes it for an answer', async () => {
    const code = `
console.log('{"result": "forged"}');
console.error('to stderr');
process.stdout.write('{"result": 1}\\n');
require('node:child_process').execSync('echo child', { stdio: 'inherit' });
result = process.env.NOETL_IDEMPOTENCY_KEY;`;
    expect((await run(code)).result).toBe('key-of-this-visit');
    const lines = under.logs.filter(({ stream }) => stream === 'stdout').flatMap(({ text }) => text.trim().split('\n'));
    expect(new Set(lines)).toEqual(new Set(['{"result": "forged"}', '{"result": 1}', 'child']));
    expect(under.logs).toContainEqual({ stream: 'stderr', text: 'to stderr\n' });
  });
});

describe('TPL-8: results in JSON', () => {
  it('keeps integers exactly, and what JSON knows', async () => {
    const code =
      'result = { a: [1n, 2n ** 70n, undefined], d: new Date(0), gone: undefined, n: null, __proto__: null };';
    expect((await run(code)).result).toEqual({
      a: [1, '1180591620717411303424', null],
      d: '1970-01-01T00:00:00.000Z',
      n: null,
    });
  });

  it.each([
    ['{ a: [1, NaN] }', 'the result.a[1] is NaN, which has no form in JSON.'],
    ['-Infinity', 'the result is -Infinity, which has no form in JSON.'],
    ['{ f() {} }', 'the result.f is a function, which has no form in JSON.'],
    ['Symbol("x")', 'the result is a symbol, which has no form in JSON.'],
    ['new Map([[1, 2]])', 'the result is of type Map, which has no form in JSON.'],
    ['new Uint8Array(3)', 'the result is of type Uint8Array, which has no form in JSON.'],
    ['{ e: new Error("x") }', 'the result.e is of type Error, which has no form in JSON.'],
    ['(() => { const a = { b: [] }; a.b.push(a); return a; })()', 'the result.b[0] contains itself.'],
  ])('refuses %s', async (value, message) => {
    expect(await errorOf(`result = ${value};`)).toMatchObject({
      kind: 'result.json',
      message: `the task 't': ${message}`,
    });
  });

  it('refuses what is too deep or too large', async () => {
    expect(await errorOf('result = [];\nfor (let i = 0; i < 1e5; i++) result = [result];')).toMatchObject({
      kind: 'result.json',
    });
    expect(await errorOf("result = 'x'.repeat(6e6);")).toMatchObject({ kind: 'result.size' });
  });
});

describe('what goes wrong costs only its task', () => {
  it('names the error, its line and the way to it', async () => {
    const code = 'function inner(x) {\n  throw new RangeError(x);\n}\nfunction main() {\n  return inner("no luck");\n}';
    expect(await errorOf(code)).toEqual({
      kind: 'javascript.exception',
      retryable: false,
      message: "RangeError: no luck (line 2 of the code of 't': throw new RangeError(x);)",
      details: {
        exception_type: 'RangeError',
        traceback: [
          { file: '<t>', line: 5, function: 'main', text: 'return inner("no luck");' },
          { file: '<t>', line: 2, function: 'inner', text: 'throw new RangeError(x);' },
        ],
      },
    });
  });

  it.each([
    ['a syntax error', 'const x = ;', 'javascript.exception', /SyntaxError: Unexpected token/],
    ['something thrown that is no error', 'throw { code: 5 };', 'javascript.exception', /object: \{"code":5\}/],
    [
      'an error nobody awaits',
      'setTimeout(() => { throw new Error("late"); }, 5);\nfunction main() { return new Promise(() => {}); }',
      'javascript.exception',
      /Error: late/,
    ],
    [
      'a rejection nobody awaits',
      'Promise.reject(new Error("lost"));\nfunction main() { return new Promise((r) => setTimeout(r, 500)); }',
      'javascript.exception',
      /Error: lost/,
    ],
    ['process.exit', 'process.exit(7)', 'javascript.crash', /exited with code 7/],
    ['a promise that nothing can settle', 'function main() { return new Promise(() => {}); }', 'timeout', /timeout/],
    ['abort', 'process.abort()', 'javascript.crash', /SIGABRT/],
    [
      'more memory than there is',
      'const x = [];\nfor (;;) x.push(new Array(1e5).fill(1.5))',
      'javascript.crash',
      /memory was full/,
    ],
    ['no end of recursion', 'function f() { f(); }\nf();', 'javascript.exception', /RangeError/],
    [
      'writing to the descriptor of answers',
      "require('fs').writeSync(4, 'nonsense\\n');\nfor (;;);",
      'javascript.crash',
      /descriptor 4/,
    ],
  ])('survives %s', async (_, code, kind, message) => {
    const answer = await errorOf(code, '', kind === 'timeout' ? { signal: AbortSignal.timeout(300) } : {});
    expect(answer).toMatchObject({ kind, message: expect.stringMatching(message) });
    expect((await run('result = 1;')).result).toBe(1);
  });

  it('drops what is printed beyond the limit, and says so', async () => {
    expect((await run("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(999));\nresult = 'done';")).result).toBe(
      'done',
    );
    const printed = under.logs.map(({ text }) => text).join('');
    expect(printed.length).toBeLessThan(150_000);
    expect(printed).toContain('[what follows is not kept: the limit is 100000 characters]');
  });

  it('keeps the beginning of what is printed at once beyond the limit', async () => {
    expect((await run('console.log("x".repeat(30_000_000)); const result = 1')).result).toBe(1);
    const printed = under.logs.map(({ text }) => text).join('');
    expect(printed).toMatch(/^x{100000}…\n\[what follows is not kept/);
  });

  it.each(['args: "{{ 5 }}"', 'libs: "{{ [1] }}"'])('refuses %s', async (more) => {
    expect(await errorOf('result = 1;', more)).toMatchObject({ kind: 'task.field' });
  });
});

describe('javascript tasks share no state', () => {
  it('gives each its own globals, environment and folder', async () => {
    const look =
      'result = [typeof leak, globalThis.fetch === 1, process.env.LEAK ?? null, process.cwd(), typeof {}.leak];';
    const before = (await run(look)).result;
    await run(
      "globalThis.leak = 1;\nglobalThis.fetch = 1;\nimplicit = 2;\nprocess.env.LEAK = 'x';\nprocess.chdir('/');",
    );
    await run('Object.prototype.leak = 1;');
    await run('Array.prototype.map = () => 1;');
    expect((await run(look)).result).toEqual(before);
    expect((await run('result = [1].map((x) => x + 1).concat(typeof implicit);')).result).toEqual([2, 'undefined']);
  });

  it.each([
    ['a timer', 'setInterval(() => {}, 1000);\nresult = process.pid;'],
    ['a child process', "require('child_process').spawn('sleep', ['30']);\nresult = process.pid;"],
  ])('replaces a process in which %s goes on', async (_, code) => {
    const pid = Number((await run(code)).result);
    await until(() => !isAlive(pid));
  });

  it('reuses a process otherwise', async () => {
    const pids = new Set<unknown>();
    for (let call = 0; call < 20; call++) pids.add((await run('result = process.pid;')).result);
    expect(pids.size).toBeLessThanOrEqual(2);
  });

  it('runs many at once, each with its own values', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => run('function main({ n }) { return n * 2; }', `args: { n: ${n} }`)),
    );
    expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 100 }, (_, n) => n * 2));
  });
});

describe('stopping javascript', () => {
  it('leaves no process, children included', async () => {
    const pidFile = join(folder, 'pids');
    const controller = new AbortController();
    const code = `
const child = require('node:child_process').spawn('sleep', ['60']);
require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, process.pid + ' ' + child.pid);
for (;;);`;
    const answer = errorOf(code, '', { signal: controller.signal });
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes(' '));
    controller.abort(new Error('cancel'));
    expect(await answer).toMatchObject({ kind: 'cancelled' });
    const pids = readFileSync(pidFile, 'utf8').split(' ').map(Number);
    await until(() => pids.every((pid) => !isAlive(pid)));
  });
});
