import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPostgres, type PostgresServer, startPostgres } from '../packages/noetl/src/postgres-server.testing.ts';
import { type Canary, canaries, filesBelow, sightings } from './canary.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const ENV = 16;
const secrets = canaries(20);
const canary = (nth: number): string => (secrets[nth] as Canary).value;
const [stored, filed, vaulted, issued] = [16, 17, 18, 19].map(canary);

/** Every way in which Python and JavaScript may write a text. */
const PYTHON = `
def forms(s):
    import base64, html, json, urllib.parse
    b = s.encode()
    return [s, json.dumps(s), json.dumps(s, ensure_ascii=False), json.dumps(json.dumps(s)), urllib.parse.quote(s),
            urllib.parse.quote(s, safe=''), urllib.parse.quote_plus(s), html.escape(s), b.hex(), b.hex().upper(),
            base64.b64encode(b).decode(), base64.urlsafe_b64encode(b).decode(), base64.b64encode(b'user:' + b).decode()]
every = [form for s in all for form in forms(s)]
`;
const JAVASCRIPT = `
const forms = (s) => {
  const b = Buffer.from(s);
  return [s, JSON.stringify(s), encodeURIComponent(s), encodeURI(s), new URLSearchParams({ s }).toString(), b.toString('hex'),
    b.toString('base64'), b.toString('base64url'), b.toString('hex').toUpperCase(), JSON.stringify({ [s]: s })];
};
const every = all.flatMap(forms);
`;
const block = (code: string): string => `|\n${code.replace(/^(?=.)/gm, ' '.repeat(14))}`;

