import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaybookFiles } from '../api/playbook-files.ts';
import { collectedFiles } from './collected-files.ts';
import { filesFolder, isKept, keepFiles, upgradesKept } from './kept-files.ts';
import { readText } from './playbook-file.ts';

const playbookText = (body: string) => `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${body}\n`;

describe('the files that a playbook names', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'noetl-files-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function put(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  async function collected(body: string, at = '', legacy = false) {
    const { playbook } = readText(playbookText(body), 't.yaml', false);
    if (playbook === undefined) throw new Error('the playbook of the test is not valid');
    return collectedFiles({ playbook, folder: join(folder, at), legacy });
  }
  const tool = (...tasks: string[]) =>
    `workflow: [{ step: start, tool: [${tasks.map((task, nth) => `{ t${nth}: ${task} }`)}] }]`;
  const pathsOf = async (body: string, at?: string) => {
    const files = await collected(body, at);
    return files && [files.at, files.entries.map(({ path }) => path)];
  };

  it('are none where it names none', async () => {
    expect(await collected(tool('{ kind: shell, command: [ls] }'))).toBeUndefined();
    expect(await collected(tool('{ kind: script, file: /bin/ls }'))).toBeUndefined();
  });

  it('leave nothing behind where they cannot be written', async () => {
    const entry = { content: '', executable: false };
    const store = join(folder, 'kept');
    const files = { at: '', legacy: false, entries: ['a', 'a/b'].map((path) => ({ path, ...entry })) };
    await expect(keepFiles(store, files)).rejects.toThrow();
    expect(readdirSync(store)).toEqual([]);
  });

  it('are found by names that leave the folder and come back into it', async () => {
    put({ 'flows/near.sh': '' });
    const body = tool('{ kind: script, file: ../flows/near.sh }', '{ kind: script, file: a/../../../flows/none.sh }');
    const files = await collected(body, 'flows');
    if (files === undefined) throw new Error('no files were found');
    const own = await keepFiles(join(folder, 'kept'), files);
    expect(statSync(join(own, '../flows/near.sh')).isFile()).toBe(true);
  });

  it('are modules that javascript imports by names that leave the folder and come back into it', async () => {
    put({ 'flows/near.js': 'exports.n = 1;', 'flows/code.js': "const { n } = require('../flows/near');\n" });
    for (const task of [
      '{ kind: javascript, file: code.js }',
      '{ kind: javascript, code: "require(\'../flows/near\')" }',
    ]) {
      const files = await collected(tool(task), 'flows');
      if (files === undefined) throw new Error('no files were found');
      const own = await keepFiles(join(folder, 'kept'), files);
      expect(statSync(join(own, '../flows/near.js')).isFile()).toBe(true);
    }
  });

  it('are data that SQL on DuckDB reads by name, not what it writes or finds elsewhere', async () => {
    put({ 'rows.csv': '', 'more/rows.parquet': '', 'out.csv': '', 'kept.duckdb': '' });
    const body = tool(
      `{ kind: duckdb, database: kept.duckdb, query: "SELECT * FROM read_csv('rows.csv') WHERE x = {{ 1 }}" }`,
      `{ kind: duckdb, commands: ["CREATE TABLE t AS FROM './more/rows.parquet'", "COPY t TO 'out.csv'", "FROM 's3://b/x.csv'", "FROM '/etc/x.csv'"] }`,
    );
    expect(await pathsOf(body)).toEqual(['', ['more/rows.parquet', 'rows.csv']]);
  });

  it('are code with what it imports from beside it, scripts and uploads; what is not there is left out', async () => {
    put({
      'flows/main.py': 'import os, near\nfrom pack.inner import x\n\ndef main():\n    import late\n',
      'flows/near.py': 'import far\n',
      'flows/far.py': '',
      'flows/late.py': '',
      'flows/pack/__init__.py': '',
      'flows/pack/inner.py': '',
      'flows/other.py': '',
      'flows/code.mjs': "import { a } from './lib/a.mjs';\nimport fs from 'node:fs';\n",
      'flows/lib/a.mjs': "export * from '../b.js';\n",
      'flows/b.js': '',
      'flows/beside.js': '',
      'flows/rows.csv': '1,2',
      'tools/run.sh': '',
    });
    const body = tool(
      '{ kind: python, file: main.py }',
      '{ kind: javascript, file: ./code.mjs }',
      '{ kind: javascript, code: "const { b } = require(\'./beside\'); result = b" }',
      '{ kind: script, file: ../tools/run.sh }',
      '{ kind: script, file: missing.sh }',
      '{ kind: script, file: "{{ workload.name }}.sh" }',
      '{ kind: http, url: "http://x", files: { rows: { path: rows.csv }, text: { content: "{{ 1 }}" } } }',
    );
    expect(await pathsOf(body, 'flows')).toEqual([
      'flows',
      [
        'flows/b.js',
        'flows/beside.js',
        'flows/code.mjs',
        'flows/far.py',
        'flows/late.py',
        'flows/lib/a.mjs',
        'flows/main.py',
        'flows/near.py',
        'flows/pack/__init__.py',
        'flows/pack/inner.py',
        'flows/rows.csv',
        'tools/run.sh',
      ],
    ]);
  });

  it('are also those of playbooks that it calls by file, and not those of a version', async () => {
    put({
      'child.yaml': playbookText(tool('{ kind: playbook, path: ./deep/inner.yaml }')),
      'deep/inner.yaml': playbookText(
        tool('{ kind: script, file: run.sh }', '{ kind: playbook, path: ../child.yaml }'),
      ),
      'deep/run.sh': '',
      'pinned.yaml': playbookText(tool('{ kind: noop }')),
    });
    const body = tool('{ kind: playbook, path: child.yaml }', '{ kind: playbook, path: pinned.yaml, version: 1 }');
    expect(await pathsOf(body)).toEqual(['', ['child.yaml', 'deep/inner.yaml', 'deep/run.sh']]);
  });

  it('are refused before they are sent, if they are too large', async () => {
    put({ 'large.sh': 'x'.repeat(2 * 1024 * 1024 + 1) });
    await expect(collected(tool('{ kind: script, file: large.sh }'))).rejects.toThrow(/large\.sh' more than 500/);
  });

  it('are kept once, as they were, in a folder of their own', async () => {
    put({ 'tools/run.sh': 'echo hello', 'flows/note.txt': 'ä' });
    chmodSync(join(folder, 'tools/run.sh'), 0o755);
    const files = await collected(
      tool('{ kind: script, file: ../tools/run.sh }', '{ kind: script, file: note.txt }'),
      'flows',
    );
    if (files === undefined) throw new Error('there are no files');
    expect(PlaybookFiles.parse(files)).toEqual(files);
    const data = join(folder, 'data');
    const kept = await keepFiles(filesFolder(data), files);
    expect(await keepFiles(filesFolder(data), files)).toBe(kept);
    expect(readFileSync(join(kept, '../tools/run.sh'), 'utf8')).toBe('echo hello');
    expect(statSync(join(kept, '../tools/run.sh')).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(kept, 'note.txt'), 'utf8')).toBe('ä');
    expect(upgradesKept(data, kept)).toBe(false);
    expect(upgradesKept(data, await keepFiles(filesFolder(data), { ...files, legacy: true }))).toBe(true);
    expect(upgradesKept(data, folder)).toBe(false);
    expect([kept, folder].map(isKept)).toEqual([true, false]);
  });

  it.each([
    ['a path that leads out', [{ path: '../x', content: '' }]],
    ['a path that leads out further down', [{ path: 'a/../../x', content: '' }]],
    ['an absolute path', [{ path: '/etc/x', content: '' }]],
    ['a path of another system', [{ path: 'a\\..\\..\\x', content: '' }]],
    ['a path with a NUL', [{ path: 'a\u0000b', content: '' }]],
    ['an empty path', [{ path: '', content: '' }]],
    ['a name that no disk can have', [{ path: 'a'.repeat(300), content: '' }]],
    ['the same path twice', ['a', 'a'].map((path) => ({ path, content: '' }))],
    ['a file that is a folder of another', ['a/b', 'a'].map((path) => ({ path, content: '' }))],
    ['content that is no base64', [{ path: 'a', content: '%%' }]],
  ])('are refused by a server with %s (SEC-4)', (_, entries) => {
    expect(PlaybookFiles.safeParse({ at: '', entries }).success).toBe(false);
    expect(PlaybookFiles.safeParse({ at: '../x', entries: [] }).success).toBe(false);
  });
});
