import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CalledPlaybooks, openCalledPlaybooks } from './called-playbooks.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { createDisk } from './disk.ts';
import { keepSource, readSource, type SourcedPlan } from './sourced-plan.ts';
import { systemClock } from './system-clock.ts';
import type { Terminal } from './terminal.ts';
import { thisMachine } from './this-machine.ts';

const terminal = {
  ...createDisk(() => process.stdin),
  now: () => 0,
  color: false,
} as unknown as Terminal;

describe('the playbook that a task calls (TOOL-2)', () => {
  let folder: string;
  let data: DataFolder;
  let called: CalledPlaybooks;
  let caller: SourcedPlan;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'noetl-called-')));
    mkdirSync(join(folder, 'flows'));
    data = await openDataFolder(join(folder, 'data'), systemClock, 'change');
    called = openCalledPlaybooks(data, terminal, thisMachine);
    caller = await readSource(written('flows/caller.yaml', 'caller', 'x'), terminal, thisMachine);
  });
  afterEach(async () => {
    await data.store.close();
    rmSync(folder, { recursive: true });
  });

  function written(file: string, name: string, text: string): string {
    const path = join(folder, file);
    writeFileSync(
      path,
      `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name} }\nworkflow: [{ step: start, tool: { kind: noop, result: ${text} } }]\n`,
    );
    return path;
  }

  async function register(name: string, ...texts: string[]): Promise<void> {
    for (const text of texts) {
      const source = await readSource(written('registered.yaml', name, text), terminal, thisMachine);
      await keepSource(source, data, 0);
    }
  }

  async function find(path: string, version?: Json) {
    const answer = await called.find(path, version, caller);
    if (answer.kind === 'none') return answer.error;
    const { text, ...found } = answer.found;
    return { path: found.path, version: found.version, folder: found.folder, says: /result: (\w+)/.exec(text)?.[1] };
  }

  it('is a file relative to the one of its caller, which is registered thereby', async () => {
    written('flows/other.yaml', 'flows/other', 'one');
    const flows = join(folder, 'flows');
    expect(await find('./other.yaml')).toEqual({ path: 'flows/other', version: 1, folder: flows, says: 'one' });
    expect(await find('other.yaml')).toMatchObject({ version: 1 });
    written('flows/other.yaml', 'flows/other', 'two');
    expect(await find('../flows/other.yaml')).toMatchObject({ version: 2, says: 'two' });
    expect((await data.store.catalog.get('flows/other'))?.version).toBe(2);
  });

  it('is the newest version of a path, or the one that is named', async () => {
    await register('tax', 'one', 'two');
    expect(await find('tax')).toEqual({ path: 'tax', version: 2, folder, says: 'two' });
    expect(await find('tax', 1)).toMatchObject({ version: 1, says: 'one' });
    expect(await find('tax', '1')).toMatchObject({ version: 1, says: 'one' });
    expect(await find('tax@1')).toMatchObject({ version: 1, says: 'one' });
    expect(await find('tax', null)).toMatchObject({ version: 2 });
    await register('tax', 'three');
    expect(await find('tax')).toMatchObject({ version: 3, says: 'three' });
  });

  it('is a file before it is a path, unless a version is named', async () => {
    await register('both', 'registered');
    written('flows/both', 'both', 'file');
    expect(await find('both')).toMatchObject({ says: 'file' });
    expect(await find('both', 1)).toMatchObject({ says: 'registered' });
  });

  it('that is not there is an error that says where it was looked for and what comes near', async () => {
    await register('tax', 'one');
    expect(await find('taxx')).toMatchObject({
      kind: 'child.unknown',
      message: `there is no file 'taxx' in ${join(folder, 'flows')}, and the catalog has no playbook 'taxx'. Did you mean 'tax'?`,
    });
    expect(await find('tax', 7)).toMatchObject({
      kind: 'child.unknown',
      message: "the catalog has no version 7 of a playbook 'tax'. The newest version of 'tax' is 1.",
    });
  });

  it.each([[true], ['1.0'], [0], [1.5], [[1]]])('cannot have the version %j', async (version) => {
    await register('tax', 'one');
    expect(await find('tax', version)).toMatchObject({
      kind: 'task.field',
      message: `'version' of the call of 'tax' is ${JSON.stringify(version)}, expected a version of the catalog, from 1 on.`,
    });
  });

  it('that is not valid is an error with the first place that is wrong', async () => {
    writeFileSync(join(folder, 'flows/bad.yaml'), 'apiVersion: noetl.io/v2\nkind: Playbook\n');
    const answer = await find('bad.yaml');
    expect(answer).toMatchObject({ kind: 'child.invalid' });
    expect('message' in answer && answer.message).toMatch(
      /flows\/bad\.yaml is not valid: bad\.yaml:1:1 NOETL_REQUIRED: the playbook has no 'metadata' \(and 1 more; noetl validate tells all\)$/,
    );
  });
});
