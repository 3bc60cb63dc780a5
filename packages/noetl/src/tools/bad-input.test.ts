import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TOOL_ERROR_KINDS } from './error-kinds.ts';
import { toolsUnderTest, until } from './task-call.testing.ts';

/** Every kind gets what it cannot use: each answer is an error with a kind and a sentence, and nothing stays behind. */
const under = toolsUnderTest({
  outputCharacters: 100_000,
  resultBytes: 100_000,
  logBytes: 10_000,
  responseBytes: 100_000,
});
const folder = mkdtempSync(join(tmpdir(), 'noetl-bad-'));
const mark = randomUUID();
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NOETL_TEST_MARK: mark };
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/huge': (response) => response.end('x'.repeat(200_000)),
  '/json': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
  '/text': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.from('a\xff', 'latin1')),
  '/utf8': (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from('{"a":"\xff"}', 'latin1')),
  '/hang': () => undefined,
};
const server = createServer(({ url }, response) => ANSWERS[url ?? '']?.(response));
let url = '';

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'bad.py'), Buffer.from('x = 1\ny = "\xff"\n', 'latin1'));
  writeFileSync(join(folder, 'bad.js'), Buffer.from('const x = "\xff";\n', 'latin1'));
  writeFileSync(join(folder, 'wrong.py'), 'def main():\n    return (1,\n');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** It goes on for ever, and so does what it started; a polite signal means nothing to it. */
const HANGS: Readonly<Record<string, string>> = {
  python:
    'code: |\n  import signal, subprocess\n  signal.signal(signal.SIGTERM, signal.SIG_IGN)\n  subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"])\n  subprocess.Popen(["sleep", "600"], start_new_session=True)\n  while True: pass',
  javascript:
    'code: |\n  require("child_process").spawn("sh", ["-c", "sleep 600 & sleep 600"]);\n  require("child_process").spawn("sleep", ["600"], { detached: true });\n  for (;;);',
  shell: "cmds: [\"trap '' TERM; setsid sleep 600 & sh -c 'sleep 600 & sleep 600'; sleep 600\"]",
  script: 'inline: |\n  trap "" TERM\n  setsid sleep 600 &\n  sh -c "sleep 600 & sleep 600"',
  http: 'url: URL/hang',
};

type Case = readonly [
  kind: string,
  what: string,
  fields: string,
  error: keyof typeof TOOL_ERROR_KINDS,
  message: RegExp,
];

