import type {
  Assignment,
  EngineLimits,
  ExecutionEvent,
  ManifestSource,
  OutcomeError,
  ResultReference,
  WorkerEvent,
} from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import type { LeaseId } from './leases.ts';
import type { PlaybookFiles } from './playbook-files.ts';
import type { LogLine } from './tool-logs.ts';

/**
 * Where workers in processes of their own get work, and tell what became of it (DESIGN §4). Everything but `claim`,
 * `heartbeat` and `leave` is done under a lease, with the capability that was given with it; a lease that is gone is
 * answered with a `LeaseGone`, and the worker must stop. Every call may be made again: what was done stays done once.
 */
export interface WorkExchange {
  /** Leases work, at most `max`, waiting until there is some; none once the signal is aborted. */
  claim(worker: WorkerCard, max: number, signal: AbortSignal): Promise<readonly GivenWork[]>;
  /** What became of work, in the order of the reports; each is taken or refused on its own. */
  report(reports: readonly WorkReport[]): Promise<readonly ReportAnswer[]>;
  /** The worker lives, and goes on with these leases. They last `ttl` from now on, but for those that must stop. */
  heartbeat(worker: WorkerCard, leases: readonly LeaseTicket[]): Promise<HeartbeatAnswer>;
  /** Work that does not go on there; `failed` says that it cannot, `lost` that somebody else has to go on with it. */
  release(lease: LeaseTicket, why: { readonly failed?: OutcomeError; readonly lost?: boolean }): Promise<void>;
  /** The worker ends in good order: its loops may go on elsewhere at once. */
  leave(worker: WorkerCard): Promise<void>;
  /** The text of the playbook. */
  playbook(lease: LeaseTicket): Promise<string>;
  /** The files beside the playbook that it names, for a machine that does not have its folder; undefined if there are none. */
  files(lease: LeaseTicket): Promise<PlaybookFiles | undefined>;
  /** SEC-1: the credentials of the execution as they are now. */
  secrets(lease: LeaseTicket): Promise<LentSecrets>;
  /** What tools ask of credentials; what became known by it is lent as well. */
  credential(lease: LeaseTicket, asked: CredentialAsked): Promise<CredentialAnswer>;
  /** What tools printed, counted from 1 for each lease: lines that come again are known by their number. */
  log(lease: LeaseTicket, nth: number, lines: readonly Omit<LogLine, 'execution'>[]): Promise<void>;
  /** RES-1: JSON, whole or in pieces, into a store, the usual one if none is named. Answers when it is durable. */
  put(
    lease: LeaseTicket,
    store: string | undefined,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<ResultReference>;
  /** RES-2: the bytes of a value. */
  read(lease: LeaseTicket, reference: ResultReference): AsyncIterable<Uint8Array>;
  /** The ends of iterations that a manifest is made of, by the index, or as the log has them. */
  iterations(
    lease: LeaseTicket,
    source: ManifestSource,
    from: number,
    limit: number,
  ): Promise<readonly ExecutionEvent[]>;
  events(lease: LeaseTicket, execution: string, after: number, limit: number): Promise<readonly ExecutionEvent[]>;
}

/** Who works: what a worker says of itself with each claim and heartbeat, so that a server need not remember it. */
export interface WorkerCard {
  /** Unique among all workers, and never given twice. */
  readonly name: string;
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  /** How many pipelines it runs at a time. */
  readonly slots: number;
  readonly host: string;
  readonly pid: number;
}

/** A lease, and what proves that it was given to who shows it. */
export interface LeaseTicket extends LeaseId {
  readonly worker: string;
  readonly capability: string;
}

export interface GivenWork {
  readonly lease: LeaseTicket;
  /** Milliseconds. */
  readonly ttl: number;
  readonly assignment: Assignment;
  /** Whether a worker may have died of the work: that it has begun must be known before anything is done. */
  readonly isSuspect: boolean;
  readonly playbook: GivenPlaybook;
  readonly secrets: LentSecrets;
}

export interface GivenPlaybook {
  /** What its text is known by: it is asked for once. */
  readonly contentHash: string;
  /** As its user calls it. */
  readonly name: string;
  /** The folder that its files are relative to. */
  readonly folder: string;
  readonly limits: EngineLimits;
}

/** SEC-1: in memory only, on both sides. */
export interface LentSecrets {
  readonly keychain: JsonMap;
  /** What must not be seen (SEC-3), also of what the keychain does not show. */
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly problems: readonly { readonly name: string; readonly error: OutcomeError }[];
}

export type CredentialAsked =
  | { readonly kind: 'issue'; readonly secrets: JsonMap }
  | { readonly kind: 'open'; readonly handle: JsonMap }
  | { readonly kind: 'renew'; readonly auth: Json; readonly refused: Json };

export interface CredentialAnswer {
  readonly answer:
    | { readonly handle: JsonMap }
    | { readonly credential: Json }
    | { readonly problem: string; readonly passing: boolean }
    | undefined;
  readonly lent: LentSecrets;
}

export interface WorkReport {
  readonly lease: LeaseTicket;
  /** Reports of a lease are counted from 1: one that comes again is known by its number. */
  readonly nth: number;
  readonly events: readonly WorkerEvent[];
}

/** `gone`: the lease is not valid any more, and nothing of the report was taken. */
export type ReportAnswer = 'taken' | 'gone';

export interface HeartbeatAnswer {
  /** Leases that are gone, by their place in the heartbeat: their work must stop. */
  readonly gone: readonly number[];
  /** Somebody wants the worker to end: it takes no work any more, and ends when what it does is done. */
  readonly drain: boolean;
}

/** Something was asked under a lease that is not valid any more. */
export class LeaseGone extends Error {
  override name = 'LeaseGone';
  constructor({ execution, work }: Pick<LeaseId, 'execution' | 'work'>) {
    super(`the lease on ${work} of the execution ${execution} is gone.`);
  }
}
