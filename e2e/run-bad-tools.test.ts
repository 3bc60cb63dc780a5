import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishedRun, named } from './finished-run.testing.ts';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

const TIMEOUT = 180_000;
const noOpenssl = spawnSync('openssl', ['version']).status !== 0;

/** A certificate for 127.0.0.1 that was good until yesterday. */
function expiredCertificate(folder: string): readonly [key: string, cert: string] {
  const [key, request, cert] = ['key', 'request', 'cert'].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
    string,
  ];
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', request);
  openssl('x509', '-req', '-in', request, '-signkey', key, '-days', '-1', '-out', cert);
  return [key, cert];
}

/** One task for each way to go wrong, in a loop that goes on, and a task that must not notice anything. */
const looped = (kind: string, cases: readonly string[], code: string) => `
workload: { cases: [${cases}] }
workflow:
  - step: start
    loop:
      in: "{{ workload.cases }}"
      iterator: name
      spec: { mode: sequential, policy: { failure: best_effort } }
    tool:
      - act:
          kind: ${kind}
          args: { name: "{{ iter.name }}" }
          spec: { timeout: 10 }
          code: |
${code.replaceAll(/^/gm, '            ')}
    next: { arcs: [{ step: after }] }
  - step: after
    tool: [{ report: { kind: noop, result: "{{ results.start }}" } }]
`;

