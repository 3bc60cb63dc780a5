import type { OutcomeError, Payload } from '@noetl/engine';
import type { Failure } from '../views/failures.ts';
import type { LoopCount } from './loop-count.ts';

/** Something that people who watch an execution want to know. */
export type Note = { readonly at: string /** What it is about. */; readonly name: string } & NoteBody;

export type NoteBody =
  | { readonly kind: 'requested'; readonly execution: string; readonly origin: Origin | undefined }
  | { readonly kind: 'scheduled' }
  | { readonly kind: 'loop'; readonly loop: Payload<'loop.started'> }
  | { readonly kind: 'progress'; readonly loop: LoopCount }
  | {
      readonly kind: 'done';
      readonly ms: number;
      readonly retries: number;
      readonly stats: Payload<'loop.done'>['stats'] | undefined;
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly ms: number | undefined }
  | { readonly kind: 'loop-failed'; readonly cause: string; readonly ms: number }
  /** From here on the iterations of a loop are only counted. */
  | { readonly kind: 'hushed'; readonly what: NoteBody['kind'] }
  | { readonly kind: 'handled'; readonly steps: readonly string[] }
  | { readonly kind: 'retry'; readonly retry: Retry }
  | { readonly kind: 'waiting'; readonly wait: Wait }
  | { readonly kind: 'resumed'; readonly by: Payload<'task.resumed'>['by'] }
  | { readonly kind: 'skipped'; readonly reason: Payload<'step.skipped'>['reason']; readonly when: string | undefined }
  | { readonly kind: 'signal'; readonly by: string | null }
  | {
      readonly kind: 'control';
      readonly what: 'paused' | 'resumed' | 'cancelled';
      readonly reason: string | null;
      /** The command that lifts a pause. */
      readonly lift?: string;
    }
  | { readonly kind: 'ended'; readonly end: Payload<'playbook.processed'> };

/** What a fork goes on from. */
type Origin = NonNullable<Payload<'playbook.execution.requested'>['origin']>;

export interface Retry {
  /** The attempt that failed. */
  readonly attempt: number;
  /** How many there may be in all; undefined if the playbook does not tell. */
  readonly of: number | undefined;
  readonly seconds: number;
  readonly error: OutcomeError | undefined;
}

/** Why a pipeline stands still, and what would end that. */
export type Wait = WaitFor & { readonly label: string | undefined; readonly path: string };

type WaitFor =
  | { readonly for: 'retry'; readonly until: number; readonly retry: Retry }
  | { readonly for: 'time'; readonly until: number }
  | {
      readonly for: 'signal' | 'approval';
      readonly name: string;
      /** The command that answers it. */
      readonly answer: string;
      readonly until: number | undefined;
    }
  | {
      readonly for: 'child';
      readonly child: string;
      readonly playbook: string;
      /** Whether for its end, or only until it is started. */
      readonly awaited: boolean;
      readonly until: number | undefined;
    };
