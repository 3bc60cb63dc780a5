import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORED_KINDS } from '../../../secrets/stored-kinds.ts';
import { type Ending, noetl } from '../../scripted-terminal.testing.ts';

const SECRET = 'tok-3k1j2h3-very-secret';
let parent: string;
let data: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'noetl-credentials-'));
  data = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true }));

interface Given {
  readonly input?: string | Uint8Array;
  readonly answers?: readonly (string | undefined)[];
  readonly environment?: Record<string, string>;
}

/** `noetl credential …`, with keys in a folder beside the data. */
function credential(args: readonly string[], { input = '', answers, environment }: Given = {}): Promise<Ending> {
  const folder = existsSync(data) ? { [join(data, 'noetl.db')]: '' } : {};
  const world = { environment: { XDG_CONFIG_HOME: join(parent, 'config'), ...environment } };
  const person = answers === undefined ? {} : { answers };
  return noetl(['credential', ...args, '--data', data], { '-': input, ...folder }, { ...world, ...person });
}

/** All bytes of the data folder. */
const stored = () => Buffer.concat(readdirSync(data).map((name) => readFileSync(join(data, name)))).toString('latin1');
const names = async () =>
  JSON.parse((await credential(['list', '--json'])).stdout).map((one: { name: string }) => one.name);

describe('SEC-2: noetl credential', () => {
  it('keeps what comes by standard input, and shows it to nobody', async () => {
    expect(await credential(['set', 'api', '--kind', 'bearer'], { input: `${SECRET}\n` })).toEqual({
      exitCode: 0,
      stdout: "kept 'api' (bearer: token).\n",
      stderr: '',
    });
    const { stdout } = await credential(['set', 'plain', '--json'], { input: SECRET });
    expect(JSON.parse(stdout)).toEqual({ name: 'plain', kind: 'secret', fields: [], set_at: expect.any(String) });
    expect((await credential(['list'])).stdout).toBe(
      'CREDENTIAL  KIND    SET                   FIELDS\n' +
        'api         bearer  2026-01-02T03:04:05Z  token\n' +
        'plain       secret  2026-01-02T03:04:05Z\n',
    );
    expect(stored()).not.toContain(SECRET);
  });

  it('takes a mapping in JSON', async () => {
    const input = JSON.stringify({ host: 'db', user: 'u', password: SECRET, database: 'd' });
    const { stdout } = await credential(['set', 'pg', '--kind', 'postgres'], { input });
    expect(stdout).toBe("kept 'pg' (postgres: host, user, password, database, port).\n");
  });

  it('asks a person, field by field, and hides what is secret', async () => {
    const answers = ['ada', SECRET];
    expect(await credential(['set', 'door', '--kind', 'basic'], { answers })).toEqual({
      exitCode: 0,
      stdout: "kept 'door' (basic: username, password).\n",
      stderr: 'username - The user. \npassword - The password. (hidden)\n',
    });
    const plain = await credential(['set', 'plain'], { answers: [SECRET] });
    expect(plain.stderr).toBe('plain: (hidden)\n');
  });

  it('asks for a connection string only if no host is given', async () => {
    const parts = await credential(['set', 'pg', '--kind', 'postgres'], { answers: ['h', 'u', SECRET, 'd', ''] });
    expect(parts.stdout).toBe("kept 'pg' (postgres: host, user, password, database, port).\n");
    const dsn = await credential(['set', 'pg', '--kind', 'postgres'], { answers: ['', '', '', '', SECRET, ''] });
    expect(dsn.stdout).toBe("kept 'pg' (postgres: dsn).\n");
  });

  it('keeps nothing if the person gives up', async () => {
    const { exitCode, stderr } = await credential(['set', 'door', '--kind', 'basic'], { answers: ['ada', undefined] });
    expect([exitCode, stderr.split('\n').at(-2)]).toEqual([1, 'Nothing was kept.']);
    expect(existsSync(data)).toBe(false);
  });

  it.each([
    ['no value', ['set', 'a'], '', "the credential 'a' (secret) is empty."],
    ['a name that is none', ['set', 'a b'], SECRET, "'a b' is no name of a credential"],
    ['JSON that is none', ['set', 'a'], `{"token": "${SECRET}"`, 'begins like a JSON mapping, and is none'],
    ['bytes that are no text', ['set', 'a'], new Uint8Array([0xff, 0xfe]), 'no text in UTF-8'],
    ['a file by mistake', ['set', 'a'], 'x'.repeat(70_000), 'more than 65536 bytes'],
    ['a field too few', ['set', 'a', '--kind', 'basic'], `{"username": "${SECRET}"}`, "lacks 'password'"],
    ['a kind that is none', ['set', 'a', '--kind', 'magic'], SECRET, 'Allowed choices are secret, bearer'],
    ['a value on the command line', ['set', 'a', SECRET], SECRET, 'too many arguments'],
  ])('refuses %s, without showing the value', async (_, args, input, message) => {
    const { exitCode, stdout, stderr } = await credential(args, { input });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(SECRET);
    expect(existsSync(data)).toBe(false);
  });

  it('removes all that are named, or none', async () => {
    for (const name of ['a', 'b', 'c']) await credential(['set', name], { input: SECRET });
    const refused = await credential(['rm', 'a', 'x']);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Nothing was removed.') });
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect((await credential(['rm', 'a', 'b', 'a'])).stdout).toBe("removed 'a'.\nremoved 'b'.\n");
    expect((await credential(['rm', 'c', '--json'])).stdout).toBe('["c"]\n');
    expect((await credential(['list'])).stdout).toBe('There are no credentials.\n');
  });

  it('rotates the master key', async () => {
    await credential(['set', 'a'], { input: SECRET });
    const { exitCode, stdout } = await credential(['rotate']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^1 credential under a new key, in '.*\.key'\.\n$/)]);
    expect((await credential(['rotate', '--json'])).stdout).toBe('{"credentials":1}\n');
    expect(
      await noetl(
        ['doctor', '--data', data, '--json'],
        { [join(data, 'noetl.db')]: '' },
        {
          environment: { ...process.env, XDG_CONFIG_HOME: join(parent, 'config') },
        },
      ),
    ).toMatchObject({ stdout: expect.stringContaining('1 credential can be opened') });
  });

  it('says what is wrong with a key', async () => {
    await credential(['set', 'a'], { input: SECRET });
    const wrong = { NOETL_KEY: Buffer.alloc(32).toString('base64') };
    const refused = await credential(['set', 'b'], { input: SECRET, environment: wrong });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('is another one') });
    const both = await credential(['rotate'], { environment: { ...wrong, NOETL_KEY_FILE: '/x' } });
    expect(both).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('are both set') });
    const lost = await noetl(
      ['doctor', '--data', data],
      { [join(data, 'noetl.db')]: '' },
      {
        environment: { ...process.env, ...wrong },
      },
    );
    expect(lost).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('! credentials') });
  });

  it('needs a data folder that is there, but for the first credential', async () => {
    for (const args of [['list'], ['rm', 'a'], ['rotate']]) {
      expect(await credential(args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no data folder') });
    }
  });

  it('offers every kind that the store knows', async () => {
    const { stdout } = await credential(['set', '--help']);
    const [, offered = ''] = /choices: ([^)]*), default/s.exec(stdout.replace(/\s+/g, ' ')) ?? [];
    expect(offered.replaceAll('"', '').split(', ')).toEqual(Object.keys(STORED_KINDS));
  });
});
