import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

describe('making a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('makes those above it, and tells the topmost that was missing', async () => {
    expect(await makeFolder(join(folder, 'a', 'b', 'c'))).toBe(join(folder, 'a'));
    expect((await stat(join(folder, 'a', 'b', 'c'))).isDirectory()).toBe(true);
    expect(await makeFolder(join(folder, 'a', 'b', 'c'))).toBeUndefined();
    expect(await makeFolder(join(folder, 'a', 'd'))).toBe(join(folder, 'a', 'd'));
  });

  it('fails where a file is in the way, or a folder that takes no others', async () => {
    await writeFile(join(folder, 'file'), '');
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(folder, 'file', 'below', 'it'))).rejects.toMatchObject({ code: 'ENOTDIR' });
    await expect(makeFolder('/proc/none/below')).rejects.toBeInstanceOf(Error);
  });

  it('can be done by many at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(folder, 'x', 'y', 'z'))));
    expect((await stat(join(folder, 'x', 'y', 'z'))).isDirectory()).toBe(true);
  });
});