/** An API that answers with all that it was told, in keys, values, headers and errors; an issuer and a Vault besides. */
async function openEcho(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const json = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/token') return void json({ access_token: issued, expires_in: 3600 });
    if (pathname.startsWith('/v1/secret/data/')) return void json({ data: { data: { value: vaulted } } });
    const told = [request.url ?? '', body, ...request.rawHeaders].map((part) =>
      Buffer.from(part, 'latin1').toString('latin1'),
    );
    const utf8 = told.map((part) => Buffer.from(part, 'latin1').toString('utf8'));
    const answer = {
      told,
      keys: Object.fromEntries(told.map((part) => [part, { [part]: part }])),
      decoded: [...told, ...utf8].map((part) => part.replace(/%[0-9A-F]{2}/gi, (code) => safely(code))),
      basic: Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString(),
      base64: [...told, body].map((part) => Buffer.from(part).toString('base64')),
      hex: [...told, body].map((part) => Buffer.from(part).toString('hex')),
      pad: pathname.startsWith('/large') ? 'x'.repeat(100_000) : '',
    };
    const link = encodeURI(told.join(' '));
    response.writeHead(pathname.startsWith('/fail') ? 500 : 200, {
      'content-type': pathname.startsWith('/text')
        ? 'text/plain'
        : pathname.startsWith('/bytes')
          ? 'image/png'
          : 'application/json',
      'x-request-id': link.slice(0, 4_000),
      link: `<${link.slice(0, 4_000)}>`,
      'set-cookie': `c=${link.slice(0, 4_000)}`,
    });
    response.end(pathname.startsWith('/broken') ? `{"told": ${told.join()}` : JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const safely = (code: string): string => {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
};

describe('SEC-3: 20 secrets, in every kind and field', { timeout: 300_000 }, () => {
  let program: Program;
  let echo: Awaited<ReturnType<typeof openEcho>>;
  let postgres: PostgresServer | undefined;
  let env: NodeJS.ProcessEnv;
  const sinks = new Map<string, Buffer>();
  beforeAll(async () => {
    program = openProgram();
    echo = await openEcho();
    postgres = noPostgres ? undefined : await startPostgres();
    const folder = join(program.folder, 'secrets');
    mkdirSync(folder);
    writeFileSync(join(folder, 'filed'), filed ?? '');
    env = {
      ...Object.fromEntries(secrets.slice(0, ENV).map(({ name, value }) => [name, value])),
      XDG_CONFIG_HOME: join(program.folder, 'config'),
      NOETL_SECRETS: folder,
      VAULT_ADDR: echo.url,
      VAULT_TOKEN: 'any',
    };
  });
  afterAll(async () => {
    echo.server.close();
    await postgres?.stop();
    await program.close();
  });

  /** Runs the program; whatever it prints is searched. */
  async function noetl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await program.run(args, { env });
    sinks.set(`stdout of ${args.slice(0, 2).join(' ')} ${sinks.size}`, Buffer.from(stdout));
    sinks.set(`stderr of ${args.slice(0, 2).join(' ')} ${sinks.size}`, Buffer.from(stderr));
    return stdout;
  }

  const names = Array.from({ length: 12 }, (_, nth) => `c${nth}`);
  const values = [
    ...names.map((name) => `keychain.${name}`),
    'keychain.pair.password',
    'keychain.pair.key',
    'keychain.api.token',
    'keychain.door.password',
    'keychain.stored',
    'keychain.filed',
    'keychain.vaulted',
    'keychain.issued.token',
  ];
  const keychain = (): string => `keychain:
${names.map((name, nth) => `  - { name: ${name}, kind: secret_manager, key: CANARY_${nth} }`).join('\n')}
  - { name: pair, kind: secret_manager, provider: env, map: { password: CANARY_12, key: CANARY_13 } }
  - { name: api_token, kind: secret_manager, key: CANARY_14 }
  - { name: api, kind: bearer, token: "{{ keychain.api_token }}" }
  - { name: door_password, kind: secret_manager, key: CANARY_15 }
  - { name: door, kind: basic, username: ada, password: "{{ keychain.door_password }}" }
  - { name: stored, kind: credential }
  - { name: filed, kind: secret_manager, provider: file }
  - { name: vaulted, kind: secret_manager, provider: vault, key: any }
  - { name: issued, kind: oauth2, token_url: "${echo.url}/token", client_id: me, client_secret: "{{ keychain.c1 }}" }
  - { name: key, kind: static, value: { api_key: "{{ keychain.c4 }}", param: api_key } }
  - { name: all, kind: static, value: [${values.map((value) => `"{{ ${value} }}"`).join(', ')}] }
  - { name: text, kind: static, value: "{{ keychain.all | join(' ') }}" }
  - { name: pg, kind: postgres_credential, host: 127.0.0.1, port: ${postgres?.port ?? 1}, user: noetl, database: postgres, password: "{{ keychain.c0 }}" }
`;
  /** A task after which the pipeline goes on, whatever comes of it; what came of it is kept in ctx. */
  const task = (
    label: string,
    fields: string,
    more = ', set_ctx: { seen: "{{ [outcome.error, _task] }}" }',
  ): string => `      - ${label}:
          ${fields}
          spec: { policy: { rules: [{ else: { then: { do: continue${more} } } }] } }
`;
  const http = (label: string, path: string, fields: string): string =>
    task(label, `kind: http\n          method: POST\n          url: "${echo.url}${path}"\n          ${fields}`);
  const code = (label: string, kind: string, source: string): string =>
    task(label, `kind: ${kind}\n          args: { all: "{{ keychain.all }}" }\n          code: ${block(source)}`);
  const step = (name: string, tasks: readonly string[], next?: string): string =>
    `  - step: ${name}\n    tool:\n${tasks.join('')}${next === undefined ? '' : `    next: { arcs: [{ step: ${next} }] }\n`}`;

  const https = (): string[] => [
    http('path', '/x/{{ keychain.c6 | urlencode }}', 'body: nothing'),
    http('url', '/x?q={{ keychain.c0 }}&r={{ keychain.c5 }}', 'body: nothing'),
    http('params', '/x', 'params: { all: "{{ keychain.all }}" }'),
    http('header', '/x', 'headers: { X-One: "{{ keychain.c0 }}", X-Two: "{{ keychain.c1 }}" }'),
    http('bad_header', '/x', 'headers: { X-One: "{{ keychain.c8 }}" }'),
    http('json', '/x', 'json: { all: "{{ keychain.all }}", text: "{{ keychain.text }}" }'),
    http('body', '/text', 'body: "{{ keychain.text }}"'),
    http('form', '/x', 'form: { all: "{{ keychain.all }}" }'),
    http('bytes', '/bytes', 'json: "{{ keychain.all }}"'),
    http('failing', '/fail', 'json: "{{ keychain.all }}"'),
    http('broken', '/broken', 'json: "{{ keychain.all }}"'),
    http('large', '/large', 'json: "{{ keychain.all }}"'),
    http('method', '/x', 'form: {}').replace('method: POST', 'method: "{{ keychain.c2 }}"'),
    http('typed', '/x', 'params: "{{ keychain.text }}"'),
    ...['api', 'door', 'issued', 'key', '"{{ keychain.stored }}"', '"{{ keychain.c3 ~ 1 }}"'].map((auth, nth) =>
      http(`auth_${nth}`, '/x', `auth: ${auth}`),
    ),
  ];
  const codes = [
    code(
      'py_result',
      'python',
      `${PYTHON}\nresult = {'all': every, 'map': {key: [key] for key in every}, 'text': ' '.join(every)}\n`,
    ),
    code('py_large', 'python', `${PYTHON}\nresult = [every, 'x' * 100000, ' '.join(every) * 20]\n`),
    code(
      'py_print',
      'python',
      `${PYTHON}\nimport sys\nfor form in every:\n    print(form)\n    print(form, file=sys.stderr)\n    for char in form:\n        sys.stdout.write(char)\n        sys.stdout.flush()\n`,
    ),
    code('py_raise', 'python', `${PYTHON}\nraise ValueError(' '.join(every))\n`),
    code('py_key', 'python', `${PYTHON}\n{}[all[3]]\n`),
    code('py_exit', 'python', `${PYTHON}\nimport sys\nsys.exit(' '.join(every))\n`),
    code(
      'js_result',
      'javascript',
      `${JAVASCRIPT}\nresult = { every, map: Object.fromEntries(every.map((key) => [key, key])) };\n`,
    ),
    code(
      'js_print',
      'javascript',
      `${JAVASCRIPT}\nfor (const form of every) { console.log(form); console.error(form); for (const char of form) process.stdout.write(char); }\n`,
    ),
    code('js_throw', 'javascript', `${JAVASCRIPT}\nthrow new TypeError(every.join(' '));\n`),
  ];
  const shells = [
    task(
      'argv',
      `kind: shell\n          command: [printf, "%s\\n", ${values.map((value) => `"{{ ${value} }}"`).join(', ')}]`,
    ),
    task(
      'lines',
      `kind: shell\n          cmds: ['echo "{{ keychain.text }}" >&2', 'printf "%s" "$MORE" | od -c | head -2', 'printf "%s" "$MORE"; exit 3']\n          env: { MORE: "{{ keychain.text }}" }`,
    ),
    task('no_program', `kind: shell\n          command: ["{{ keychain.c0 }}"]`),
    task('no_folder', `kind: shell\n          command: [pwd]\n          cwd: "{{ keychain.c9 }}"`),
    task(
      'script',
      `kind: script\n          inline: 'echo "$1"; cat; env | sort'\n          argv: ["{{ keychain.text }}"]\n          stdin: "{{ keychain.text }}"\n          env: { MORE: "{{ keychain.text }}" }`,
    ),
  ];
  const templates = [
    task('undefined', `kind: shell\n          command: [echo, "{{ keychain.c0.nope.x }}"]`),
    task('added', `kind: shell\n          command: [echo, "{{ keychain.c0 + 1 }}"]`),
    task('looked_up', `kind: shell\n          command: [echo, "{{ workload[keychain.c2] }}"]`),
    task('number', `kind: shell\n          command: [echo, "{{ keychain.c2 | round }}"]`),
    task('handle', `kind: secrets\n          provider: env\n          map: { a: CANARY_0, b: CANARY_13 }`),
    task('no_handle', `kind: secrets\n          provider: env\n          key: "{{ keychain.c5 }}"`),
    task('no_file', `kind: secrets\n          provider: file\n          key: "{{ keychain.c3 }}"`),
  ];
  const sql = (kind: string, more: string): string[] => [
    task(
      `${kind}_values`,
      `kind: ${kind}\n          ${more}\n          query: "SELECT {{ keychain.text }} AS text, '{{ keychain.c1 }}' AS one, {{ keychain.c7 }} AS two"`,
    ),
    task(
      `${kind}_wrong`,
      `kind: ${kind}\n          ${more}\n          query: "SELECT CAST({{ keychain.c3 }} AS INTEGER)"`,
    ),
    task(`${kind}_syntax`, `kind: ${kind}\n          ${more}\n          query: "SELEC {{ keychain.c4 }}"`),
    task(
      `${kind}_name`,
      `kind: ${kind}\n          ${more}\n          query: "SELECT * FROM {{ keychain.c5 | ident }}"`,
    ),
    task(
      `${kind}_column`,
      `kind: ${kind}\n          ${more}\n          query: "SELECT 1 AS {{ keychain.c6 | ident }}"`,
    ),
    task(
      `${kind}_large`,
      `kind: ${kind}\n          ${more}\n          query: "SELECT {{ keychain.text }} AS text, n FROM generate_series(1, 20000) AS s(n)"`,
    ),
  ];

  const playbook = (): string => `${keychain()}workload: { items: [1, 2, 3] }
workbook:
  shout: { kind: python, args: { all: "{{ keychain.all }}" }, code: "print(all)\\nresult = {'said': all}" }
workflow:
${step('start', https(), 'codes')}${step('codes', codes, 'shells')}${step('shells', shells, 'templates')}${step('templates', templates, 'duck')}${step('duck', sql('duckdb', 'args: {}'), postgres === undefined ? 'loops' : 'pg')}${postgres === undefined ? '' : step('pg', [...sql('postgres', 'auth: pg'), task('bad_dsn', 'kind: postgres\n          dsn: "postgres://me:{{ keychain.c0 | urlencode }}@127.0.0.1:1/{{ keychain.c1 | urlencode }}"\n          query: SELECT 1')], 'loops')}  - step: loops
    loop: { in: "{{ workload.items }}", iterator: item, spec: { mode: parallel } }
    tool:
${task('each', 'kind: python\n          args: { all: "{{ keychain.all }}", n: "{{ iter.item }}" }\n          code: "print(all[n]); result = {all[n]: all}"', '')}${task('called', 'kind: workbook\n          name: shout', '')}    next: { arcs: [{ step: waiting }] }
  - step: waiting
    tool: [{ pause: { kind: wait, for: signal, name: go } }]
    next: { arcs: [{ step: last, when: "{{ event.payload.result is defined }}" }] }
  - step: last
    tool:
      - end: { kind: shell, command: [sh, -c, 'echo "$1" >&2; echo "$1"; exit 7', sh, "{{ keychain.text }}"] }
`;

  it('leaves none in the data folder, nor in anything that is printed', async () => {
    const data = program.newData();
    for (const [name, input] of [
      ['stored', stored],
      ['other', canary(5)],
    ] as const) {
      await program.run(['credential', 'set', name, '--data', data], { env, input: input ?? '' });
    }
    const file = program.playbook('canary', playbook());
    const child = program.start(['run', file, '--data', data], { env });
    let shown = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on('data', (piece) => {
        shown += piece;
        if (shown.includes('noetl exec signal')) resolve();
      });
      child.on('close', () => reject(new Error(shown.slice(-4000))));
    });
    // What is not in the file yet is in the log beside it.
    child.kill('SIGKILL');
    await program.end(child);
    sinks.set('what was shown', Buffer.from(shown));
    for (const [path, bytes] of filesBelow(data)) sinks.set(`killed: ${path}`, bytes);
    const id: string = JSON.parse(await noetl('exec', 'list', '--data', data, '--json'))[0].execution_id;
    const looks = ['status', 'events', 'logs', 'state', 'graph', 'timeline', 'verify', 'result'];
    const look = async () => {
      for (const verb of looks) {
        await noetl('exec', verb, id, '--data', data);
        await noetl('exec', verb, id, '--data', data, '--json');
      }
    };
    await look();
    await noetl('exec', 'signal', id, 'go', '--data', data, '--json');
    await noetl('run', '--resume', id, '--data', data);
    await look();
    await noetl('exec', 'watch', id, '--data', data);
    await noetl('exec', 'fork', id, '--from-failure', '--data', data, '--json');
    const forks = JSON.parse(await noetl('exec', 'list', '--data', data, '--json'));
    await noetl('exec', 'diff', id, forks[0].execution_id, '--data', data);
    await noetl('exec', 'diff', id, forks[0].execution_id, '--data', data, '--json');
    await noetl('credential', 'list', '--data', data, '--json');
    await noetl('doctor', '--data', data);
    for (const [path, bytes] of filesBelow(data)) sinks.set(`after all: ${path}`, bytes);

    // The test can only find what was there to be found.
    const events = (await program.run(['exec', 'events', id, '--data', data, '--json', '--limit', '100000'], { env }))
      .stdout;
    const marks = new Set([...events.matchAll(/\[secret:([\w.]+)\]/g)].map(([, name]) => name));
    expect(marks.size).toBeGreaterThanOrEqual(secrets.length);
    const done = events
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ name }) => name === 'task.done');
    const ok = done.filter(({ payload }) => payload.outcome?.status === 'ok').map(({ task_label }) => task_label);
    const sql = ['duckdb', ...(postgres === undefined ? [] : ['postgres'])].flatMap((kind) => [
      `${kind}_values`,
      `${kind}_large`,
    ]);
    expect(ok).toEqual(
      expect.arrayContaining([
        'json',
        'auth_2',
        'py_result',
        'py_print',
        'js_result',
        'argv',
        'script',
        'handle',
        ...sql,
      ]),
    );
    expect(sightings(sinks, secrets)).toEqual([]);
  });
});
