import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSourceFolders } from './source-folders.ts';

it('is read whole while others write it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-sources-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [writer, reader] = [openSourceFolders(join(folder, 'sources')), openSourceFolders(join(folder, 'sources'))];
  expect(await reader.of('hash')).toBeUndefined();
  await writer.keep('hash', '/one');
  let writing = true;
  const writes = (async () => {
    for (let nth = 0; nth < 100; nth++) await writer.keep('hash', nth % 2 === 0 ? '/another' : '/one');
    writing = false;
  })();
  const seen = new Set<string | undefined>();
  while (writing) seen.add(await reader.of('hash'));
  await writes;
  expect([...seen].filter((source) => source !== '/one' && source !== '/another')).toEqual([]);
  expect(await reader.of('hash')).toBe('/one');
  expect(readdirSync(join(folder, 'sources'))).toEqual(['hash']);
});
