import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalApi, openLocalApi } from './local-api.testing.ts';
import { openProgram, type Program } from './program.testing.ts';

const TIMEOUT = 120_000;
const SECRET = 'tok-9f2c4e71ab';

describe('SEC-1: the keychain of a run', { timeout: TIMEOUT }, () => {
  let program: Program;
  let config: string;
  const apis: LocalApi[] = [];
  beforeAll(() => {
    program = openProgram();
    config = join(program.folder, 'config');
  });
  afterEach(async () => {
    for (const api of apis.splice(0)) await api.close();
  });
  afterAll(() => program.close());

  /** Tells who asked, as it was asked. */
  async function openApi(
    answer: Parameters<typeof openLocalApi>[0] = ({ headers }) => ({
      body: { who: headers.authorization ?? headers['x-api-key'] ?? null },
    }),
  ) {
    const api = await openLocalApi(answer);
    apis.push(api);
    return api;
  }

  const env = (more: NodeJS.ProcessEnv = {}) => ({ XDG_CONFIG_HOME: config, ...more });
  const set = (data: string, name: string, kind: string, input: string) =>
    program.run(['credential', 'set', name, '--kind', kind, '--data', data], { env: env(), input });
  const quiet = (file: string, data: string, more: NodeJS.ProcessEnv = {}) =>
    program.run(['run', file, '--data', data, '--quiet'], { env: env(more) });
  /** Everything that a data folder holds. */
  const stored = (data: string) =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('');

  it('lends credentials of the store to tasks that name them, also by a template, in every form that http knows', async () => {
    const api = await openApi();
    const data = program.newData();
    await set(data, 'api', 'bearer', SECRET);
    await set(data, 'door', 'basic', JSON.stringify({ username: 'ada', password: SECRET }));
    await set(data, 'key', 'api_key', SECRET);
    const call = (auth: string) => `{ kind: http, url: "${api.url}/who", auth: ${auth} }`;
    const file = program.playbook(
      'stored',
      `workload: { which: key }
keychain:
  - { name: api, kind: credential }
  - { name: door, kind: credential }
  - { name: other, kind: credential, credential: key }
  - { name: key, kind: static, value: "{{ keychain.other }}" }
workflow:
  - step: start
    tool: [{ a: ${call('api')} }, { b: ${call('door')} }, { c: ${call('"{{ workload.which }}"')} }, { d: ${call('"{{ keychain.door }}"')} }]
`,
    );
    const { code, stdout, stderr } = await quiet(file, data);
    expect([code, stderr]).toEqual([0, '']);
    const basic = `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}`;
    expect(api.requests.map(({ headers }) => headers.authorization ?? headers['x-api-key'])).toEqual([
      `Bearer ${SECRET}`,
      basic,
      SECRET,
      basic,
    ]);
    expect(stdout).not.toContain(SECRET);
    expect(stored(data)).not.toContain(SECRET);
  });

  it('rejects a playbook whose credential nobody has set, and says how', async () => {
    const data = program.newData();
    const file = program.playbook(
      'unset',
      'keychain: [{ name: api, kind: credential }]\nworkflow: [{ step: start, tool: { kind: noop } }]\n',
    );
    const { code, stderr } = await quiet(file, data);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "the keychain entry 'api' needs the credential 'api', which the data folder does not have.",
    );
    expect(stderr).toContain('noetl credential set api');
  });

  /** An issuer of tokens that count, good for so many seconds, to who knows the secret. */
  const openIssuer = (seconds: number) =>
    openApi(({ path, headers }, nth) => {
      if (path !== '/token') return { body: { who: headers.authorization ?? null } };
      return { body: { access_token: `token-number-${nth}`, token_type: 'Bearer', expires_in: seconds } };
    });
  const oauth2 = (url: string, more = '') => `keychain:
  - { name: client, kind: secret_manager, key: CLIENT_SECRET }
  - { name: api, kind: oauth2, token_url: "${url}/token", client_id: me, client_secret: "{{ keychain.client }}"${more} }
`;

  it('renews a token before it expires, in the middle of a pipeline, and hides every one of them', async () => {
    const issuer = await openIssuer(2);
    const api = await openApi();
    const data = program.newData();
    const file = program.playbook(
      'renewed',
      `${oauth2(issuer.url)}workflow:
  - step: start
    tool:
      - one: { kind: http, url: "${api.url}/", auth: api }
      - wait: { kind: shell, command: [sleep, "2.2"] }
      - two: { kind: http, url: "${api.url}/", auth: api }
      - three: { kind: shell, command: [echo, "{{ keychain.api.token }}"] }
`,
    );
    const { code, stdout, stderr } = await quiet(file, data, { CLIENT_SECRET: SECRET });
    expect([code, stderr]).toEqual([0, '']);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-number-1',
      'Bearer token-number-2',
    ]);
    expect(stdout).toContain('[secret:api.token]');
    expect(stored(data)).not.toMatch(/token-number-\d/);
  });

  it('gets a new token once when one is refused before its time', async () => {
    const issuer = await openIssuer(3600);
    const api = await openApi(({ headers }) =>
      headers.authorization === 'Bearer token-number-2'
        ? { body: { who: headers.authorization } }
        : { status: 401, body: { refused: headers.authorization } },
    );
    const data = program.newData();
    const task = `kind: http, url: "${api.url}/", auth: api`;
    const file = program.playbook(
      'refused',
      `${oauth2(issuer.url)}workflow: [{ step: start, tool: [{ one: { ${task} } }, { two: { ${task} } }] }]\n`,
    );
    const { code, stdout } = await quiet(file, data, { CLIENT_SECRET: SECRET });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Bearer [secret:api.token]')]);
    expect([issuer.requests.length, api.requests.length]).toEqual([2, 3]);
    expect(stored(data)).not.toMatch(/token-number-\d/);
  });

  it('passes on a refusal that a new token does not change', async () => {
    const issuer = await openIssuer(3600);
    const api = await openApi(() => ({ status: 401, body: {} }));
    const file = program.playbook(
      'refused-twice',
      `${oauth2(issuer.url)}workflow: [{ step: start, tool: { kind: http, url: "${api.url}/", auth: api } }]\n`,
    );
    const { code, stderr } = await quiet(file, program.newData(), { CLIENT_SECRET: SECRET });
    expect([code, stderr]).toEqual([1, expect.stringContaining('answered 401')]);
    expect([issuer.requests.length, api.requests.length]).toEqual([2, 2]);
  });

  it('names the entry whose issuer refuses the secret, or cannot be reached, and never the secret', async () => {
    const issuer = await openApi(() => ({ status: 401, body: { error: 'invalid_client', error_description: SECRET } }));
    const tool = 'workflow: [{ step: start, tool: { kind: noop } }]\n';
    const wrong = await quiet(program.playbook('wrong', oauth2(issuer.url) + tool), program.newData(), {
      CLIENT_SECRET: SECRET,
    });
    expect(wrong.stderr).toContain(
      `the keychain entry 'api' gets its tokens from ${issuer.url}/token, which answered 401 (invalid_client).`,
    );
    const away = await quiet(program.playbook('away', oauth2('http://127.0.0.1:1') + tool), program.newData(), {
      CLIENT_SECRET: SECRET,
    });
    expect(away.stderr).toContain(
      "the keychain entry 'api' gets its tokens from http://127.0.0.1:1/token, which cannot be",
    );
    const inside = await quiet(program.playbook('inside', oauth2('http://2852039166') + tool), program.newData(), {
      CLIENT_SECRET: SECRET,
    });
    expect(inside.stderr).toContain(
      "the keychain entry 'api' may not get its tokens from 169.254.169.254: that is an address at which clouds tell",
    );
    for (const { code, stdout, stderr } of [wrong, away, inside]) {
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain(SECRET);
    }
  });

  /** Runs until the execution waits for a signal, and then dies. */
  async function untilWaiting(file: string, data: string, more: NodeJS.ProcessEnv): Promise<string> {
    const child = program.start(['run', file, '--data', data], { env: env(more) });
    await new Promise<void>((resolve) => {
      let shown = '';
      child.stderr?.on('data', (text) => {
        shown += text;
        if (shown.includes('noetl exec signal')) resolve();
      });
    });
    child.kill('SIGKILL');
    await program.end(child);
    const { stdout } = await program.run(['exec', 'list', '--data', data, '--json']);
    return JSON.parse(stdout)[0].execution_id;
  }
  const goOn = (id: string, data: string) => program.run(['exec', 'signal', id, 'go', '--data', data], { env: env() });
  const resumed = async (id: string, data: string, more: NodeJS.ProcessEnv = {}) =>
    program.run(['run', '--resume', id, '--data', data, '--quiet'], { env: env(more) });
  const WAIT = '- pause: { kind: wait, for: signal, name: go }';

  it.each([
    ['auth', 'auth: token'],
    ['a template', 'headers: { authorization: "{{ keychain.token }}" }'],
    ['a templated auth', 'auth: "{{ workload.name }}"'],
  ])(
    'is resolved again after a crash; failing that a task that reads it by %s fails with secret.unresolved',
    async (_, field) => {
      const api = await openApi();
      const data = program.newData();
      const file = program.playbook(
        'resumed',
        `workload: { name: token }
keychain: [{ name: token, kind: secret_manager, key: API_TOKEN }]
workflow:
  - step: start
    tool:
      ${WAIT}
      - call: { kind: http, url: "${api.url}/", ${field} }
`,
      );
      const id = await untilWaiting(file, data, { API_TOKEN: SECRET });
      await goOn(id, data);
      const without = await resumed(id, data);
      expect(without.code).toBe(1);
      expect(without.stderr).toContain('secret.unresolved');
      expect(without.stderr).toContain("the environment variable 'API_TOKEN', which is not set");
      expect(api.requests).toHaveLength(0);

      const again = program.newData();
      const other = await untilWaiting(file, again, { API_TOKEN: SECRET });
      await goOn(other, again);
      expect((await resumed(other, again, { API_TOKEN: SECRET })).code).toBe(0);
      expect(api.requests).toHaveLength(1);
    },
  );

  it('TOOL-2: gives handles for secrets, which stand for them in `auth` and nowhere else, also after a crash', async () => {
    const api = await openApi();
    const data = program.newData();
    const call = (auth: string) => `{ kind: http, url: "${api.url}/", auth: "${auth}" }`;
    const file = program.playbook(
      'handles',
      `workflow:
  - step: start
    tool:
      - ask: { kind: secrets, provider: env, key: API_TOKEN }
      - by_prev: ${call('{{ _prev }}')}
    next: { arcs: [{ step: token }] }
  - step: token
    tool:
      - ask: { kind: secrets, map: { username: USER_NAME, password: API_TOKEN } }
      - shown: { kind: python, args: { given: "{{ _prev }}" }, code: "result = given" }
    next: { arcs: [{ step: use, args: { handle: "{{ results.token }}" } }] }
  - step: use
    tool:
      - by_result: ${call('{{ results.token }}')}
      - by_args: ${call('{{ args.handle }}')}
      ${WAIT}
      - after: ${call('{{ results.token }}')}
      - given: { kind: noop, result: "{{ results.token }}" }
`,
    );
    const more = { API_TOKEN: SECRET, USER_NAME: 'ada-lovelace' };
    const id = await untilWaiting(file, data, more);
    await goOn(id, data);
    const { code, stdout, stderr } = await resumed(id, data, more);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'credential_handle',
      provider: 'env',
      map: { username: 'USER_NAME', password: 'API_TOKEN' },
    });
    const basic = `Basic ${Buffer.from(`ada-lovelace:${SECRET}`).toString('base64')}`;
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${SECRET}`, basic, basic, basic]);
    expect(stored(data)).not.toContain(SECRET);

    // A fork goes on with what was given to its origin before the fork, and with nothing else.
    const { stdout: lines } = await program.run(['exec', 'events', id, '--data', data, '--json']);
    const events = lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const pause = events.find(({ name }) => name === 'task.resumed').seq;
    const fork = (at: number) =>
      program.run(['exec', 'fork', id, '--at', String(at), '--data', data, '--quiet'], { env: env(more) });
    expect(await fork(pause)).toMatchObject({ code: 0, stderr: '' });
    expect(api.requests.at(-1)?.headers.authorization).toBe(basic);
    expect(api.requests).toHaveLength(5);
    expect(stored(data)).not.toContain(SECRET);
  });

  it('refuses data that looks like a handle, but was given by no task', async () => {
    const api = await openApi();
    const data = program.newData();
    const file = program.playbook(
      'forged',
      `workload: { auth: {} }
workflow: [{ step: start, tool: { kind: http, url: "${api.url}/", auth: "{{ workload.auth }}" } }]
`,
    );
    const forged = JSON.stringify({ auth: { kind: 'credential_handle', provider: 'env', key: 'API_TOKEN' } });
    const { code, stderr } = await program.run(['run', file, '--data', data, '--quiet', '--payload', forged], {
      env: env({ API_TOKEN: SECRET }),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('was given by no task of this execution; only those of kind secrets give handles.');
    expect(api.requests).toHaveLength(0);
  });

  it('says which secret a task could not get', async () => {
    const file = program.playbook(
      'none',
      'workflow: [{ step: start, tool: { t: { kind: secrets, key: NOT_SET_ANYWHERE } } }]\n',
    );
    const { code, stderr } = await quiet(file, program.newData());
    expect(code).toBe(1);
    expect(stderr).toContain("needs the environment variable 'NOT_SET_ANYWHERE', which is not set.");
  });
});
