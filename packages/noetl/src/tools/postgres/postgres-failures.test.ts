import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, JsonMap } from '@noetl/playbook';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../../postgres-server.testing.ts';
import { createMemoryResults } from '../../results/memory.ts';
import { createKeep } from '../../worker/keep-values.ts';
import type { ToolAnswer } from '../define-tool.ts';
import { taskCall, toolsUnderTest } from '../task-call.testing.ts';

const noOpenssl = spawnSync('openssl', ['version']).status !== 0;

describe('a postgres task without a database', () => {
  const under = toolsUnderTest();
  afterAll(() => under.tools.close());
  const ask = (fields: string, keychain: JsonMap = {}): Promise<ToolAnswer> =>
    under.run(`kind: postgres\nquery: SELECT 1\n${fields}`, { keychain });

  it.each([
    ['neither auth nor dsn', '', {}, "has neither 'auth' nor 'dsn'"],
    ['a credential that is not there', 'auth: wherhouse', { warehouse: 'x' }, "Did you mean 'warehouse'?"],
    [
      'a credential without a host',
      'auth: db',
      { db: { user: 'ada', password: 'hidden' } },
      "has no 'host' and no 'dsn'",
    ],
    ['a text that is no connection string', 'auth: db', { db: 'hidden' }, 'is no connection string'],
    ['a port that is none', 'auth: db', { db: { host: 'h', port: 'hidden' } }, "has a 'port' that is none"],
    ['an sslmode that is none', 'auth: db', { db: { host: 'h', sslmode: 'hidden' } }, "has an 'sslmode' that is none"],
    ['a certificate that is not there', 'auth: db', { db: { host: 'h', sslrootcert: 'hidden.pem' } }, 'cannot be read'],
    ['a list', 'auth: db', { db: ['hidden'] }, 'is neither text nor a mapping'],
  ])('says so of %s, without a value of it', async (_, fields, keychain, message) => {
    const answer = await ask(fields, keychain);
    expect(answer).toMatchObject({
      error: { kind: 'auth', retryable: false, message: expect.stringContaining(message) },
      pg: { code: null, sqlstate: null },
    });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  it.each([
    ['nobody listens', 'postgresql://u:hidden@127.0.0.1:1/db', 'nobody listens there (ECONNREFUSED)'],
    [
      'there is no such host',
      'host=no-such-host.invalid user=u password=hidden dbname=db',
      'no-such-host.invalid:5432/db',
    ],
  ])('may be tried again where %s', async (_, dsn, message) => {
    const answer = await ask(`dsn: "${dsn}"`);
    expect(answer).toMatchObject({
      error: { kind: 'sql.connect', retryable: true, message: expect.stringContaining(message) },
      pg: { sqlstate: null },
    });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  it('waits for a server that says nothing as long as spec.timeout.connect allows', async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as { port: number };
    const answer = await ask(`dsn: postgresql://u@127.0.0.1:${port}/db\nspec: { timeout: { connect: 0.2 } }`);
    silent.close();
    expect(answer.error).toMatchObject({ kind: 'sql.connect', retryable: true, details: { code: 'ETIMEDOUT' } });
  });
});

describe.skipIf(noPostgres)('a postgres task that must stop', () => {
  const under = toolsUnderTest({ connections: 2, heldBytes: 100_000 });
  let server: PostgresServer;
  let observer: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    observer = new pg.Client(server.url);
    await observer.connect();
  });
  afterAll(async () => {
    await under.tools.close();
    await observer.end();
    await server.stop();
  });

  const run = (sql: string, signal?: AbortSignal, fields = ''): Promise<ToolAnswer> =>
    under.run(`kind: postgres\nauth: db\n${fields}query: "${sql}"`, {
      keychain: { db: server.url },
      ...(signal === undefined ? {} : { signal }),
    });
  /** What runs for tasks, or holds a transaction open. */
  const busy = async (): Promise<readonly Json[]> => {
    const { rows } = await observer.query(
      "SELECT pid, query FROM pg_stat_activity WHERE application_name = 'noetl' AND state <> 'idle' AND query NOT LIKE 'DISCARD%'",
    );
    return rows;
  };
  const until = async (condition: (found: readonly Json[]) => boolean): Promise<void> => {
    for (const deadline = Date.now() + 20_000; !condition(await busy()); ) {
      if (Date.now() > deadline) throw new Error(`not within 20 s: ${JSON.stringify(await busy())}`);
      await new Promise((wake) => setTimeout(wake, 20));
    }
  };

  it.each([
    ['timeout', new DOMException('too late', 'TimeoutError'), true],
    ['cancelled', new Error('cancelled'), false],
  ])('leaves nothing running on the server: %s', async (kind, reason, retryable) => {
    const stop = new AbortController();
    const answer = run('CREATE TABLE never (a int); SELECT pg_sleep(600)', stop.signal);
    await until((found) => found.length === 1 && JSON.stringify(found).includes('pg_sleep'));
    stop.abort(reason);
    expect(await answer).toMatchObject({ error: { kind, retryable }, pg: { code: null, sqlstate: null } });
    await until((found) => found.length === 0);
    expect((await observer.query("SELECT to_regclass('never') AS t")).rows).toEqual([{ t: null }]);
  });

  it('stops while it loads rows, and has loaded none', async () => {
    await observer.query(
      'CREATE TABLE slow (a int, t text); CREATE FUNCTION lag() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END $$; CREATE TRIGGER lag BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION lag()',
    );
    const stop = new AbortController();
    const rows = Array.from({ length: 5000 }, (_, a) => ({ a, t: 'x'.repeat(1000) }));
    const answer = under.run('kind: postgres\nauth: db\ntable: slow\nrows: "{{ workload.rows }}"', {
      workload: { rows },
      keychain: { db: server.url },
      signal: stop.signal,
    });
    await until((found) => found.length === 1);
    stop.abort(new Error('cancelled'));
    expect((await answer).error).toMatchObject({ kind: 'cancelled' });
    await until((found) => found.length === 0);
    expect((await observer.query('SELECT count(*)::int AS n FROM slow')).rows).toEqual([{ n: 0 }]);
  });

  it('keeps spec.timeout.read for its statements', async () => {
    const answer = await run('SELECT pg_sleep(600)', undefined, 'spec: { timeout: { read: 0.2 } }\n');
    expect(answer.error).toMatchObject({ kind: 'timeout', retryable: true });
    await until((found) => found.length === 0);
  });

  it('may be tried again where all connections are in use', async () => {
    const stop = new AbortController();
    const holders = [1, 2].map(() => run('SELECT pg_sleep(600)', stop.signal));
    await until((found) => found.length === 2);
    const answer = await run('SELECT 1', undefined, 'spec: { timeout: { connect: 0.2 } }\n');
    expect(answer.error).toMatchObject({
      kind: 'sql.busy',
      retryable: true,
      message: expect.stringContaining('none of the 2 connections to PostgreSQL at 127.0.0.1'),
    });
    const waiting = new AbortController();
    const stopped = run('SELECT 1', waiting.signal);
    waiting.abort(new Error('cancelled'));
    expect((await stopped).error).toMatchObject({ kind: 'cancelled' });
    const next = run('SELECT 1 AS a');
    stop.abort(new Error('cancelled'));
    expect((await Promise.all(holders)).map(({ error }) => error?.kind)).toEqual(['cancelled', 'cancelled']);
    expect(await next).toMatchObject({ status: 'ok' });
  });

  it('never has more connections than its pool allows', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => run(`SELECT ${i} AS i`)));
    expect(answers.map(({ result }) => (result as { rows: { i: number }[] }).rows[0]?.i)).toEqual([...answers.keys()]);
    const { rows } = await observer.query(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'noetl'",
    );
    expect(rows[0].n).toBeLessThanOrEqual(2);
  });

  it('keeps rows that are too many for memory apart, each of them once', async () => {
    const answer = await run(
      'SELECT n, repeat(md5(n::text), 10) AS t FROM generate_series(1, 5000) AS n; SELECT 1 AS a',
    );
    const [first, ...others] = answer.kept ?? [];
    expect([first?.path, others, answer.result]).toMatchObject([
      ['command_0', 'rows'],
      [],
      { rows: [{ a: 1 }], command_0: { rows: null, row_count: 5000, columns: ['n', 't'] } },
    ]);
    const fetched = first === undefined ? undefined : await under.results.get(first.reference);
    const rows = (fetched as { value: { n: number }[] } | undefined)?.value;
    expect(rows?.map(({ n }) => n)).toEqual(Array.from({ length: 5000 }, (_, i) => i + 1));
    const [last] = (await run("SELECT repeat('x', 1000) AS t FROM generate_series(1, 2000)")).kept ?? [];
    expect(last?.path).toEqual(['rows']);
  });

  it('stops at rows that are more than is stored, without reading all, and undoes what gave them', async () => {
    const keep = createKeep(createMemoryResults(), { keychain: {}, redact: (value) => value }, 300_000);
    const given = { keychain: { db: server.url } };
    const context = { keep, signal: new AbortController().signal, log: () => undefined, folder: '.', environment: {} };
    const refused = (sql: string) =>
      expect(under.tools.call(taskCall(`kind: postgres\nauth: db\nquery: "${sql}"`, given), context)).rejects.toThrow(
        'more than 300000 bytes',
      );
    await refused("SELECT repeat('x', 1000) AS a, generate_series(1, 1000000000) AS n");
    await observer.query('CREATE TABLE returned (a text)');
    await refused("INSERT INTO returned SELECT repeat('x', 1000) FROM generate_series(1, 1000) RETURNING a");
    expect((await observer.query('SELECT count(*)::int AS n FROM returned')).rows).toEqual([{ n: 0 }]);
    await until((found) => found.length === 0);
  });

  it('tells that its connection was ended by somebody, and goes on with another', async () => {
    const answer = run('SELECT pg_sleep(600)');
    await until((found) => found.length === 1);
    await observer.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()",
    );
    expect(await answer).toMatchObject({ error: { kind: 'sql.connect', retryable: true }, pg: { sqlstate: '57P01' } });
    expect(await run('SELECT 1')).toMatchObject({ status: 'ok' });
    await observer.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'noetl'");
    await until((found) => found.length === 0);
    await new Promise((wake) => setTimeout(wake, 100));
    expect(await run('SELECT 1')).toMatchObject({ status: 'ok' });
  });

  it('is refused for good where the database does not exist', async () => {
    const answer = await under.run('kind: postgres\nauth: db\nquery: SELECT 1', {
      keychain: { db: { dsn: server.url.replace(/\/postgres$/, '/nowhere') } },
    });
    expect(answer).toMatchObject({ error: { kind: 'sql.connect', retryable: false }, pg: { sqlstate: '3D000' } });
  });

  it('takes a credential in parts', async () => {
    const db = { db_host: '127.0.0.1', db_port: String(server.port), db_user: 'noetl', db_name: 'postgres' };
    const answer = await under.run('kind: postgres\nauth: db\nquery: SELECT current_user AS u', { keychain: { db } });
    expect(answer.result).toMatchObject({ rows: [{ u: 'noetl' }] });
  });
});

