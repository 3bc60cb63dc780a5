import type { Plan } from '@noetl/engine';
import { createJsonPieces, JsonProblem } from '../json-pieces.ts';
import type { EventLog } from '../ports/event-log.ts';
import { iterationEndOf } from '../ports/iteration-end.ts';
import type { PlaybookFiles } from '../ports/playbook-files.ts';
import type { ResultStore } from '../ports/result-store.ts';
import { StoreError } from '../ports/store-error.ts';
import type { LogLine } from '../ports/tool-logs.ts';
import {
  type CredentialAnswer,
  type CredentialAsked,
  type GivenPlaybook,
  type GivenWork,
  LeaseGone,
  type LeaseTicket,
  type LentSecrets,
  type WorkExchange,
} from '../ports/work-exchange.ts';
import type { AssignedWork } from './held-leases.ts';
import type { RemoteLeases, RemoteWork } from './remote-leases.ts';
import { type TakenOnce, takenOnce } from './taken-once.ts';

/** What work needs beside its lease. */
export interface ExchangeServices {
  readonly log: Pick<EventLog, 'read' | 'iterations'>;
  readonly results: ResultStore;
  /** Where the playbook of an execution comes from. */
  sourceOf(plan: Plan): Omit<GivenPlaybook, 'limits'> & { readonly text: string };
  /** Files beside the playbook that it names. */
  filesOf(plan: Plan): Promise<PlaybookFiles | undefined>;
  /** SEC-1: the credentials of an execution, renewed where that is due. */
  lend(execution: string): Promise<LentSecrets>;
  credential(execution: string, asked: CredentialAsked): Promise<CredentialAnswer['answer']>;
  keepLog(lines: readonly LogLine[]): Promise<void>;
  /** Whether values of the one can stand in the other: they have a tree or an origin in common. */
  areRelated(execution: string, other: string): Promise<boolean>;
}

/** The work of a server for workers in other processes: leases, and what is needed under them. */
export function createWorkExchange(leases: RemoteLeases, services: ExchangeServices): WorkExchange {
  const { log, results } = services;
  const logs = new WeakMap<AssignedWork, TakenOnce<void>>();

  async function given(works: readonly RemoteWork[]): Promise<readonly GivenWork[]> {
    const playbooks = onceEach((plan: Plan): GivenPlaybook => {
      const { text: _, ...playbook } = services.sourceOf(plan);
      return { ...playbook, limits: plan.limits };
    });
    const secrets = onceEach(services.lend);
    return Promise.all(
      works.map(async ({ ticket, work: { assignment, isSuspect, plan, execution } }) => ({
        ...{ lease: ticket, ttl: leases.ttl, assignment, isSuspect },
        playbook: playbooks(plan),
        secrets: await secrets(execution),
      })),
    );
  }

  function storeOf(name: string | undefined): ResultStore {
    if (name === undefined || name === results.name) return results;
    const found = results.named?.(name) ?? { problem: `there is no store '${name}' here` };
    if ('problem' in found) throw new StoreError('NOETL_STORE_UNCONFIGURED', found.problem, { store: name });
    return found;
  }

  /** A lease opens what its own work may read, not the log of every execution. */
  async function demandRelated(lease: LeaseTicket, other: string): Promise<void> {
    const { execution } = leases.under(lease);
    if (execution !== other && !(await services.areRelated(execution, other)))
      throw new LeaseGone({ ...lease, execution: other });
  }

  return {
    claim: async (worker, max, signal) => given(await leases.claim(worker, max, signal)),
    report: leases.report,
    heartbeat: leases.heartbeat,
    release: leases.release,
    leave: leases.leave,
    playbook: async (lease) => services.sourceOf(leases.under(lease).plan).text,
    files: async (lease) => services.filesOf(leases.under(lease).plan),
    secrets: async (lease) => services.lend(leases.under(lease).execution),
    async credential(lease, asked) {
      const { execution } = leases.under(lease);
      const answer = await services.credential(execution, asked);
      return { answer, lent: await services.lend(execution) };
    },
    async log(lease, nth, lines) {
      const work = leases.under(lease);
      const { execution } = work;
      const own = lines.filter(({ taskRun }) => taskRun.startsWith(`${execution}:`));
      const kept = logs.get(work) ?? takenOnce<void>();
      logs.set(work, kept);
      await kept(nth, async () => {
        if (own.length > 0) await services.keepLog(own.map((line) => ({ ...line, execution })));
      });
    },
    async put(lease, store, bytes) {
      leases.under(lease);
      const passing = createJsonPieces({ key: (key) => key });
      return storeOf(store).putPieces(checked(bytes instanceof Uint8Array ? [bytes] : bytes, passing), passing.hint);
    },
    async *read(lease, reference) {
      leases.under(lease);
      yield* results.read(reference);
    },
    async iterations(lease, source, from, limit) {
      await demandRelated(lease, source.execution_id);
      return log.iterations(source, from, limit);
    },
    async events(lease, execution, after, limit) {
      await demandRelated(lease, execution);
      // A page may have none: who reads on needs the position of its last event.
      const page = await log.read(execution, after, limit);
      return page.filter((event, nth) => nth === page.length - 1 || iterationEndOf(event) !== undefined);
    },
  };
}

/** The same answer for the same question: what is common to the work of a claim is one value. */
function onceEach<Key, Value>(of: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}

/** What a worker sends is JSON, whatever the worker is. */
async function* checked(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  passing: ReturnType<typeof createJsonPieces>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new JsonProblem('it is no UTF-8');
    }
  };
  for await (const piece of pieces) {
    const text = passing.take(decoded(piece));
    if (text !== '') yield Buffer.from(text);
  }
  const rest = passing.take(decoded()) + passing.end();
  if (rest !== '') yield Buffer.from(rest);
}
