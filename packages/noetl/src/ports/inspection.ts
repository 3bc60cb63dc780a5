import type { ManifestSource, Milestone } from '@noetl/engine';

/** What a store holds, as it is: for whoever wants to know whether it still is what was written. */
export interface Inspection {
  /**
   * The next events behind a place whose hash is known, as far as they are what was appended, and what comes behind
   * them. Appends may go on meanwhile. Nothing that is stored makes it fail, unless the store itself cannot be read.
   */
  chain(execution: string, from: ChainPlace): Promise<ChainPage>;
  /** For each iteration of a loop the position of the event that the index leads to; undefined where it leads nowhere. */
  indexed(execution: string, loop: string, indexes: readonly number[]): Promise<readonly (number | undefined)[]>;
  /** How many ends up to a position the index has of all loops of an execution. */
  indexSize(execution: string, until: number): Promise<number>;
  /** How many of them belong to the source of a manifest. */
  sourceSize(source: ManifestSource): Promise<number>;
  /** The first of these events that `milestones` of the log would not give. The events are given in their order. */
  unlisted(execution: string, kind: Milestone, seqs: readonly number[]): Promise<number | undefined>;
  /** The executions by their numbers, newest first, whatever else is stored of them. */
  ids(before: number | undefined, limit: number): Promise<readonly StoredId[]>;
  /** Events that belong to no execution. */
  strays(): Promise<number>;
}

export interface StoredId {
  readonly number: number;
  readonly execution: string;
}

/** A position of a log, and the hash of the event there: nothing before the first. */
export interface ChainPlace {
  readonly position: number;
  readonly hash: string;
}

export const CHAIN_START: ChainPlace = { position: 0, hash: '' };

export interface ChainPage {
  /** The events as they are stored, as a JSON list. It may be no JSON, if they were appended so. */
  readonly texts: string;
  /** How many they are. */
  readonly count: number;
  /** The last of them, or where the page began. */
  readonly to: ChainPlace;
  readonly then: 'more' | 'end' | ChainBreak;
}

/** Where a log is not what was appended. What is said of the two sides is for people. */
export interface ChainBreak {
  readonly position: number;
  readonly what: /** The text of the event, or its hash, and it cannot be told which. */
    | 'event'
    | 'text'
    | 'hash'
    /** The event is not there, or under another number. */
    | 'missing'
    /** An event where the log has its end. */
    | 'extra'
    /** Where the store says that the log ends. */
    | 'head';
  readonly expected: string;
  readonly found: string;
}

/** Follows the chain of a log to its end, or to where it is broken. */
export async function followChain(
  inspection: Pick<Inspection, 'chain'>,
  execution: string,
): Promise<ChainPlace | ChainBreak> {
  for (let from = CHAIN_START; ; ) {
    const { to, then } = await inspection.chain(execution, from);
    if (then !== 'more') return then === 'end' ? to : then;
    from = to;
  }
}