describe.skipIf(noPostgres)('a postgres server with habits of its own', () => {
  it('is read as any other, task after task', async () => {
    const settings = {
      datestyle: 'German',
      timezone: 'Europe/Berlin',
      standard_conforming_strings: 'off',
      bytea_output: 'escape',
      max_connections: '10',
    };
    const server = await startPostgres({ settings });
    const under = toolsUnderTest({ connections: 1 });
    const query =
      "SELECT DATE '2030-01-31' AS d, TIMESTAMPTZ '2030-07-01 12:00+00' AS t, INTERVAL '{{ workload.i }}' AS i, '{{ workload.s }}' AS s, decode('415c00ff', 'hex') AS b";
    const rows = [
      { d: '2030-01-31', t: '2030-07-01T12:00:00Z', i: '1 day', s: "\\'", b: { base64: 'QVwA/w==', size: 4 } },
    ];
    for (let task = 0; task < 3; task++) {
      const answer = await under.run(`kind: postgres\nauth: db\nquery: "${query}"`, {
        keychain: { db: server.url },
        workload: { i: '1 day', s: "\\'" },
      });
      expect(answer.result).toMatchObject({ rows });
    }
    await under.tools.close();
    await server.stop();
  });
});

describe.skipIf(noPostgres || noOpenssl)('a postgres server with TLS', () => {
  const under = toolsUnderTest();
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'noetl-certificates-'));
  });
  afterAll(async () => {
    await under.tools.close();
    rmSync(folder, { recursive: true });
  });

  function certificate(name: string, isExpired = false): { certificate: string; key: string } {
    const file = (ending: string) => join(folder, `${name}.${ending}`);
    const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
    const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-keyout', file('key'), '-subj', '/CN=127.0.0.1'];
    if (isExpired) {
      openssl(...request, '-new', '-out', file('csr'));
      openssl('x509', '-req', '-in', file('csr'), '-signkey', file('key'), '-days', '-1', '-out', file('pem'));
    } else {
      openssl(...request, '-x509', '-addext', 'subjectAltName=IP:127.0.0.1', '-out', file('pem'));
    }
    return { certificate: readFileSync(file('pem'), 'utf8'), key: readFileSync(file('key'), 'utf8') };
  }

  async function answers(tls: { certificate: string; key: string }, modes: readonly (readonly [string, boolean])[]) {
    const server = await startPostgres({ tls });
    const dsn = (mode: string) => `${server.url}?sslmode=${mode}`;
    const query = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const ask = ([mode, trusts]: readonly [string, boolean]) =>
      under.run(`kind: postgres\nauth: db\nquery: ${query}`, {
        keychain: { db: { dsn: dsn(mode), ...(trusts ? { sslrootcert: tls.certificate } : {}) } },
      });
    try {
      return await Promise.all(modes.map(ask));
    } finally {
      await server.stop();
    }
  }

  it('is used as sslmode says, and its certificate looked at with verify-full', async () => {
    const modes = [
      ['disable', false],
      ['require', false],
      ['verify-full', true],
      ['verify-full', false],
    ] as const;
    const [plain, required, trusted, unknown] = await answers(certificate('good'), modes);
    expect(plain?.result).toMatchObject({ rows: [{ ssl: false }] });
    expect(required?.result).toMatchObject({ rows: [{ ssl: true }] });
    expect(trusted?.result).toMatchObject({ rows: [{ ssl: true }] });
    expect(unknown?.error).toMatchObject({
      kind: 'sql.connect',
      retryable: false,
      message: expect.stringContaining('signed by itself'),
    });
  });

  it('is refused for good if its certificate has expired', async () => {
    const [expired] = await answers(certificate('expired', true), [['verify-full', true]]);
    expect(expired?.error).toMatchObject({
      kind: 'sql.connect',
      retryable: false,
      message: expect.stringContaining('its certificate has expired'),
    });
  });
});
