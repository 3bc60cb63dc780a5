/** What must hold in every story, whatever goes wrong. For each there is a test that it is noticed (watch.test.ts). */
const INVARIANTS = [
  /** What a process was told, and tells others, is in the log, byte for byte. */
  'no acknowledged event is lost',
  /** A control that was taken from the store has had its effect in the log. */
  'no acknowledged control is lost',
  /** EVT-2: a signal that is met again, because whoever took it died, is received once. */
  'a signal counts once',
  /** EVT-1: positions count from 1, without gaps, and the chain of hashes is intact. */
  'positions have no gaps',
  /** DESIGN §4: nobody runs a piece of work while somebody else, or the same worker, runs it under a valid lease. */
  'work has one lease at a time',
  /** DESIGN §4: once another process drives an execution, the old driver writes nothing into it. */
  'an old driver never writes',
  /** EVT-3: of each attempt of a visit there is one checkpoint. */
  'task.done comes once',
  /** ENG-8: of each iteration and each step run there is one end. */
  'loop.done and other boundaries come once',
  /** ENG-7. */
  'workflow.finished and playbook.processed come once',
  /** ENG-15. */
  'every execution ends once faults stop',
  /** EVT-3: the state that a process has of a position is what the log folds to. */
  'replay equals state',
  /** ENG-9: ctx at the end is that of the faultless run. */
  'ctx does not depend on the order of arrival',
  /** ENG-15, ENG-16: the end is that of the faultless run. */
  'the result is that of the faultless run',
  /** ENG-8: iterations in flight, in the log and in the tools. */
  'max_in_flight is never exceeded',
  /** Nothing is scheduled or begun when the workflow is finished. */
  'nothing is dispatched after the end',
  /** RES-3: bytes are durable before an event refers to them, and are what its checksum says. */
  'every reference resolves',
  /** RES-1. */
  'no payload is over the inline limit',
  /** SEC-3: in no log, result, control or line of a tool, in no common encoding. */
  'no secret is written',
  /** TOOL-6: a checkpoint of a body has a call in the ledger, under the key of its visit and no other. */
  'every checkpoint has its call, with one key for each visit',
  /** DESIGN §4: what a worker reports under a lease that somebody else has had since is not taken. */
  'an old lease never reports',
  /** DESIGN §4: what a worker was told is taken, and not dropped with its execution or step, is in the log. */
  'a report that was taken is in the log',
  /** SEC-4: nothing is taken under a lease from who cannot show its capability. */
  'a lease needs its capability',
  /** DESIGN §4: nobody loses its work because its server was away. */
  'a server that starts gives every lease a fresh ttl',
  /** `step.spec.pool`, and the labels in it. */
  'work is done in its pool',
  /** `exec: local`. */
  'a local loop is with one worker at a time',
  /** DESIGN §4: unclaimed work is offered again. */
  'ready work is claimed where a worker waits for it',
  /** Nothing but the store may fail: any other exception is a bug. */
  'no shell fails by itself',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

export class Violation extends Error {
  override name = 'Violation';
  readonly invariant: Invariant;

  constructor(invariant: Invariant, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}
