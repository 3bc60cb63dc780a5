import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyIn, makeKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('SEC-2: the key file', () => {
  it('is made for its owner only, with the folders above it', async () => {
    const file = join(folder, 'a', 'b', 'key');
    const key = await makeKeyFile(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toEqual(Buffer.from(key.bytes));
    expect(await readKeyFile(file)).toEqual(key);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['key']);
  });

  it('is never replaced by making it again: all who make it get the same key', async () => {
    const file = join(folder, 'key');
    const keys = await Promise.all(Array.from({ length: 8 }, () => makeKeyFile(file)));
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['key']);
  });

  it('takes the place of another', async () => {
    const [from, to] = [join(folder, 'next'), join(folder, 'key')];
    await makeKeyFile(to);
    const key = await makeKeyFile(from);
    await replaceKeyFile(from, to);
    expect(await readKeyFile(to)).toEqual(key);
    expect(await readKeyFile(from)).toBeUndefined();
    await replaceKeyFile(from, to);
    expect(await readKeyFile(to)).toEqual(key);
  });

  it.each([0o640, 0o604, 0o660, 0o620, 0o777])('is refused with the mode %o, and says what to do', async (mode) => {
    const file = join(folder, 'key');
    await makeKeyFile(file);
    chmodSync(file, mode);
    await expect(readKeyFile(file)).rejects.toThrow(`chmod 600 '${file}'`);
  });

  it.each([
    ['nothing', ''],
    ['a short key', Buffer.alloc(16).toString('base64')],
    ['a long key', Buffer.alloc(33).toString('base64')],
    ['another text', 'hello, world!'],
  ])('is refused if it holds %s, which is not shown', async (_, text) => {
    const file = join(folder, 'key');
    writeFileSync(file, text, { mode: 0o600 });
    const refused = readKeyFile(file);
    await expect(refused).rejects.toThrow(`the key file '${file}' holds no key: 32 random bytes`);
    if (text !== '') await expect(refused).rejects.not.toThrow(text);
  });

  it('is refused if it is a folder, or cannot be made', async () => {
    mkdirSync(join(folder, 'key'));
    await expect(readKeyFile(join(folder, 'key'))).rejects.toThrow('is no file');
    writeFileSync(join(folder, 'file'), '');
    await expect(makeKeyFile(join(folder, 'file', 'key'))).rejects.toThrow('cannot be made');
  });

  it('may be in base64 or hexadecimal', () => {
    const bytes = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
    expect(keyIn(`${bytes.toString('base64')}\n`, 'x')).toEqual(keyIn(bytes.toString('hex'), 'x'));
    expect(keyIn(bytes.toString('base64url'), 'x')).toEqual(keyIn(bytes.toString('hex').toUpperCase(), 'x'));
  });
});
