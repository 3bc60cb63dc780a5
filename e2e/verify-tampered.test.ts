import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeState, SNAPSHOT_FORMAT } from '@noetl/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DataFolder, openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { chainHash } from '../packages/noetl/src/ports/chain.ts';
import { StoreError } from '../packages/noetl/src/ports/store-error.ts';
import { storedState } from '../packages/noetl/src/server/stored-state.ts';
import type { Difference } from '../packages/noetl/src/server/verify/difference.ts';
import { verifyExecution } from '../packages/noetl/src/server/verify/verify-execution.ts';
import { openProgram, type Program } from './program.testing.ts';
import { flipped, openStoredBytes, type StoredBytes } from './stored-bytes.testing.ts';
import { eventsOf } from './stored-log.testing.ts';

/** Stored results, a loop whose result is a manifest, a nested loop, a failure that is retried, a child. */
const PLAYBOOK = `
executor: { spec: { result_step: each } }
workflow:
  - step: start
    tool: { kind: noop, result: "{{ 'ä long text. ' * 7000 }}" }
    next: { spec: { mode: inclusive }, arcs: [{ step: each }, { step: nested }, { step: call }] }
  - step: each
    loop: { in: "{{ range(9) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 3 } }
    tool: { kind: noop, result: "{{ iter.x }}{{ 'y' * (80000 if iter.x == 3 else 9000) }}" }
  - step: nested
    loop: { in: [1, 2], iterator: x, spec: { mode: sequential }, loop: { in: [1, 2], iterator: y } }
    tool: { kind: noop, result: "{{ iter.y }}" }
  - step: call
    tool: { kind: playbook, path: ./tampered-child.yaml, args: { name: Ada } }
`;
const CHILD = `
workload: { name: nobody }
workflow:
  - step: start
    tool: { kind: noop, result: "hello {{ workload.name }}" }
`;

