import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { PlaybookFiles } from '../ports/playbook-files.ts';
import type { RemoteItem } from '../worker/remote-source.ts';
import { createLentFiles } from './lent-files.ts';

const NAMED: PlaybookFiles = {
  at: 'flows',
  legacy: false,
  entries: [{ path: 'flows/a.sh', content: Buffer.from('echo a').toString('base64'), executable: false }],
};

function work(execution: string, folder: string, task: string): RemoteItem {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\nworkflow: [{ step: start, tool: ${task} }]\n`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return { given: { lease: { execution }, playbook: { folder } }, plan: planOf(playbook) } as unknown as RemoteItem;
}

const SCRIPT = '{ kind: script, file: a.sh }';

describe('files that a worker is lent', () => {
  it('are asked for once for each execution that names some, and removed in the end', async () => {
    const asked: string[] = [];
    const files = createLentFiles({
      files: async ({ execution }) => {
        asked.push(execution);
        return NAMED;
      },
    });
    const first = await files.folderOf(work('x1', '/nowhere/at/all', SCRIPT));
    expect(await files.folderOf(work('x1', '/nowhere/at/all', SCRIPT))).toBe(first);
    expect(await files.folderOf(work('x2', '/nowhere/at/all', SCRIPT))).toBe(first);
    expect(await files.folderOf(work('x3', '/nowhere/at/all', '{ kind: noop }'))).toBeUndefined();
    expect(asked).toEqual(['x1', 'x2']);
    expect(readFileSync(join(first ?? '', 'a.sh'), 'utf8')).toBe('echo a');
    await files.close();
    expect(existsSync(first ?? '')).toBe(false);
  });

  it('are not asked for on the machine that has the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'noetl-lent-'));
    const files = createLentFiles({ files: () => Promise.reject(new Error('nobody is to ask')) });
    expect(await files.folderOf(work('x1', folder, SCRIPT))).toBe(folder);
    await files.close();
    rmSync(folder, { recursive: true });
  });
});
