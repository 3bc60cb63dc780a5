import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultReference } from '@noetl/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resultStoreContract } from '../ports/result-store.contract.testing.ts';
import { type CollectedResults, createFileResults } from './files.ts';

const fileOf = (folder: string, key: string): string => join(folder, key.slice(0, 2), `${key}.json`);

async function listed(results: CollectedResults): Promise<Parameters<CollectedResults['collect']>[0][]> {
  const all = [];
  for await (const stored of results.stored()) all.push(stored);
  return all;
}

resultStoreContract('files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-results-'));
  return {
    results: createFileResults(folder),
    damage: async (key) => {
      const file = fileOf(folder, key);
      await writeFile(file, `${await readFile(file, 'utf8')} `);
    },
    close: () => rm(folder, { recursive: true }),
  };
});

describe('results in files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-results-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are found by another process, in a folder that did not exist', async () => {
    const deep = join(folder, 'deep', 'results');
    const reference = await createFileResults(deep).put({ a: 1 });
    expect(await createFileResults(deep).get(reference)).toEqual({ kind: 'value', value: { a: 1 } });
  });

  it('leave nothing unfinished behind', async () => {
    const { key } = await createFileResults(folder).put('x');
    expect(await readdir(join(folder, key.slice(0, 2)))).toEqual([`${key}.json`]);
  });

  it('are corrupt when they are cut off, empty or no text', async () => {
    const results = createFileResults(folder);
    const reference = await results.put('x'.repeat(1_000));
    for (const damaged of ['"xxx', '', Buffer.from([0xff, 0xfe])]) {
      await writeFile(fileOf(folder, reference.key), damaged);
      expect(await results.get(reference)).toEqual({ kind: 'corrupt' });
    }
  });

  it.each([
    ['a folder', 'mkdir'],
    ['something that is no file', 'mkfifo'],
  ])('are named where %s stands instead, at once', async (found, make) => {
    const results = createFileResults(folder);
    const reference = await results.put('large');
    const file = join(folder, reference.key.slice(0, 2), `${reference.key}.json`);
    await rm(file);
    execFileSync(make, [file]);
    expect(await results.get(reference)).toEqual({ kind: 'corrupt' });
    expect(await results.inspect(reference)).toMatchObject({ kind: 'changed', place: file, found });
  });

  it('are not looked for outside of their folder', async () => {
    const results = createFileResults(join(folder, 'results'));
    await writeFile(join(folder, 'secret.json'), '"secret"');
    const reference = await results.put('x');
    for (const key of ['../secret', '..', '', `${'a'.repeat(63)}/`]) {
      const elsewhere: ResultReference = { ...reference, key };
      expect(await results.get(elsewhere)).toEqual({ kind: 'missing' });
      await results.remove([elsewhere]);
    }
    expect(await readFile(join(folder, 'secret.json'), 'utf8')).toBe('"secret"');
  });

  it('that cannot be written are an error with a code and the folder, and leave nothing behind', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(createFileResults(join(file, 'results')).put('x')).rejects.toMatchObject({
      code: 'NOETL_STORE_IO',
      fields: { folder: join(file, 'results') },
    });
    const taken = join(folder, 'taken');
    const { key } = await createFileResults(taken).put('x');
    await rm(fileOf(taken, key));
    await mkdir(fileOf(taken, key));
    await expect(createFileResults(taken).put('x')).rejects.toMatchObject({ code: 'NOETL_STORE_IO' });
    expect(await readdir(join(taken, key.slice(0, 2)))).toEqual([`${key}.json`]);
  });

  it('are collected by one of several that collect at a time', async () => {
    const results = createFileResults(folder);
    for (let nth = 0; nth < 20; nth++) await results.put({ nth });
    const all = await listed(results);
    const done = await Promise.all([...all, ...all].map((stored) => createFileResults(folder).collect(stored)));
    expect(done.filter(Boolean)).toHaveLength(20);
    expect(await listed(results)).toEqual([]);
  });
});
