import { keptAliveByClock } from '../keep-alive.ts';
import type { ControlEntry } from '../ports/control-inputs.ts';
import type { Append, Appended } from '../ports/event-log.ts';
import type { Claim, Granted, LeaseId, Renewal } from '../ports/leases.ts';
import { ResultLost, type ResultStore } from '../ports/result-store.ts';
import type { Store } from '../ports/store.ts';
import type { FaultKind, Operation } from './faults.testing.ts';
import type { SimulatedProcess } from './process.testing.ts';

/** Who has to know what became of requests, when it is durable and before anybody is told. */
export interface StoreWitness {
  appended(process: SimulatedProcess, batch: readonly Append[], answers: readonly Appended[]): void;
  /** Something goes wrong with what the process asks for. */
  disturbed(kind: FaultKind, what: Disturbed): void;
  /** Controls that a process is given. */
  listed(entries: readonly ControlEntry[]): void;
  /** Controls that nobody will meet again. */
  deleted(process: SimulatedProcess, ids: readonly number[]): void;
  /** Whether a process drives executions. */
  drove(process: SimulatedProcess, executions: readonly string[], taken: readonly boolean[]): void;
  /** A process counts as alive for so many milliseconds, or not at all any more, since it said that it ends. */
  beat(process: SimulatedProcess, milliseconds: number): void;
  /** Leases that were asked for, and those that were given. */
  claimed(claims: readonly Claim[], granted: readonly (Granted | undefined)[]): void;
  renewed(renewals: readonly Renewal[], answers: readonly boolean[]): void;
  released(leases: readonly LeaseId[]): void;
  /** Text that is written somewhere else than into the log. */
  written(process: SimulatedProcess, text: string): void;
}

/** What can go wrong in a way that is worth counting: an append, or another call by its name, such as `inputs.list`. */
export type Disturbed = readonly Append[] | string;

/** How long a process that would find nothing is kept from looking again, in milliseconds. */
const NOTHING_LEFT = 2_000;

/** The store as one process sees it: everything takes time, and may go wrong. What is durable is in `store` alone. */
export function faultyStore(store: Store, process: SimulatedProcess, witness: StoreWitness): Store {
  const { log, inputs } = store;
  const witnessed = withWitness(store, process, witness);
  const ports = Object.entries(witnessed).map(([name, port]) => [
    name,
    typeof port === 'function' ? port : withFaults(port, name, process, witness),
  ]);
  const faulty = Object.fromEntries(ports) as Store;
  return {
    ...faulty,
    log: {
      ...faulty.log,
      append: (batch) =>
        process.call({
          operation: 'append',
          what: 'log.append',
          disturbed: (kind) => witness.disturbed(kind, batch),
          apply: async () => {
            const answers = await log.append(batch);
            witness.appended(process, batch, answers);
            return answers;
          },
        }),
    },
    drivers: {
      ...faulty.drivers,
      // The heart of a process beats as long as the process moves.
      keepAlive: keptAliveByClock(process.clock, faulty.drivers.beat).keepAlive,
    },
    inputs: {
      ...faulty.inputs,
      // Looking for what is not there happens ten times a second: only where there is something, it is worth a fault.
      list: async (...args) => {
        const found = await inputs.list(...args);
        if (found.length > 0) return faulty.inputs.list(...args);
        await process.doze(NOTHING_LEFT);
        return found;
      },
    },
    close: async () => undefined,
  };
}

function withWitness(store: Store, process: SimulatedProcess, witness: StoreWitness): Store {
  const { log, inputs, drivers, toolLogs, snapshots } = store;
  return {
    ...store,
    log: {
      ...log,
      claim: async (claims) => {
        const granted = await log.claim(claims);
        witness.claimed(claims, granted);
        return granted;
      },
      renew: async (renewals) => {
        const answers = await log.renew(renewals);
        witness.renewed(renewals, answers);
        return answers;
      },
      release: async (leases) => {
        await log.release(leases);
        witness.released(leases);
      },
    },
    inputs: {
      ...inputs,
      list: async (...args) => {
        const entries = await inputs.list(...args);
        witness.listed(entries);
        return entries;
      },
      delete: async (ids) => {
        await inputs.delete(ids);
        witness.deleted(process, ids);
      },
    },
    drivers: {
      ...drivers,
      beat: async (driver, ttl) => {
        const answer = await drivers.beat(driver, ttl);
        if (answer === 'alive') witness.beat(process, ttl);
        return answer;
      },
      retire: async (id) => {
        await drivers.retire(id);
        witness.beat(process, 0);
      },
      drive: async (id, executions) => {
        const taken = await drivers.drive(id, executions);
        witness.drove(
          process,
          executions,
          taken.map((taking) => taking !== 'refused'),
        );
        return taken;
      },
    },
    snapshots: {
      ...snapshots,
      put: async (snapshot) => {
        witness.written(process, snapshot.state);
        await snapshots.put(snapshot);
      },
    },
    toolLogs: {
      ...toolLogs,
      append: async (lines) => {
        witness.written(process, JSON.stringify(lines));
        await toolLogs.append(lines);
      },
    },
  };
}

export function faultyResults(results: ResultStore, process: SimulatedProcess, witness: StoreWitness): ResultStore {
  const faulty = withFaults(results, 'results', process, witness);
  return {
    ...faulty,
    // In one piece: streams take turns of the event loop that nobody schedules.
    async *read(reference) {
      const found = await faulty.get(reference);
      if (found.kind !== 'value') throw new ResultLost(reference, found.kind);
      yield Buffer.from(JSON.stringify(found.value));
    },
    // What arrives twice is the same twice, though its pieces come once.
    putPieces: async (pieces, hint) => {
      const sent: Uint8Array[] = [];
      for await (const piece of pieces) sent.push(piece);
      return process.call({
        operation: 'put',
        what: 'results.putPieces',
        disturbed: (kind) => witness.disturbed(kind, 'results.put'),
        apply: async () => {
          witness.written(process, Buffer.concat(sent).toString());
          return results.putPieces(inPieces(sent), hint);
        },
      });
    },
    put: (value) =>
      process.call({
        operation: 'put',
        what: 'results.put',
        disturbed: (kind) => witness.disturbed(kind, 'results.put'),
        apply: async () => {
          witness.written(process, JSON.stringify(value));
          return results.put(value);
        },
      }),
  };
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

type Method = (...args: readonly never[]) => Promise<unknown>;

/** Every method of a port, by way of the process. */
function withFaults<Port extends object>(
  port: Port,
  name: string,
  process: SimulatedProcess,
  witness: StoreWitness,
): Port {
  const methods = Object.entries(port).map(([method, value]): readonly [string, unknown] => {
    if (typeof value !== 'function') return [method, value];
    const apply = value as Method;
    const operation = operationOf(name, method);
    const what = `${name}.${method}`;
    const disturbed = (kind: FaultKind): void => witness.disturbed(kind, what);
    return [
      method,
      (...args: readonly never[]) => process.call({ operation, what, disturbed, apply: () => apply(...args) }),
    ];
  });
  return Object.fromEntries(methods) as Port;
}

const WRITES = new Set(['put', 'putPieces', 'remove', 'append', 'register', 'claim', 'renew', 'release', 'delete']);

function operationOf(port: string, method: string): Operation {
  if (port === 'drivers') return 'drive';
  if (port === 'inputs') return 'control';
  return WRITES.has(method) ? 'put' : 'read';
}
