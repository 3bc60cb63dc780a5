/**
 * Who may run which work. Each lease on a piece of work has a higher epoch than the one before, so that a worker that
 * lost its lease without knowing is recognised by its epoch. Leases are durations on the clock of the store: servers
 * need not agree on the time.
 *
 * A lease ends with the event that ends or suspends its work, in the transaction that appends it (`leaseEndOf`): at no
 * moment are more leases valid than pipelines may run (ENG-8).
 */
export interface Leases {
  /**
   * Leases work on which no lease is valid, in the order given; undefined for a claim that came too late. Who claims
   * looks at the log afterwards, not before: then an append that took the work for unclaimed is either seen in the log,
   * or has seen the lease.
   *
   * What is answered is known to everyone who asks. It outlasts a failure of the power from the first append under the lease
   * on; a takeover at once.
   */
  claim(claims: readonly Claim[]): Promise<readonly (Granted | undefined)[]>;
  /** Lets leases last `ttl` from now on, also expired ones that nobody else has claimed; false for one that is gone. */
  renew(renewals: readonly Renewal[]): Promise<readonly boolean[]>;
  /** Gives leases back: the work may be claimed at once, and nothing counts any more that is reported under them. */
  release(leases: readonly LeaseId[]): Promise<void>;
  /** The valid leases on work of the execution; `all` names also those that expired and nobody has claimed since. */
  leases(execution: string, which?: 'valid' | 'all'): Promise<readonly Lease[]>;
}

export interface LeaseId {
  readonly execution: string;
  /** The key of the work in its execution. */
  readonly work: string;
  /** From 1. */
  readonly epoch: number;
}

export interface Granted extends LeaseId {
  /** How often the work was taken over, this time included. */
  readonly takeovers: number;
}

export interface Lease extends LeaseId {
  readonly worker: string;
  /** Milliseconds for which it is still valid; none or less if it has expired. */
  readonly remaining: number;
}

export interface Claim {
  readonly execution: string;
  readonly work: string;
  readonly worker: string;
  /** Milliseconds. */
  readonly ttl: number;
  /** Whether who had the work before is lost: that is counted, as long as the work is not over. */
  readonly takeover?: boolean;
}

export interface Renewal extends LeaseId {
  /** Milliseconds. */
  readonly ttl: number;
}
