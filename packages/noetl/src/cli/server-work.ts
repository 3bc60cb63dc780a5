import { TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { ResultLost } from '../ports/result-store.ts';
import { isWithin } from '../server/http/permissions.ts';
import { Problem } from '../server/http/problem.ts';
import { plainValue } from '../server/load-values.ts';
import type { CatalogWork } from '../server/routes/catalog.ts';
import type { ControlWork } from '../server/routes/execution-control.ts';
import type { ReadingWork } from '../server/routes/execution-reading.ts';
import type { ExecutionWork, StartRequest } from '../server/routes/executions.ts';
import { createRunningLimit, type RunningLimits } from '../server/running-limit.ts';
import { readCalledTree } from './commands/exec/called-tree.ts';
import { cancelled } from './commands/exec/cancel.ts';
import { asked } from './commands/exec/controlling.ts';
import { readDiff } from './commands/exec/diff.ts';
import { keptFork, writtenFork } from './commands/exec/fork.ts';
import { demandDone, planFork } from './commands/exec/fork-plan.ts';
import { liveDriverOf } from './commands/exec/live-driver.ts';
import type { Look } from './commands/exec/looking.ts';
import { readExecution, sourceOf } from './commands/exec/reading.ts';
import { resultOfStep } from './commands/exec/result.ts';
import { signalled } from './commands/exec/signal.ts';
import { readState } from './commands/exec/state.ts';
import { verify } from './commands/exec/verify.ts';
import type { DataFolder } from './data-folder.ts';
import { demandStores } from './demand-stores.ts';
import { jsonDigest } from './diff/json-digest.ts';
import { executionId } from './execution-id.ts';
import { idempotentId } from './idempotent-id.ts';
import { filesFolder, keepFiles } from './kept-files.ts';
import type { LocalDriver } from './local-driver.ts';
import type { Machine } from './machine.ts';
import { readText } from './playbook-file.ts';
import { rootOf, unfinishedBelow } from './root-execution.ts';
import { withProblems } from './server-problems.ts';
import { contentHashOf, sourceOfEntry, sourceOfExecution } from './sourced-plan.ts';
import type { Terminal } from './terminal.ts';
import { valuePieces } from './value-pieces.ts';
import { diffJson } from './views/diff-json.ts';
import { stateJson } from './views/state.ts';
import { statusJson } from './views/status.ts';
import { verificationJson } from './views/verification.ts';

type ServerWork = CatalogWork & ExecutionWork & ControlWork & ReadingWork;

/** What requests ask for, done as the commands do it on a folder. `reading` is the same folder, for what only is read. */
export function serverWork(
  data: DataFolder,
  reading: DataFolder,
  driver: LocalDriver,
  limits: RunningLimits,
  terminal: Terminal,
  machine: Machine,
): ServerWork {
  const { store } = data;
  const running = createRunningLimit(limits, driver);
  const look: Look = {
    data: undefined,
    json: true,
    // A name in a request is one of the catalog, never a file of the server.
    terminal: { ...terminal, look: async () => undefined },
    machine,
    folder: data,
    nudge: driver.look,
  };
  const view: Look = { ...look, folder: reading, stateOf: driver.stateOf };

  async function goOn(id: string): Promise<boolean> {
    if (driver.drives(id)) return false;
    const root = await rootOf(id, store.executions);
    if (!(await driver.take(root))) return false;
    for (const execution of [root, ...(await unfinishedBelow(root, store.executions))]) {
      await driver.resume(execution, await sourceOfExecution(execution, data, machine));
    }
    return true;
  }

  async function start(request: StartRequest) {
    const { entry, payload, id, key, traceparent, caller } = request;
    const source = await sourceOfEntry(entry, data, machine);
    if (source === undefined) {
      const which = `version ${entry.version} of '${entry.path}'`;
      throw new Problem(
        'NOETL_API_PLAYBOOK_INVALID',
        `${which} is not valid any more. POST /api/catalog/validate tells why.`,
      );
    }
    demandStores(source.plan.playbook, data.results);
    const own = id ?? (key === undefined ? undefined : idempotentId(caller.name, demandKey(key)));
    const execution = own ?? executionId(terminal.now(), terminal.seed);
    if (own !== undefined && (await repeats(own, request))) return { execution, isNew: false };
    let isNew = true;
    await running.begin(caller, execution, async () => {
      const trace = traceparent === undefined ? {} : { traceparent };
      const answer = await driver.start(source, { execution_id: execution, payload, ...trace });
      if (answer.kind !== 'refused') return true;
      if (own === undefined || !(await repeats(own, request))) throw new Problem(answer.code, answer.message);
      isNew = false;
      return false;
    });
    return { execution, isNew };
  }

  /** Whether the same was asked for under the key before; a problem if it was something else. */
  async function repeats(
    execution: string,
    { entry, payload, key = execution, caller }: StartRequest,
  ): Promise<boolean> {
    const [first] = await store.log.read(execution, 0, 1);
    if (first?.name !== 'playbook.execution.requested') return false;
    // What the caller may not see is not told, but that the id is taken.
    if (!isWithin(first.payload.path, caller.prefix)) {
      throw new Problem('NOETL_EXECUTION_EXISTS', `the execution '${execution}' exists already.`);
    }
    const before = await plainValue(first.payload.payload, { log: store.log, results: data.results });
    const same = 'value' in before && jsonDigest(before.value) === jsonDigest(payload);
    if (same && first.payload.content_hash === entry.contentHash) return true;
    throw new Problem(
      'NOETL_API_KEY_REUSED',
      `the key '${key}' started the execution '${execution}' of '${first.payload.path}', with another playbook or payload. Use a new key for a new request.`,
      { execution_id: execution },
    );
  }

  async function result(id: string, step: string | undefined): Promise<AsyncIterable<string>> {
    if (step !== undefined) return ended(valuePieces({ result: await resultOfStep(id, step, view) }, reading));
    const { log } = reading.store;
    const [last] = await log.read(id, (await log.position(id)) - 1, 1);
    if (last?.name !== 'playbook.processed') {
      throw new Problem('NOETL_API_UNFINISHED', `the execution '${id}' is not over yet.`);
    }
    const { status, error, result: value } = last.payload;
    return ended(valuePieces({ status, error: error as Json, result: value }, reading));
  }

  return {
    catalog: { ...reading.store.catalog, register: store.catalog.register },
    executions: reading.store.executions,
    read: readText,
    async register(path, { text, original }, { folder, files }) {
      const before = await store.catalog.get(path);
      const entry = await store.catalog.register(
        path,
        text,
        contentHashOf({ text, original }),
        terminal.now(),
        original,
      );
      const beside = files === undefined ? folder : await keepFiles(filesFolder(data.folder), files);
      if (beside !== undefined) await data.keepSourceFolder(entry.contentHash, beside);
      return { entry, isNew: entry.version !== before?.version };
    },
    start: (request) => withProblems(() => start(request)),
    goOn: (id) => withProblems(() => goOn(id)),
    async driverOf(id) {
      const driven = await liveDriverOf(id, data, machine);
      return driven && { pid: driven.pid };
    },
    ask: (id, input) =>
      withProblems(() => {
        if (input.kind === 'cancel') return cancelled(id, input, look);
        return input.kind === 'signal' ? signalled(id, input, look) : asked(id, input, look);
      }),
    fork: (id, { run, id: own, caller, ...wanted }) =>
      withProblems(async () => {
        const notes: string[] = [];
        const planned = await planFork(id, wanted, look, (note) => notes.push(note));
        const { source, request: planning } = await keptFork(planned, data, terminal);
        const request = own === undefined ? planning : { ...planning, execution_id: own };
        if (run) {
          await running.begin(caller, request.execution_id, async () => {
            demandDone(await driver.fork(source, request));
            return true;
          });
        } else await writtenFork({ source, request }, data);
        const origin = { execution_id: id, seq: request.origin.state.seq };
        return { execution_id: request.execution_id, origin, notes };
      }),
    status: (id) =>
      withProblems(async () => {
        // At the same time: while the server is busy, each question to the store waits for its turn.
        const [reading, { places }, called] = await Promise.all([
          readExecution(id, view),
          sourceOf(id, view),
          readCalledTree(id, view),
        ]);
        return statusJson(reading, places, called);
      }),
    state: (id, at) => withProblems(async () => stateJson(await readState(id, at, view))),
    result: (id, step) => withProblems(() => result(id, step)),
    value: (stored) => read(stored, data),
    diff: (a, b, limit) => withProblems(async () => diffJson(await readDiff([a, b], limit, view))),
    strays: () => reading.store.inspection.strays(),
    verify: (id) => withProblems(async () => verificationJson(await verify(id, view, UNWATCHED))),
  };
}

async function* ended(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield* pieces;
  yield '\n';
}

const UNWATCHED = { begin: () => undefined, seen: () => undefined };

/** Longer ones are no keys. */
const LONGEST_KEY = 256;

function demandKey(key: string): string {
  if (key !== '' && key.length <= LONGEST_KEY) return key;
  throw new Problem(
    'NOETL_API_REQUEST',
    `the header Idempotency-Key has ${key.length} characters, expected 1 to ${LONGEST_KEY}.`,
  );
}

/** What is lost is told before the first byte, as long as it is known then. */
async function read(
  stored: { readonly store: string; readonly key: string; readonly checksum: string; readonly size: number },
  { results }: DataFolder,
): Promise<AsyncIterable<Uint8Array>> {
  const pieces = results.read({ ...stored, [TAG]: 'reference', schema_hint: '' })[Symbol.asyncIterator]();
  try {
    const first = await pieces.next();
    return following(first, pieces);
  } catch (error) {
    if (!(error instanceof ResultLost)) throw error;
    throw new Problem('NOETL_API_NOT_FOUND', error.message, { lost: error.kind });
  }
}

async function* following(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let piece = first; piece.done !== true; piece = await rest.next()) yield piece.value;
}
