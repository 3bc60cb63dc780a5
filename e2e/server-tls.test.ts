import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program } from './program.testing.ts';
import { detachedServer } from './server.testing.ts';

const GREET = 'workflow: [{ step: start, tool: [{ say: { kind: noop, result: hello } }] }]\n';

describe('SEC-4: a server with a certificate', { timeout: 120_000 }, () => {
  let program: Program;
  const file = (name: string): string => join(program.folder, name);
  /** A key, and a certificate of it for this machine that it signs itself. */
  const certify = (name: string): void => {
    const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost', '-days', '2'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file(`${name}.key`)];
    execFileSync('openssl', ['req', '-x509', ...key, '-out', file(`${name}.crt`), ...named], { stdio: 'pipe' });
  };
  beforeAll(() => {
    program = openProgram();
    for (const name of ['own', 'other']) certify(name);
  });
  afterAll(() => program.close());

  const tls = (cert: string, key: string): string[] => ['--tls-cert', file(cert), '--tls-key', file(key)];
  const asked = (url: string, ca?: string): Promise<{ readonly status?: number | undefined; readonly body: string }> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent: false, ...(ca === undefined ? {} : { ca }) }, (answer) => {
        text(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
      });
      sent.on('error', reject).end();
    });

  it('serves https to those who trust it, nothing in the open, and commands as on a folder', async () => {
    const data = program.newData();
    const url = await detachedServer(program, data, { args: tls('own.crt', 'own.key') });
    const env = { NODE_EXTRA_CA_CERTS: file('own.crt') };
    try {
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      const health = await asked(`${url}/api/health`, readFileSync(file('own.crt'), 'utf8'));
      expect([health.status, JSON.parse(health.body)]).toEqual([200, expect.any(Object)]);
      await expect(asked(`${url}/api/health`)).rejects.toThrow(/self-signed certificate/);
      await expect(fetch(`${url.replace('https', 'http')}/api/health`)).rejects.toThrow();
      const run = await program.run(['run', program.playbook('greet', GREET), '--server', url], { env });
      expect([run.code, run.stdout]).toEqual([0, 'hello\n']);
      const here = await program.run(['run', program.playbook('greet', GREET), '--data', data], { env });
      expect([here.code, here.stdout]).toEqual([0, 'hello\n']);
      const status = await program.run(['server', 'status', '--data', data, '--json'], { env });
      expect(JSON.parse(status.stdout)).toMatchObject({ url, ready: true });
    } finally {
      expect((await program.run(['server', 'stop', '--data', data])).code).toBe(0);
    }
  });

  it.each([
    ['a certificate without its key', () => ['--tls-cert', file('own.crt')], 'belong together'],
    ['a file that is not there', () => tls('own.crt', 'absent.key'), 'absent.key'],
    ['the key of another certificate', () => tls('own.crt', 'other.key'), '--tls-cert and --tls-key cannot be used'],
    ['a file that is no key', () => tls('own.crt', 'own.crt'), '--tls-cert and --tls-key cannot be used'],
    ['a file that is no certificate', () => tls('own.key', 'own.key'), '--tls-cert and --tls-key cannot be used'],
  ])('does not start with %s, and says why', async (_, args, why) => {
    const ended = await program.run(['server', 'start', '--port', '0', '--data', program.newData(), ...args()]);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(/^error: [^\n]+\n$/);
    expect(ended.stderr).toContain(why);
  });
});
