import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type EventOf, type ExecutionEvent, encodeState, type ForkInput, initialState, planOf } from '@noetl/engine';
import { type Json, readPlaybook } from '@noetl/playbook';
import { expect } from 'vitest';
import { followChain } from '../ports/inspection.ts';
import type { ExecutionEnd } from '../server/ends.ts';
import { originState } from '../server/forks.ts';
import { catchUp } from '../server/informed-decision.ts';
import { plainValue } from '../server/load-values.ts';
import { openTools } from '../tools/registry.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { openLocalDriver } from './local-driver.ts';
import type { SourcedPlan } from './sourced-plan.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';

/** An execution that is over, and every call of a tool that it made, by the part of its key that forks share. */
export interface Finished {
  readonly id: string;
  readonly source: SourcedPlan;
  readonly end: ExecutionEnd;
  /** As users see it. */
  readonly result: Json;
  readonly events: readonly ExecutionEvent[];
  readonly calls: readonly string[];
  /** The calls of the children that it started. */
  readonly childCalls: readonly string[];
}

/** The product without its command line: real store, real tools, real clock, and a ledger of the calls of tools. */
export interface ForkingPlace {
  start(source: SourcedPlan, id: string): Promise<Finished>;
  fork(origin: Finished, seq: number, id: string, edits?: ForkInput['edits']): Promise<Finished>;
  close(): Promise<void>;
}

export async function openForkingPlace(): Promise<ForkingPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-forks-'));
  const data = await openDataFolder(folder, systemClock, 'run');
  const ports = { log: data.store.log, snapshots: data.store.snapshots, results: data.results };
  const tools = openTools(thisMachine);
  const ledger: string[] = [];
  const driver = await openLocalDriver({
    data,
    machine: thisMachine,
    clock: systemClock,
    tools: {
      ...tools,
      call: (call, context) => {
        ledger.push(`${call.key}#${call.attempt}`);
        return tools.call(call, context);
      },
    },
    driverId: 'd',
    slots: 16,
    secrets: {
      resolve: async () => undefined,
      of: () => ({ keychain: {}, redact: (value) => value }),
      lend: async () => ({ keychain: {}, secrets: [], problems: [] }),
      tools: () => ({
        issue: () => Promise.reject(new Error('nothing is asked for')),
        open: () => Promise.reject(new Error('nothing is asked for')),
        renew: async () => undefined,
      }),
      forget: () => undefined,
      log: (_execution, write) => ({ write, flush: () => undefined }),
    },
    called: {
      find: async (path, _version, caller) => ({
        kind: 'found',
        found: await sourceIn(resolve(caller?.folder ?? '', path)),
      }),
      of: async () => undefined,
    },
    committed: () => undefined,
  });

  async function finished(id: string, source: SourcedPlan): Promise<Finished> {
    const end = await driver.over(id);
    const events = await data.store.log.read(id, 0, Number.MAX_SAFE_INTEGER);
    await expectIntact(id, events, data);
    const own = (prefix: string) =>
      ledger.filter((call) => call.startsWith(prefix)).map((call) => call.slice(id.length));
    const loaded = await plainValue(end.result, { log: data.store.log, results: data.results });
    const result = 'value' in loaded ? loaded.value : loaded.problem;
    return { id, source, end, result, events, calls: own(`${id}:`), childCalls: own(`${id}-`) };
  }

  return {
    async start(source, id) {
      expect(await driver.start(source, { execution_id: id, payload: {} })).toEqual({ kind: 'done' });
      return finished(id, source);
    },
    async fork(origin, seq, id, edits = {}) {
      const state = await originState(origin.id, seq, ports);
      const { path, version, content_hash } = state.request;
      const request = {
        execution_id: id,
        origin: { execution_id: origin.id, state },
        path,
        version,
        content_hash,
        edits,
      };
      expect(await driver.fork(origin.source, request)).toEqual({ kind: 'done' });
      return finished(id, origin.source);
    },
    async close() {
      await driver.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** EVT-3: the chain of hashes is whole, and the log folds to one end. */
async function expectIntact(id: string, events: readonly ExecutionEvent[], data: DataFolder): Promise<void> {
  expect(await followChain(data.store.inspection, id)).toMatchObject({
    position: events.length,
    hash: expect.any(String),
  });
  const ports = { log: data.store.log, results: data.results };
  const [once, again] = [await catchUp(initialState, id, ports), await catchUp(initialState, id, ports)];
  expect(once).toMatchObject({ phase: 'processed', seq: events.length });
  expect(JSON.stringify(encodeState(once))).toBe(JSON.stringify(encodeState(again)));
}

export async function sourceIn(file: string): Promise<SourcedPlan> {
  return sourceFrom(await readFile(file, 'utf8'), file);
}

export function sourceFrom(text: string, file: string): SourcedPlan {
  const { playbook } = readPlaybook(text, { file });
  if (playbook === undefined) throw new Error(`${file} is not valid`);
  const { path } = playbook.metadata;
  return { plan: planOf(playbook), text, folder: dirname(file), path, version: null, contentHash: file };
}

/** The calls of tools that a fork from the event still has to make: those whose checkpoint came later. */
export const callsAfter = (origin: Finished, seq: number): readonly string[] =>
  origin.events
    .filter((event): event is EventOf<'task.done'> => event.name === 'task.done' && event.seq > seq)
    .map(({ task_run_id = '', attempt }) => `${task_run_id.slice(origin.id.length)}#${attempt}`)
    .filter((call) => origin.calls.includes(call));

/** The same of its children: one that is under way starts anew. */
export const childCallsAfter = (origin: Finished, seq: number): readonly string[] =>
  origin.events.some((event) => event.name === 'task.resumed' && event.payload.by === 'child' && event.seq <= seq)
    ? []
    : origin.childCalls;