describe('exec verify on a data folder that somebody has changed', { timeout: 300_000 }, () => {
  let program: Program;
  let data: string;
  let folder: DataFolder;
  let stored: StoredBytes;
  /** The execution, its child, its fork. */
  let ids: readonly string[];

  beforeAll(async () => {
    program = openProgram();
    data = program.newData();
    program.playbook('tampered-child', CHILD);
    const run = await program.run(['run', program.playbook('tampered', PLAYBOOK), '--data', data, '--json']);
    const events = eventsOf(run.stdout);
    const id = events[0]?.execution_id ?? '';
    const fourth = events.filter(
      ({ name, step_run_id, iteration_id }) =>
        name === 'loop.iteration.done' &&
        iteration_id?.split(':').at(-1)?.includes('.') === false &&
        step_run_id === `${id}:2`,
    )[3];
    const fork = await program.run(['exec', 'fork', id, '--at', String(fourth?.seq), '--data', data, '--json']);
    expect([run.code, fork.code]).toEqual([0, 0]);
    folder = await openDataFolder(data, systemClock, 'change');
    const executions = await folder.store.executions.list({}, undefined, 9);
    const forked = eventsOf(fork.stdout)[0]?.execution_id ?? '';
    const child = executions.find(({ parent }) => parent === id)?.execution ?? '';
    ids = [id, child, forked];
    for (const execution of ids) await keepSnapshot(execution);
    stored = await openStoredBytes(data);
  });
  afterAll(async () => {
    stored?.close();
    await folder?.store.close();
    await program.close();
  });

  const verify = (execution: string) => verifyExecution(execution, { ...folder.store, results: folder.results });

  async function keepSnapshot(execution: string): Promise<void> {
    const { store, results } = folder;
    const position = Math.ceil((await store.log.position(execution)) / 2);
    const state = await storedState(execution, { log: store.log, snapshots: store.snapshots, results }, position);
    await store.snapshots.put({
      execution,
      position,
      format: SNAPSHOT_FORMAT,
      state: JSON.stringify(encodeState(state)),
    });
  }

  /** The difference as long as a change lasts; a store that cannot be read is one, too. */
  async function during(
    execution: string,
    change: () => unknown,
    undo: () => unknown,
  ): Promise<Difference | undefined> {
    await change();
    try {
      return (await verify(execution)).difference;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { what: 'store', expected: '', found: error.code, message: error.message };
    } finally {
      await undo();
    }
  }

  it('finds nothing before', async () => {
    const verified = await Promise.all(ids.map(verify));
    for (const [nth, { difference, events, snapshots }] of verified.entries()) {
      expect(difference).toBeUndefined();
      expect([events, snapshots]).toEqual([stored.positions(ids[nth] ?? '').length, 1]);
    }
    expect(verified[0]).toMatchObject({ iterations: 15, results: expect.any(Number) });
    expect(verified[0]?.results).toBeGreaterThan(1);
    const { code, stdout, stderr } = await program.run(['exec', 'verify', '--all', '--data', data]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('all intact');
  });

  it('names every event of which one byte was changed', async () => {
    let dice = 1;
    for (const execution of ids) {
      for (const seq of stored.positions(execution)) {
        const { gid, from, to } = stored.place(execution, seq);
        const bytes = stored.bytes('bodies', gid);
        dice = (dice * 48_271) % 2_147_483_647;
        for (const at of [from, from + (dice % (to - from)), to - 1]) {
          const bit = (dice >> 8) % 8;
          const difference = await during(
            execution,
            () => stored.write('bodies', gid, flipped(bytes, at, bit)),
            () => stored.write('bodies', gid, bytes),
          );
          expect(difference, `bit ${bit} of byte ${at - from} of event ${seq}`).toMatchObject({
            what: 'event.text',
            seq,
          });
        }
      }
    }
  });

  it('names every event whose hash was changed, and knows that the event was not', async () => {
    for (const execution of ids) {
      for (const seq of stored.positions(execution)) {
        const { gid, nth } = stored.place(execution, seq);
        const hashes = stored.bytes('hashes', gid);
        const difference = await during(
          execution,
          () => stored.write('hashes', gid, flipped(hashes, nth * 64 + (seq % 64), seq % 8)),
          () => stored.write('hashes', gid, hashes),
        );
        expect(difference, `hash of event ${seq}`).toMatchObject({ what: 'event.hash', seq });
      }
    }
  });

  it('names the first event of a row whose numbers were changed, or that is gone, or belongs to another', async () => {
    const [execution = ''] = ids;
    const rows = stored.all<{ readonly gid: number; readonly first: number; readonly last: number }>(
      'SELECT gid, first, last FROM events WHERE execution = (SELECT id FROM executions WHERE execution_id = ?)',
      execution,
    );
    for (const { gid, first, last } of rows) {
      const set = (assignment: string) => stored.run(`UPDATE OR IGNORE events SET ${assignment} WHERE gid = ?`, gid);
      const back = () =>
        set(
          `first = ${first}, last = ${last}, execution = (SELECT id FROM executions WHERE execution_id = '${execution}')`,
        );
      for (const assignment of [
        'first = first + 1',
        'first = first - 1',
        'last = last + 1',
        'last = last - 1',
        'execution = execution + 1000',
      ]) {
        const difference = await during(execution, () => set(assignment), back);
        // Where another row has that number already, SQLite refuses the change.
        if (difference === undefined) expect(assignment).toMatch(/^last/);
        else expect(difference.seq, `${assignment} of events ${first} to ${last}`).toBeGreaterThanOrEqual(first);
        expect(difference?.seq ?? first).toBeLessThanOrEqual(last + 1);
      }
    }
    const [gone] = rows.slice(-1);
    if (gone === undefined) throw new Error('the execution has no events');
    stored.run('CREATE TABLE kept AS SELECT * FROM events WHERE gid = ?', gone.gid);
    expect(
      await during(
        execution,
        () => stored.run('DELETE FROM events WHERE gid = ?', gone.gid),
        () => stored.run('INSERT INTO events SELECT * FROM kept'),
      ),
    ).toMatchObject({ what: 'event.missing', seq: gone.first, found: `the last is event ${gone.first - 1}` });
    stored.run('DROP TABLE kept');
  });

  it('names every stored result of which one byte was changed, that was cut off, or that is missing', async () => {
    const [execution = '', , fork = ''] = ids;
    const results = join(data, 'results');
    const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
    expect(files.length).toBeGreaterThan(2);
    const used = new Set<string>();
    for (const [nth, file] of files.map((name) => join(results, name)).entries()) {
      const bytes = readFileSync(file);
      const back = () => writeFileSync(file, bytes);
      const changes: readonly (readonly [what: string, change: () => void])[] = [
        ['result.checksum', () => writeFileSync(file, flipped(bytes, (nth * 7_919) % bytes.length, nth % 8))],
        ['result.size', () => truncateSync(file, bytes.length - 1)],
        ['result.missing', () => rmSync(file)],
      ];
      for (const [what, change] of changes) {
        for (const id of [execution, fork]) {
          const difference = await during(id, change, back);
          if (difference === undefined) continue;
          expect(difference).toMatchObject({ what, place: file });
          used.add(file);
        }
      }
    }
    expect(used.size).toBe(files.length);
  });

  it('names a stored result that became a folder, and the event that names it', async () => {
    const [execution = ''] = ids;
    const results = join(data, 'results');
    const [name = ''] = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.json'),
    );
    const file = join(results, name);
    const bytes = readFileSync(file);
    rmSync(file);
    mkdirSync(file);
    const run = await program.run(['exec', 'verify', '--all', '--data', data]);
    rmSync(file, { recursive: true });
    writeFileSync(file, bytes);
    expect(run.code).toBe(1);
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/✗ .* the result that event \d+ names is not what was stored/);
    expect(run.stdout).toContain(`where      ${file}`);
    expect(run.stdout).toContain('found      a folder');
    expect((await verify(execution)).difference).toBeUndefined();
  });

  it('names every column of the row of an execution that says otherwise than its log', async () => {
    for (const execution of ids) {
      const columns: Readonly<Record<string, string>> = {
        position: 'position - 1',
        hash: "replace(hash, substr(hash, 5, 1), 'x')",
        path: "path || 'x'",
        version: "'99'",
        content_hash: "content_hash || '0'",
        parent: "coalesce(parent, '') || 'x'",
        origin: "coalesce(origin, '') || 'x'",
        status: "'cancelled'",
        requested_at: 'requested_at + 1',
        ended_at: 'ended_at + 1',
      };
      stored.run('CREATE TABLE kept AS SELECT * FROM executions WHERE execution_id = ?', execution);
      for (const [column, value] of Object.entries(columns)) {
        const difference = await during(
          execution,
          () => stored.run(`UPDATE executions SET ${column} = ${value} WHERE execution_id = ?`, execution),
          () =>
            stored.run(
              `UPDATE executions SET ${column} = (SELECT ${column} FROM kept) WHERE execution_id = ?`,
              execution,
            ),
        );
        if (column === 'position') expect(difference?.what).toBe('event.extra');
        else if (column === 'hash') expect(difference?.what).toBe('head');
        else expect(difference).toMatchObject({ what: 'fact', place: `executions.${column}` });
      }
      stored.run('DROP TABLE kept');
    }
  });

  it('says that the store is damaged where a text of the row is none, and does not end without a word', async () => {
    const [execution = ''] = ids;
    for (const column of ['hash', 'path', 'version', 'content_hash', 'status']) {
      stored.run('CREATE TABLE kept AS SELECT * FROM executions WHERE execution_id = ?', execution);
      const difference = await during(
        execution,
        () =>
          stored.run(`UPDATE executions SET ${column} = CAST(unhex('ff61') AS TEXT) WHERE execution_id = ?`, execution),
        () =>
          stored.run(
            `UPDATE executions SET ${column} = (SELECT ${column} FROM kept) WHERE execution_id = ?`,
            execution,
          ),
      );
      expect(difference).toMatchObject({ what: 'store', message: expect.stringContaining(`executions.${column}`) });
      stored.run('DROP TABLE kept');
    }
  });

  it('names an execution whose row cannot be read, and goes on with the others', async () => {
    const [execution = ''] = ids;
    const all = (await program.run(['exec', 'verify', '--all', '--data', data])).stdout.match(/intact:/g)?.length ?? 0;
    const damages = [
      ['version', `'{'`, `✗ ${execution} '.*' is damaged: executions.version holds something that is no JSON`],
      ['status', `CAST(unhex('ff') AS TEXT)`, `✗ ${execution} '.*' is damaged: executions.status holds bytes`],
      [
        'execution_id',
        `execution_id || CAST(unhex('ff') AS TEXT)`,
        `✗ ${execution}� the id of the execution was changed`,
      ],
    ] as const;
    for (const [column, value, said] of damages) {
      stored.run('CREATE TABLE kept AS SELECT * FROM executions WHERE execution_id = ?', execution);
      stored.run(`UPDATE executions SET ${column} = ${value} WHERE id = (SELECT id FROM kept)`);
      const { code, stdout, stderr } = await program.run(['exec', 'verify', '--all', '--data', data]);
      stored.run(`UPDATE executions SET ${column} = (SELECT ${column} FROM kept) WHERE id = (SELECT id FROM kept)`);
      stored.run('DROP TABLE kept');
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(stdout).toMatch(new RegExp(said));
      expect(stdout.match(/intact:/g)?.length).toBeGreaterThanOrEqual(all - 2);
    }
  });

  it('names entries of the index of iterations that lead elsewhere, are gone, or lead nowhere', async () => {
    const [execution = ''] = ids;
    const entries = stored.all<{
      readonly loop: number;
      readonly idx: number;
      readonly gid: number;
      readonly seq: number;
    }>(
      `SELECT iterations.* FROM iterations JOIN loops ON loops.id = iterations.loop WHERE loops.loop GLOB ? || ':*'`,
      execution,
    );
    expect(entries).toHaveLength(15);
    for (const { loop, idx, gid, seq } of entries) {
      const back = () =>
        stored.run('INSERT OR REPLACE INTO iterations (loop, idx, gid, seq) VALUES (?, ?, ?, ?)', loop, idx, gid, seq);
      for (const change of [
        'UPDATE iterations SET seq = seq + 1',
        'UPDATE iterations SET gid = gid + 1',
        'DELETE FROM iterations',
      ]) {
        const difference = await during(
          execution,
          () => stored.run(`${change} WHERE loop = ? AND idx = ?`, loop, idx),
          back,
        );
        expect(difference, `${change} of event ${seq}`).toMatchObject({ what: 'index', seq });
      }
    }
    const [{ loop = 0, gid = 0 } = {}] = entries;
    const difference = await during(
      execution,
      () => stored.run('INSERT INTO iterations (loop, idx, gid, seq) VALUES (?, 999, ?, 1)', loop, gid),
      () => stored.run('DELETE FROM iterations WHERE idx = 999'),
    );
    expect(['manifest', 'index']).toContain(difference?.what);
  });

  it('names snapshots that were damaged, or are not what the log leads to', async () => {
    for (const execution of ids) {
      const [kept] = await folder.store.snapshots.list(execution);
      if (kept === undefined) throw new Error('there is no snapshot');
      const of = 'execution = (SELECT id FROM executions WHERE execution_id = ?)';
      const back = () => stored.run(`UPDATE snapshots SET state = ? WHERE ${of}`, kept.state, execution);
      const damaged = await during(
        execution,
        () => stored.run(`UPDATE snapshots SET state = replace(state, 'running', 'runninG') WHERE ${of}`, execution),
        back,
      );
      expect(damaged).toMatchObject({ what: 'snapshot', seq: kept.position, found: 'damaged' });
      const noText = await during(
        execution,
        () => stored.run(`UPDATE snapshots SET state = CAST(unhex('ff') AS TEXT) WHERE ${of}`, execution),
        back,
      );
      expect(noText).toMatchObject({ what: 'snapshot', seq: kept.position, found: 'damaged' });
      const { flaw: _, ...snapshot } = kept;
      const other = { ...snapshot, state: kept.state.replace('"paused":false', '"paused":true') };
      const wrong = await during(
        execution,
        () => folder.store.snapshots.put(other),
        () => folder.store.snapshots.put(snapshot),
      );
      expect(wrong).toMatchObject({ what: 'snapshot', seq: kept.position, expected: 'false', found: 'true' });
      expect(wrong?.place).toContain('paused');
    }
  });

  it('finds that the origin of a fork was changed', async () => {
    const [execution = '', , fork = ''] = ids;
    const { gid, from } = stored.place(execution, 2);
    const bytes = stored.bytes('bodies', gid);
    const difference = await during(
      fork,
      () => stored.write('bodies', gid, flipped(bytes, from + 9, 0)),
      () => stored.write('bodies', gid, bytes),
    );
    expect(difference).toMatchObject({ what: 'manifest', place: `${execution} event 2` });
  });

  it('is told by the command: what, where, expected, found; exit code 1, no stack trace', async () => {
    const [execution = '', child = ''] = ids;
    const { gid, from } = stored.place(execution, 3);
    const bytes = stored.bytes('bodies', gid);
    stored.write('bodies', gid, flipped(bytes, from + 20, 7));
    try {
      const one = await program.run(['exec', 'verify', execution, '--data', data]);
      expect({ code: one.code, stderr: one.stderr }).toEqual({ code: 1, stderr: '' });
      expect(one.stdout).toMatch(
        new RegExp(
          `^✗ ${execution} event 3 is not what was appended\n +expected +hash \\w{64}\n +found +hash \\w{64}\n`,
        ),
      );
      const all = await program.run(['exec', 'verify', '--all', '--data', data, '--json']);
      expect({ code: all.code, stderr: all.stderr }).toEqual({ code: 1, stderr: '' });
      const lines = all.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.find(({ execution_id }) => execution_id === child)).toMatchObject({
        intact: true,
        difference: null,
      });
      expect(lines.find(({ execution_id }) => execution_id === execution)).toMatchObject({
        intact: false,
        events: 2,
        difference: { what: 'event.text', seq: 3 },
      });
    } finally {
      stored.write('bodies', gid, bytes);
    }
    const events = await program.run(['exec', 'events', execution, '--data', data]);
    expect(events.code).toBe(0);
  });

  it('finds events that are none although their hashes are right, and events without an execution', async () => {
    const texts = ['{"no": "event"}', 'no JSON', 'null', '1,2'];
    for (const [nth, text] of texts.entries()) {
      const id = `strange-${nth}`;
      const hash = chainHash('', text);
      stored.run(
        `INSERT INTO executions (execution_id, position, hash, path, version, content_hash, status, requested_at)
         VALUES (?, 1, ?, '', 'null', '', 'running', 0)`,
        id,
        hash,
      );
      stored.run(
        `INSERT INTO events (execution, first, last, hashes, bodies)
         VALUES ((SELECT id FROM executions WHERE execution_id = ?), 1, 1, ?, ?)`,
        id,
        hash,
        text,
      );
      expect((await verify(id)).difference, text).toMatchObject({ what: 'event.unreadable', seq: 1 });
    }
    stored.run("DELETE FROM executions WHERE execution_id GLOB 'strange-*'");
    const { code, stdout } = await program.run(['exec', 'verify', '--all', '--data', data]);
    expect(code).toBe(1);
    expect(stdout).toContain('4 events belong to no execution');
    stored.run('DELETE FROM events WHERE execution NOT IN (SELECT id FROM executions)');
    expect((await program.run(['exec', 'verify', '--all', '--data', data])).code).toBe(0);
  });

  it('shows the same when snapshots and the index of iterations are gone: that costs nothing but time', async () => {
    const [execution = '', , fork = ''] = ids;
    const shown = async () => {
      const outputs: string[] = [];
      for (const verb of [`result ${execution}`, `state ${execution}`, `result ${fork}`]) {
        outputs.push((await program.run(['exec', ...verb.split(' '), '--data', data, '--json'])).stdout);
      }
      return outputs;
    };
    const before = await shown();
    for (const table of ['snapshots', 'iterations', 'loops', 'milestones']) stored.run(`DELETE FROM ${table}`);
    expect(await shown()).toEqual(before);
    expect(before[0]?.length).toBeGreaterThan(100_000);
  });
});
