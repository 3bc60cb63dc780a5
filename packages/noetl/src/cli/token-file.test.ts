import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenHash } from '../server/token-access.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { shownToken } from './shown-token.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';
import { keepTokenFile } from './token-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-token-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const GIVEN = 'a-token-that-somebody-made-for-tests';

describe('SEC-4: the token in a file', () => {
  const store = () => createMemoryStore(systemClock);
  const keep = (file: string, data: { store: ReturnType<typeof store> }, role: 'worker' | 'admin' = 'worker') =>
    keepTokenFile({ role, file: join(folder, file) }, data, 1_000, thisMachine);
  const given = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text);
    return file;
  };

  it('is made with its file, for its owner alone, and is the same at the next start', async () => {
    const data = { store: store() };
    const told = await keep('new/worker', data);
    const file = join(folder, 'new/worker');
    const token = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(told).toBe(`the token 'worker-${tokenHash(token).slice(0, 8)}' (worker) is new, and in ${file}`);
    expect(told).not.toContain(token);
    expect(await keep('new/worker', data)).toBeUndefined();
    expect(await data.store.tokens.list()).toMatchObject([{ role: 'worker', prefix: '', hash: tokenHash(token) }]);
    expect(readFileSync(file, 'utf8').trim()).toBe(token);
  });

  it('is made known if somebody else made it', async () => {
    const data = { store: store() };
    await keep(given('given', `${GIVEN}\n`), data);
    expect(await data.store.tokens.byHash(tokenHash(GIVEN))).toMatchObject({ role: 'worker', revokedAt: undefined });
    expect(readFileSync(join(folder, 'given'), 'utf8')).toBe(`${GIVEN}\n`);
  });

  it.each([
    ['too short to be a secret', 'short', 'holds no token'],
    ['empty', '', 'holds no token'],
    ['of several lines', `${GIVEN}\n${GIVEN}`, 'holds no token'],
  ])('is refused if it is %s, and not told', async (_, text, why) => {
    const refused = keep(given('bad', text), { store: store() });
    await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(why) });
    await expect(refused).rejects.not.toThrow(GIVEN);
  });

  it('stays revoked, and keeps its role', async () => {
    const data = { store: store() };
    await keep(given('known', GIVEN), data);
    await expect(keep('known', data, 'admin')).rejects.toThrow('whose role is worker, not admin');
    const [{ name } = { name: '' }] = await data.store.tokens.list();
    await data.store.tokens.revoke(name, 2_000);
    await expect(keep('known', data)).rejects.toThrow(`holds the token '${name}', which is not valid any more`);
  });

  it.each([
    ['a folder', '.', 'cannot be read (EISDIR)'],
    ['below a file', 'plain/x', 'cannot be read (ENOTDIR)'],
  ])('is refused where its file is %s', async (_, file, why) => {
    given('plain', 'text');
    await expect(keep(file, { store: store() })).rejects.toThrow(why);
  });
});

describe('SEC-4: what commands show to a server', () => {
  const shown = (environment: Record<string, string>) =>
    shownToken({ ...thisMachine, workingFolder: folder, environment });

  it('is NOETL_TOKEN, or what stands in the file that NOETL_TOKEN_FILE names', () => {
    writeFileSync(join(folder, 'shown'), ' in-a-file\n');
    expect([shown({}), shown({ NOETL_TOKEN: 't' }), shown({ NOETL_TOKEN_FILE: 'shown', NOETL_TOKEN: '' })]).toEqual([
      undefined,
      't',
      'in-a-file',
    ]);
  });

  it.each([
    [{ NOETL_TOKEN: 'a', NOETL_TOKEN_FILE: 'shown' }, 'are both set'],
    [{ NOETL_TOKEN_FILE: 'absent' }, "absent', which cannot be read (ENOENT)"],
    [{ NOETL_TOKEN_FILE: 'nothing' }, "names 'nothing', which is empty"],
  ])('is refused for %j', (environment, why) => {
    writeFileSync(join(folder, 'nothing'), '\n');
    expect(() => shown(environment as unknown as Record<string, string>)).toThrow(why);
  });
});
