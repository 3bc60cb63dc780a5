import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, noNats, startNats } from '../packages/noetl/src/nats-server.testing.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { canaries, filesBelow, sightings } from './canary.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const secrets = canaries(20);
/** Found wherever results are: without it, nothing was searched. */
const BEACON = 'beacon-that-must-be-found';
const TIMEOUT = 180_000;

const playbook = (store: string, url: string): string => `
executor: { spec: { result: { store: ${store} } } }
keychain:
${secrets.map(({ name }, nth) => `  - { name: c${nth}, kind: secret_manager, key: ${name} }`).join('\n')}
  - { name: all, kind: static, value: [${secrets.map((_, nth) => `"{{ keychain.c${nth} }}"`).join(', ')}] }
workflow:
  - step: start
    tool:
      - code:
          kind: python
          args: { all: "{{ keychain.all }}" }
          code: |
            import base64, json, urllib.parse
            forms = [form for s in all for form in (s, json.dumps(s), urllib.parse.quote(s, safe=''), s.encode().hex(),
                     base64.b64encode(s.encode()).decode(), base64.urlsafe_b64encode(s.encode()).decode())]
            result = {'${BEACON}': [forms, {form: form for form in forms}, 'x' * 100000, ' '.join(forms)]}
      - large: { kind: http, method: POST, url: "${url}", json: "{{ keychain.all }}" }
      - rows:
          kind: duckdb
          query: "SELECT {{ keychain.all | join(' ') }} AS text, '${BEACON}' AS beacon, n FROM generate_series(1, 40000) AS s(n)"
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ results.start.row_count }}" }
`;

/** Answers with what it was told, again and again, until it is more than memory holds. */
const echo = createServer(async (request, response) => {
  const told = await text(request);
  response.setHeader('content-type', 'application/json');
  const item = JSON.stringify({ told, inner: JSON.parse(told), hex: Buffer.from(told).toString('hex'), BEACON });
  response.end(`[${Array.from({ length: Math.ceil(9_000_000 / item.length) }, () => item).join(',')}]`);
});

describe('SEC-3: secrets in results that other stores keep', () => {
  let program: Program;
  let url: string;
  let [postgres, nats]: [PostgresServer?, NatsServer?] = [];
  beforeAll(async () => {
    program = openProgram();
    await new Promise<void>((listening) => (echo as Server).listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
    if (!noPostgres) postgres = await startPostgres();
    if (!noNats) nats = await startNats();
  });
  afterAll(async () => {
    echo.close();
    await postgres?.stop();
    await nats?.stop();
    await program.close();
  });

  async function run(store: string, env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, Buffer>> {
    const data = program.newData();
    const file = program.playbook(`canary-${store}`, playbook(store, url));
    const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
    const { code, stdout, stderr } = await program.run(['run', file, '--data', data], { env: { ...env, ...values } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '40000\n' });
    return new Map([...filesBelow(data), ['stdout', Buffer.from(stdout)], ['stderr', Buffer.from(stderr)]]);
  }

  it.skipIf(noPostgres)('are nowhere in PostgreSQL', { timeout: TIMEOUT }, async () => {
    const sinks = await run('postgres', { NOETL_RESULTS_POSTGRES: postgres?.url });
    await postgres?.query('CHECKPOINT');
    const [settings] = (await postgres?.query('SHOW data_directory')) ?? [];
    const kept = filesBelow(String(settings?.data_directory));
    expect([...kept.values()].some((bytes) => bytes.includes(BEACON))).toBe(true);
    expect(sightings(new Map([...sinks, ...kept]), secrets)).toEqual([]);
  });

  it.skipIf(noNats)('are nowhere in NATS', { timeout: TIMEOUT }, async () => {
    const sinks = await run('nats_object', { NOETL_NATS_URL: nats?.url });
    const kept = filesBelow(nats?.folder ?? '');
    expect([...kept.values()].some((bytes) => bytes.includes(BEACON))).toBe(true);
    expect(sightings(new Map([...sinks, ...kept]), secrets)).toEqual([]);
  });
});
