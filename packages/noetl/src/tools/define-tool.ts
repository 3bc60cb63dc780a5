import type { Outcome } from '@noetl/engine';
import type { Json, JsonMap, Task } from '@noetl/playbook';
import type { RunOptions, Scope } from '@noetl/template';
import type { Keep, KeptPart } from '../ports/keep.ts';

/** What a tool is called with: one attempt of one task, its templates evaluated. */
export interface ToolCall {
  readonly task: Task;
  /** The fields of the kind, `args` and `auth`, rendered. Fields that the tool binds itself (SQL) are not among them. */
  readonly input: JsonMap;
  /** What templates of the task may read, for fields that the tool binds itself. */
  readonly scope: Scope;
  /** What those templates may ask beside the scope: the time. */
  readonly evaluation?: RunOptions;
  /** The layers of spec merged for this task (DOC-14). */
  readonly spec: JsonMap;
  /** What `auth` stands for, where that had to be looked up outside of the scope. */
  readonly credential?: Json;
  readonly step: string;
  /** Indexes of the iteration, outermost first; empty outside loops. */
  readonly path: readonly number[];
  readonly visit: number;
  readonly attempt: number;
  /** TOOL-6: the same for every attempt of a visit, and after a takeover. */
  readonly key: string;
  /** The header of W3C Trace Context that others are told; absent where there is no trace. */
  readonly traceparent?: string;
}

/** What the world lends to one call. */
export interface ToolContext {
  /** Aborted when the call must stop: cancel, timeout, lost lease. The tool leaves nothing running behind. */
  readonly signal: AbortSignal;
  /** Keeps what the tool prints; bounded by the worker. */
  log(stream: 'stdout' | 'stderr', text: string): void;
  /** For values that are too large for memory. */
  readonly keep: Keep;
  /** The folder that relative files of the playbook are in. */
  readonly folder: string;
  /** The file of the playbook as its user calls it, for messages; absent if nobody knows. */
  readonly playbook?: string;
  /** The variables that processes inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Credentials of the execution, beyond what its templates see. */
  readonly credentials?: ToolCredentials;
}

/** Credentials that are looked up while the playbook runs. Problems never show a value. */
export interface ToolCredentials {
  /** Makes sure that secrets can be had, and gives a handle that names them. */
  issue(secrets: JsonMap): Promise<{ readonly handle: JsonMap } | CredentialProblem>;
  /** What a handle stands for. */
  open(handle: JsonMap): Promise<{ readonly credential: Json } | CredentialProblem>;
  /** A newer token in place of one that was refused; undefined if there is none. */
  renew(auth: Json, refused: Json): Promise<Json | undefined>;
}

export interface CredentialProblem {
  /** The end of a sentence that begins with what asked for it. */
  readonly problem: string;
  /** Whether it may be had later. */
  readonly passing: boolean;
}

/** What a tool made of a call; the rest of the outcome is the worker's to add. */
export interface ToolAnswer extends Omit<Outcome, 'meta'> {
  /** Parts of the result that were kept apart; the result has null in their place. */
  readonly kept?: readonly KeptPart[];
}

/** TOOL-2: a kind of tool. It answers every call, also where it fails: an exception is a bug of the tool. */
export interface Tool {
  readonly kind: string;
  run(call: ToolCall, context: ToolContext): Promise<ToolAnswer>;
  /** Ends what the tool keeps running between calls. */
  close?(): Promise<void>;
}

/** Declares a tool, so that its type is checked where it is written. */
export const defineTool = (tool: Tool): Tool => tool;