describe.each(WAYS)('a task that goes wrong costs only itself, by the %s', { timeout: TIMEOUT }, (way) => {
  let program: WayProgram;
  beforeAll(async () => {
    program = await openProgramBy(way);
  });
  afterAll(() => program.close());

  async function errorsOf(kind: string, expected: Readonly<Record<string, string>>, code: string): Promise<void> {
    const cases = Object.keys(expected);
    const file = program.playbook(`bad_${kind}`, looped(kind, [...cases, 'good'], code));
    const { end, events } = await finishedRun(program, [file]);
    expect(end).toMatchObject({ status: 'success', result: [...cases.map(() => null), 'good'] });
    const failed = named(events, 'loop.iteration.failed');
    const kinds = failed.map(({ payload }) => [cases[payload.index], payload.error.kind]);
    expect(Object.fromEntries(kinds)).toEqual(expected);
    // One sentence that a person understands, and no trace of the program itself.
    for (const { payload } of failed) expect(payload.error.message).not.toMatch(/node:internal|\bat .*\.js:\d+/);
  }

  it.concurrent.each([
    ['python', 'def main():\n    raise ValueError("no")', 'ValueError: no', 'raise ValueError("no")'],
    [
      'javascript',
      'function main() {\n  throw new RangeError("no");\n}',
      'RangeError: no',
      'throw new RangeError("no");',
    ],
  ])('and names the line of its playbook, in %s', async (kind, code, problem, text) => {
    const block = code.replaceAll(/^/gm, '          ');
    const body = `workflow:\n  - step: start\n    tool:\n      - act:\n          kind: ${kind}\n          code: |\n  ${block.replaceAll('\n', '\n  ')}\n`;
    const file = program.playbook(`line_of_${kind}`, body);
    const { code: exit, stderr } = await program.run(['run', file, '--data', program.newData()]);
    expect(exit).toBe(1);
    // A server knows a playbook by its path, and this process by its file.
    const name = way === 'server' ? `line_of_${kind}` : file;
    expect(stderr).toContain(`${problem} (${name}:11: ${text})`);
  });

  it.concurrent('in Python', () =>
    errorsOf(
      'python',
      {
        leaves: 'python.crash',
        crashes: 'python.crash',
        exits: 'python.exit',
        raises: 'python.exception',
        nan: 'result.json',
        cycle: 'result.json',
        unknown: 'result.json',
        deep: 'result.json',
        closes: 'python.crash',
      },
      `import os, sys, ctypes
def main(name):
    if name == "leaves": os._exit(3)
    if name == "crashes": ctypes.string_at(0)
    if name == "exits": sys.exit(4)
    if name == "raises": raise ValueError("no")
    if name == "nan": return {"a": [float("nan")]}
    if name == "cycle":
        ring = []
        ring.append(ring)
        return ring
    if name == "unknown": return object()
    if name == "deep":
        ring = []
        for _ in range(100000): ring = [ring]
        return ring
    if name == "closes":
        os.closerange(0, 64)
        os._exit(0)
    return name`,
    ));

  it.concurrent('in JavaScript', () =>
    errorsOf(
      'javascript',
      {
        leaves: 'javascript.crash',
        throws: 'javascript.exception',
        nan: 'result.json',
        cycle: 'result.json',
        rejects: 'javascript.exception',
      },
      `function main({ name }) {
  if (name === 'leaves') process.exit(3);
  if (name === 'throws') throw new Error('no');
  if (name === 'nan') return { a: [NaN] };
  if (name === 'cycle') { const ring = []; ring.push(ring); return ring; }
  if (name === 'rejects') return Promise.reject(new Error('no'));
  return name;
}`,
    ));

  it.concurrent('when it hangs: it is stopped with everything it started', async () => {
    const file = program.playbook(
      'hangs',
      `
workflow:
  - step: start
    spec: { timeout: 0.5 }
    loop:
      in: [python, javascript, shell]
      iterator: name
      spec: { mode: parallel, policy: { failure: best_effort } }
    tool:
      - pick:
          kind: noop
          spec:
            policy:
              rules:
                - { when: "{{ iter.name == 'python' }}", then: { do: jump, to: python } }
                - { when: "{{ iter.name == 'javascript' }}", then: { do: jump, to: javascript } }
                - else: { then: { do: jump, to: shell } }
      - python:
          kind: python
          code: |
            import subprocess
            subprocess.Popen(["sleep", "3600"])
            while True: pass
      - javascript: { kind: javascript, code: "for (;;);" }
      - shell: { kind: shell, cmds: ["trap '' TERM INT HUP; sleep 3600 & sleep 3600; sleep 3600"] }
`,
    );
    const { end, events } = await finishedRun(program, [file]);
    expect(end).toMatchObject({ status: 'success', result: [null, null, null] });
    const failed = named(events, 'loop.iteration.failed');
    expect(failed.map(({ payload }) => payload.error.kind)).toEqual(['timeout', 'timeout', 'timeout']);
  });

  it.concurrent('when it prints 100 MB', async () => {
    const file = program.playbook(
      'prints',
      `
workflow:
  - step: start
    tool:
      - python:
          kind: python
          code: |
            import sys
            for _ in range(100): sys.stdout.write("x" * 1023 * 1024 + "\\n" * 1024)
            result = "printed"
    next: { arcs: [{ step: shell, when: "{{ event.name in ['step.done', 'step.failed'] }}" }] }
  - step: shell
    tool: [{ yes: { kind: shell, cmds: ["yes 0123456789 | head -c 100000000"] } }]
`,
    );
    const { end, events, data, id } = await finishedRun(program, [file]);
    const python = named(events, 'task.done').find(({ task_label }) => task_label === 'python');
    expect(python?.payload.outcome).toMatchObject({ status: 'ok', result: 'printed' });
    expect(end).toMatchObject({ status: 'error', error: { kind: 'process.output' } });
    const logs = await program.run(['exec', 'logs', id, '--data', data, '--json', '--limit', '5']);
    expect(logs.code).toBe(0);
    expect(
      logs.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toHaveLength(5);
  });

  const one = (task: string) => `workflow: [{ step: start, tool: [{ act: ${task} }] }]\n`;

  it.concurrent.each<[name: string, task: string, error: Json]>([
    ['a program that is not there', '{ kind: shell, command: [no-such-program-here] }', { kind: 'process.spawn' }],
    ['a server that is not there', '{ kind: http, url: "http://127.0.0.1:1/" }', { kind: 'http.connect' }],
    ['an address that is none', '{ kind: http, url: "nowhere" }', { kind: 'task.field' }],
    ['a kind that is not there yet', '{ kind: snowflake, query: SELECT 1 }', { kind: 'tool.unavailable' }],
    ['a playbook that is not there', '{ kind: playbook, path: ./nowhere.yaml }', { kind: 'child.unknown' }],
  ])('when it asks for %s', async (name, task, error) => {
    const file = program.playbook(name.replaceAll(' ', '_'), one(task));
    const { end } = await finishedRun(program, [file]);
    expect(end).toMatchObject({ status: 'error', error });
  });

  it.skipIf(noOpenssl).concurrent('when it asks for a server whose certificate has expired', async () => {
    const [key, cert] = expiredCertificate(program.folder);
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = program.playbook('expired', one(`{ kind: http, url: "https://127.0.0.1:${port}/" }`));
    // Whoever signed it is trusted: nothing is wrong with it but its time.
    const { end } = await finishedRun(program, [file], { env: { NODE_EXTRA_CA_CERTS: cert } });
    server.close();
    expect(end).toMatchObject({
      status: 'error',
      error: {
        kind: 'http.connect',
        retryable: false,
        message: expect.stringContaining('found no connection: its certificate has expired.'),
      },
    });
  });

  // Of a server this is a matter of its environment, which its tests share.
  if (way === 'folder') {
    it.concurrent('when there is no python3: it says what to install', async () => {
      const bin = join(program.folder, 'bin');
      mkdirSync(bin);
      for (const name of ['sh', 'env']) symlinkSync(`/bin/${name}`, join(bin, name));
      const file = program.playbook('no_python', one('{ kind: python, code: result = 1 }'));
      const { end } = await finishedRun(program, [file], { env: { PATH: bin } });
      expect(end).toMatchObject({
        status: 'error',
        error: { kind: 'process.spawn', message: expect.stringMatching(/install python ?3/i) },
      });
    });
  }

  it.concurrent('when it loops over something that is no list', async () => {
    const file = program.playbook(
      'no_list',
      `workload: { text: abc }
workflow: [{ step: start, loop: { in: "{{ workload.text }}", iterator: x }, tool: [{ act: { kind: noop } }] }]\n`,
    );
    const { end } = await finishedRun(program, [file]);
    expect(end).toMatchObject({
      status: 'error',
      error: {
        kind: 'loop.items',
        message: expect.stringContaining("the loop of 'start' needs a list"),
        details: { place: { line: 5, column: 39 } },
      },
    });
    const { stderr } = await program.run(['run', file, '--data', program.newData()]);
    expect(stderr).toMatch(/^start failed at \S*no_list\.yaml:5:39$/m);
    expect(stderr).not.toContain('"place"');
  });

  it.concurrent('when ctx grows over its limit', async () => {
    const file = program.playbook(
      'large_ctx',
      `
workflow:
  - step: start
    tool:
      - act:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_ctx: { a: "{{ 'x' * 600000 }}", b: "{{ 'y' * 600000 }}" }
`,
    );
    const { end } = await finishedRun(program, [file]);
    expect(end).toMatchObject({
      status: 'error',
      error: { kind: 'limit.ctx', message: expect.stringContaining('the limit is 1048576') },
    });
  });
});
