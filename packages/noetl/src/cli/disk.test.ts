import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDisk } from './disk.ts';

let folder: string;
const disk = createDisk(() => Readable.from([]));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-disk-'));
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'file'), '0123456789');
  symlinkSync('file', join(folder, 'to-file'));
  symlinkSync('.', join(folder, 'to-folder'));
  symlinkSync('nowhere', join(folder, 'to-nothing'));
  symlinkSync('to-itself', join(folder, 'to-itself'));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('the disk', () => {
  it('reads a file, and stops after the limit', async () => {
    expect(Buffer.from(await disk.readBytes(join(folder, 'file'), 10)).toString()).toBe('0123456789');
    await expect(disk.readBytes(join(folder, 'none'), 10)).rejects.toThrow('ENOENT');
    await expect(disk.readBytes(folder, 10)).rejects.toThrow('EISDIR');
    expect((await disk.readBytes('/dev/zero', 1_000_000)).length).toBeGreaterThan(1_000_000);
  });

  it('reads standard input for -, and stops after the limit', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(++given, 'x');
      })(),
    );
    const bytes = await createDisk(() => endless).readBytes('-', 1_000);
    expect(bytes.length).toBeGreaterThan(1_000);
    expect(bytes.length).toBeLessThan(1_100);
    expect(endless.destroyed).toBe(true);
  });

  it('tells files from folders, through links', async () => {
    const look = (name: string) => disk.look(join(folder, name));
    expect(await Promise.all(['file', 'sub', 'to-file', 'to-folder'].map(look))).toEqual([
      'file',
      'folder',
      'file',
      'folder',
    ]);
    const nothing = ['none', 'to-nothing', 'to-itself', 'file/none'];
    expect(await Promise.all(nothing.map(look))).toEqual(nothing.map(() => undefined));
    expect(await disk.look('/dev/null')).toBe('other');
  });

  it('lists a folder, and marks links that could lead round in a circle', async () => {
    const entries = (await disk.list(folder)).map(({ name, kind }) => [name, kind]);
    expect(Object.fromEntries(entries)).toEqual({
      file: 'file',
      sub: 'folder',
      'to-file': 'file',
      'to-folder': 'other',
      'to-nothing': 'other',
      'to-itself': 'other',
    });
  });

  it('replaces a file only if it may', async () => {
    const file = join(folder, 'new');
    expect(await disk.write(file, 'one', { replace: false })).toBe(true);
    expect(await disk.write(file, 'two', { replace: false })).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('one');
    expect(await disk.write(file, 'two', { replace: true })).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('two');
    await expect(disk.write(join(folder, 'none', 'x'), '', { replace: false })).rejects.toThrow('ENOENT');
    await expect(disk.write(join(folder, 'sub'), '', { replace: true })).rejects.toThrow('EISDIR');
  });

  it('saves a file whole or not at all, and leaves links, pipes and folders what they are', async () => {
    const inside = join(folder, 'saved');
    mkdirSync(inside);
    const [file, link, pipe] = ['file', 'link', 'pipe'].map((name) => join(inside, name)) as [string, string, string];
    symlinkSync('file', link);
    await disk.save(file, Readable.from(['o', 'ne']));
    await disk.save(link, Readable.from(['two']));
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    chmodSync(file, 0o640);
    await disk.save(file, Readable.from(['two']));
    expect(lstatSync(file).mode & 0o777).toBe(0o640);
    execFileSync('mkfifo', [pipe]);
    const [read] = await Promise.all([disk.readBytes(pipe, 10), disk.save(pipe, Readable.from(['three']))]);
    expect(Buffer.from(read).toString()).toBe('three');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    const failing = (async function* () {
      yield 'half';
      throw new Error('lost');
    })();
    await expect(disk.save(file, failing)).rejects.toThrow('lost');
    await expect(disk.save(inside, Readable.from(['x']))).rejects.toThrow('EISDIR');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(readdirSync(inside).sort()).toEqual(['file', 'link', 'pipe']);
  });
});
