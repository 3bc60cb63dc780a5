import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Canary, canaries } from '../canary.testing.ts';
import type { Program } from '../program.testing.ts';
import { firstLine, openServerCalls, until } from '../server-calls.testing.ts';
import type { Target } from './generate.ts';
import { type OpenapiDocument, operationsOf } from './operations.ts';
import { type LeaseTicket, POOL, takeWork } from './taken-work.ts';

/** A server process that holds secrets of every kind, with everything that requests may name. */
export interface FuzzedServer {
  readonly port: number;
  readonly data: string;
  readonly target: Target;
  readonly secrets: readonly Canary[];
  readonly child: ChildProcess;
  /** What it wrote so far. */
  output(): string;
  /** Whether it still does all of its work: a playbook is started, and ends well. */
  works(): Promise<boolean>;
  /** Its exit code, once it was asked to stop. */
  stop(): Promise<number | null>;
}

/** As many can be cancelled before none waits any more. */
const WAITING_ONES = 30;

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\n';
const SIMPLE = `${HEAD}metadata: { name: simple, path: fuzzed/simple }
workload: { n: 2 }
workflow:
  - step: start
    loop: { in: "{{ range(workload.n) }}", iterator: i }
    tool: [{ done: { kind: noop, result: "{{ iter.i }}" } }]
`;
const WAITING = `${HEAD}metadata: { name: waiting, path: fuzzed/waiting }
workflow:
  - step: start
    tool: [{ held: { kind: wait, for: signal, name: go } }]
`;
const secretive = (name: string): string => `
keychain:
  - { name: held, kind: secret_manager, provider: env, key: ${name} }
  - { name: kept, kind: credential }
workflow:
  - step: start
    tool: [{ told: { kind: shell, cmds: ["printf '%s\\n' {{ keychain.held }} {{ keychain.kept }}"] } }]
`;

/** Work that nobody but the fuzzer takes. */
const HELD = `${HEAD}metadata: { name: held, path: fuzzed/held }
workflow:
  - step: start
    spec: { pool: ${POOL} }
    tool: [{ never: { kind: noop, result: done } }]
`;

/** With so many pieces of work that are leased to workers who never come to their end. */
export async function openFuzzedServer(program: Program, leased: number): Promise<FuzzedServer> {
  const data = program.newData();
  const [held, kept, sent] = canaries(3) as [Canary, Canary, Canary];
  const env = { [held.name]: held.value, XDG_CONFIG_HOME: join(program.folder, 'config'), NOETL_API_RATE: '0' };
  const noetl = async (args: readonly string[], input?: string): Promise<string> => {
    const given = input === undefined ? { env } : { env, input };
    const { code, stdout, stderr } = await program.run([...args, '--data', data], given);
    if (code !== 0) throw new Error(`noetl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  await noetl(['credential', 'set', 'kept'], kept.value);
  const tokens: string[] = [];
  for (const role of ['admin', 'viewer', 'worker'])
    tokens.push(JSON.parse(await noetl(['token', 'create', `${role}-token`, '--role', role, '--json'])).token);
  const told = await noetl(['run', program.playbook('secretive', secretive(held.name)), '--json']);
  const [first = ''] = told.split('\n', 1);
  const { execution_id: secretiveId } = JSON.parse(first) as { execution_id: string };

  // Leases last as long as the campaign.
  const lasting = ['--drain', '5', '--lease-ttl', '3600'];
  const child = program.start(['server', 'start', '--data', data, '--port', '0', ...lasting, '--json'], { env });
  let output = '';
  child.stderr?.on('data', (piece) => {
    output += piece;
  });
  const { url } = (await firstLine(child)) as { url: string };
  const { token } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { token: string };
  const { host, port } = new URL(url);
  const calls = openServerCalls(url, token);
  await until(async () => (await fetch(`${url}/api/ready`)).ok);
  for (const text of [SIMPLE, WAITING, HELD]) await calls.register(text);
  const simple = await calls.start('fuzzed/simple');
  await calls.end(simple);
  const ids = [simple, secretiveId];
  for (let nth = 0; nth < WAITING_ONES; nth++) ids.push(await calls.start('fuzzed/waiting'));
  for (let nth = 0; nth < leased; nth++) await calls.start('fuzzed/held');
  const { leases, cards, reference } = await takeWork(url, tokens.at(-1) ?? '', leased);
  const timestamp = new Date().toISOString();
  const [firstLease] = leases as [LeaseTicket];
  const { content_hash } = await calls.playbook('fuzzed/simple');
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as OpenapiDocument;
  const operations = operationsOf(document);
  const secretTokens = [...tokens, token].map((value, nth) => ({ name: `token ${nth}`, value }));

  return {
    port: Number(port),
    data,
    child,
    output: () => output,
    secrets: [held, kept, sent, ...secretTokens],
    target: {
      operations,
      host,
      leases,
      // Mostly the one that no request can revoke.
      tokens: [token, token, token, token, token, token, ...tokens],
      known: {
        id: ids,
        with: ids,
        parent: ids,
        execution: ids,
        path: ['fuzzed/simple', 'fuzzed/waiting', 'secretive'],
        playbook_id: [content_hash],
        version: [1],
        text: [SIMPLE, WAITING, SIMPLE.replace('n: 2', 'n: 3'), `${HEAD}metadata: 7`, '&a [*a, *a]'],
        file: ['a.yaml'],
        name: ['go', 'go', 'viewer-token', 'worker-1'],
        names: [['kept'], ['other']],
        credential: ['kept', 'other'],
        value: [sent.value, { password: sent.value }],
        kind: ['secret', 'bearer', 'story', 'issue', 'open'],
        step: ['start'],
        at: [1, 3, 'failure'],
        store: [reference.store],
        loop: [`${simple}/start/1`],
        pool: ['default'],
        lease: leases,
        worker: cards,
        leases: [leases.slice(0, 3), leases.slice(2, 4), []],
        reports: leases.map((lease, nth) => [
          { lease, nth: 1, events: nth % 2 === 0 ? [] : [{ name: 'step.started', timestamp, payload: {} }] },
        ]),
        wait: [0, 20],
        max: [1],
        why: [{}, { lost: true }, { failed: { kind: 'x', retryable: false, message: 'no', details: null } }],
        asked: [
          { kind: 'issue', secrets: { key: 'lent' } },
          { kind: 'open', handle: { handle: 'x' } },
          { kind: 'renew', auth: 'x', refused: null },
        ],
        lines: [
          [{ taskRun: `${firstLease.execution}:start/1:never/1`, attempt: 1, stream: 'stdout', at: 1, text: 'hello' }],
          [],
        ],
        reference: [{ ...reference }],
        key: [reference.key],
        checksum: [reference.checksum],
        size: [reference.size],
        source: [{ execution_id: simple, loop: `${simple}/start/1`, until: null }],
      },
    },
    async works() {
      const end = await calls.end(await calls.start('fuzzed/simple'));
      return end.status === 'success';
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
}
