import type { Json, JsonMap } from '@noetl/playbook';
import type { Instant } from '../instant.ts';
import type { Outcome, OutcomeError } from '../outcome.ts';
import type { KnownValues } from '../scope/known-values.ts';
import type { Work } from './ids.ts';
import type { EventName, Payload } from './payloads.ts';
import type { ExecutionState } from './state.ts';

/** What `decide` answers. Time, and whatever else the core cannot know by itself, comes with it. */
export type Input = Circumstances & Cause;

/** What happened, without its circumstances. */
export type Cause =
  | RequestInput
  | ForkInput
  | ReportInput
  | TimerInput
  | ChildInput
  | GiveUpInput
  | SignalInput
  | ControlInput
  | ContinueInput;

interface Circumstances {
  readonly at: Instant;
  /** Values behind references that the decision reads; a decision that lacks one says so. */
  readonly known?: KnownValues;
  /** Work that a worker holds a lease on, by key; a decision that has to know says so. */
  readonly leased?: ReadonlySet<string>;
}

/** Somebody asks for an execution. */
export interface RequestInput {
  readonly kind: 'request';
  readonly execution_id: string;
  readonly path: string;
  readonly version: string | number | null;
  readonly content_hash: string;
  readonly payload: JsonMap;
  readonly depth?: number;
  readonly parent_execution_id?: string;
  readonly trace_id?: string;
  /** The header of W3C Trace Context that it was asked for with: its trace goes on. */
  readonly traceparent?: string;
  /** Whether spans of it are recorded. */
  readonly traced?: boolean;
  /** The folder that the files of the playbook are relative to. */
  readonly folder?: string;
  /** SEC-1: why the request cannot be met, such as a credential that cannot be resolved. */
  readonly rejected?: OutcomeError;
}

/** ENG-15: an execution that goes on from an event of another, perhaps with changes. */
export interface ForkInput {
  readonly kind: 'fork';
  readonly execution_id: string;
  readonly origin: { readonly execution_id: string; readonly state: ExecutionState };
  readonly path: string;
  readonly version: string | number | null;
  readonly content_hash: string;
  readonly trace_id?: string;
  readonly traced?: boolean;
  readonly folder?: string;
  /** Merged over what the origin had; `playbook` says that another one goes on. */
  readonly edits: { readonly playbook?: true; readonly workload?: JsonMap; readonly ctx?: JsonMap };
}

/** A worker tells what became of its lease, in the order it happened. */
export interface ReportInput {
  readonly kind: 'report';
  readonly work: Work;
  readonly events: readonly WorkerEvent[];
}

export type WorkerEvent =
  | WorkerEventOf<'step.started' | 'loop.iteration.started'>
  | (WorkerEventOf<'task.started' | 'task.done' | 'task.waiting'> & {
      readonly task: { readonly label: string; readonly visit: number; readonly attempt: number };
    })
  /** The pipeline is over; how, its checkpoints have told. */
  | { readonly name: 'finished'; readonly timestamp: string };

/** The server adds what it knows itself: step and index. */
type WorkerEventOf<N extends EventName> = {
  readonly [K in N]: {
    readonly name: K;
    readonly timestamp: string;
    readonly payload: Omit<Payload<K>, 'step' | 'index'>;
  };
}[N];

/** A timer is due: the execution's deadline, that of a step run, or the end of a wait. */
interface TimerInput {
  readonly kind: 'timer';
  readonly timer: Timer;
}

export type Timer =
  | { readonly of: 'execution' }
  | { readonly of: 'step'; readonly run: number }
  | { readonly of: 'wait'; readonly work: Work };

/** A child execution that a task waits for is over, or could not be started. */
export interface ChildInput {
  readonly kind: 'child';
  readonly work: Work;
  readonly execution_id: string;
  readonly outcome: Outcome;
}

/** Nobody will go on with this work: it was taken over too often. */
export interface GiveUpInput {
  readonly kind: 'give-up';
  readonly work: Work;
  readonly error: OutcomeError;
}

export interface SignalInput {
  readonly kind: 'signal';
  readonly name: string;
  readonly payload: Json;
  readonly by: string | null;
  /** The number under which it was left for the execution: one that is met again is not received again. */
  readonly input?: number;
}

/** ENG-14. */
export interface ControlInput {
  readonly kind: 'pause' | 'resume' | 'cancel';
  readonly reason: string | null;
  readonly by: string | null;
}

/** Something is still owed: the last decision was long, or the execution was forked in the middle of one. */
interface ContinueInput {
  readonly kind: 'continue';
}