const CASES: readonly Case[] = [
  [
    'http',
    'an address of another type',
    'url: "{{ [1] }}"',
    'task.field',
    /'url' of the task 't' is a list, expected text/,
  ],
  [
    'http',
    'a flag of another type',
    'url: URL/\nfollow_redirects: "{{ \'no\' }}"',
    'task.field',
    /expected true or false/,
  ],
  [
    'http',
    'a credential that is missing',
    'url: URL/\nauth: "{{ \'nobody\' }}"',
    'auth',
    /which the keychain does not have/,
  ],
  ['http', 'a credential of no use', 'url: URL/\nauth: { host: "{{ 1 }}" }', 'auth', /has none of: a token/],
  ['http', 'a host that is not there', 'url: http://nobody.invalid/', 'http.connect', /no such host|not be looked up/],
  ['http', 'a port that is closed', 'url: http://127.0.0.1:1/', 'http.connect', /nobody listens there/],
  ['http', 'a huge answer', 'url: URL/huge', 'http.size', /more than 100000 bytes/],
  ['http', 'JSON that is cut', 'url: URL/json', 'http.body', /is no JSON/],
  ['http', 'JSON that is no UTF-8', 'url: URL/utf8', 'http.body', /is no utf-8/],
  ['http', 'text that is no UTF-8', 'url: URL/text', 'http.body', /is no utf-8/],
  ['python', 'args of another type', 'args: "{{ 5 }}"\ncode: result = 1', 'task.field', /'args' .* expected a mapping/],
  [
    'python',
    'a function that is none',
    'entry: "{{ {} }}"\ncode: result = 1',
    'task.field',
    /'entry' .* expected text/,
  ],
  ['python', 'args that its function lacks', 'code: |\n  def main(a): return a', 'task.field', /declares 'a'/],
  ['python', 'a syntax error', 'code: |\n  x = 1\n  if x\n    pass', 'python.exception', /SyntaxError: .*line 2/],
  ['python', 'a file with a syntax error', 'file: wrong.py', 'python.exception', /SyntaxError: .*wrong\.py:2/],
  ['python', 'a file that is no UTF-8', 'file: bad.py', 'python.exception', /can't decode byte 0xff.*bad\.py/],
  ['python', 'a file that is not there', 'file: nowhere.py', 'task.field', /there is no file 'nowhere\.py'/],
  [
    'python',
    'a huge result',
    'code: result = "x" * 200000',
    'result.size',
    /200002 bytes of JSON, the limit is 100000/,
  ],
  ['python', 'bytes as a result', 'code: result = b"x"', 'result.json', /of type bytes/],
  [
    'javascript',
    'args of another type',
    'args: "{{ 5 }}"\ncode: result = 1',
    'task.field',
    /'args' .* expected a mapping/,
  ],
  [
    'javascript',
    'libs of another type',
    'libs: "{{ [1] }}"\ncode: result = 1',
    'task.field',
    /'libs' .* expected the folder/,
  ],
  [
    'javascript',
    'a syntax error',
    'code: |\n  const x = 1;\n  if (x {',
    'javascript.exception',
    /SyntaxError: .*line 2/,
  ],
  ['javascript', 'a file that is no UTF-8', 'file: bad.js', 'task.field', /bad\.js' is no UTF-8/],
  ['javascript', 'a file that is not there', 'file: nowhere.js', 'task.field', /there is no file 'nowhere\.js'/],
  ['javascript', 'a huge result', 'code: result = "x".repeat(200000)', 'result.size', /the limit is 100000/],
  ['javascript', 'bytes as a result', 'code: result = new Uint8Array(3)', 'result.json', /of type Uint8Array/],
  ['shell', 'a command of another type', 'command: "{{ \'ls\' }}"', 'task.field', /'command' .* expected a list/],
  ['shell', 'variables of another type', 'command: [ls]\nenv: "{{ 1 }}"', 'task.field', /'env' .* expected a mapping/],
  [
    'shell',
    'a program that is not there',
    'command: [no-such-program]',
    'process.spawn',
    /no program 'no-such-program'/,
  ],
  ['shell', 'a syntax error', 'cmds: ["if then"]', 'process.exit', /ended with exit code 2: .*[Ss]yntax error/],
  ['shell', 'huge output', 'command: ["yes"]', 'process.output', /stopped after 100000 characters/],
  ['script', 'arguments of another type', 'inline: x\nargv: "{{ 5 }}"', 'task.field', /'argv' .* expected a list/],
  ['script', 'a file that is not there', 'file: nowhere.sh', 'task.field', /there is no file '.*nowhere\.sh'/],
  [
    'script',
    'an interpreter that is not there',
    'interpreter: nolang\ninline: x',
    'process.spawn',
    /no program 'nolang'/,
  ],
  ['script', 'a syntax error', 'interpreter: python3\ninline: "if x"', 'process.exit', /SyntaxError/],
  ['script', 'huge output', 'inline: exec yes', 'process.output', /stopped after 100000 characters/],
];

const run = (kind: string, fields: string, given = {}) =>
  under.run(`kind: ${kind}\n${fields.replaceAll('URL', url)}`, {
    folder,
    environment,
    keychain: { api: 'x' },
    ...given,
  });

describe('bad input', () => {
  it.each(CASES)('of %s: %s', async (kind, _, fields, error, message) => {
    const answer = await run(kind, fields);
    expect(answer).toMatchObject({ status: 'error', error: { kind: error, message: expect.stringMatching(message) } });
    // A sentence for people, not a trace of the program.
    expect(answer.error?.message).not.toMatch(/node:internal|\n/);
  });

  it.each(Object.entries(HANGS))('of %s: a child that hangs', async (kind, fields) => {
    const answer = await run(kind, fields, { signal: AbortSignal.timeout(1_000) });
    expect(answer).toMatchObject({ status: 'error', error: { kind: 'timeout', retryable: true } });
    if (process.platform === 'linux') await until(() => marked('sleep').length === 0);
  });

  it.each([
    ['python', 'code: |\n  import os\n  os.write(1, b"a\\xffb")\n  result = 1', 'stdout'],
    ['javascript', 'code: |\n  require("fs").writeSync(1, Buffer.from([97, 255, 98]));\n  result = 1', 'stdout'],
    ['shell', 'cmds: ["printf \'a\\\\377b\'"]', 'stdout'],
    ['script', "inline: printf 'a\\377b' >&2", 'stderr'],
  ])('of %s: what is printed and no UTF-8 is shown as such', async (kind, fields, stream) => {
    under.logs.length = 0;
    expect(await run(kind, fields)).toMatchObject({ status: 'ok' });
    expect(under.logs).toContainEqual({ stream, text: 'a\uFFFDb' });
  });

  it.runIf(process.platform === 'linux')('leaves nothing running', async () => {
    await under.tools.close();
    await until(() => marked().length === 0);
  });
});

/** Processes that were started by these tests, at whatever remove. */
function marked(program = ''): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)) return false;
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(program);
    } catch {
      // It has ended, or belongs to somebody else.
      return false;
    }
  });
}
