import type { ResultReference, Tagged } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** RES-1…3: values too large for an event, by content: the same value has the same key. */
export interface ResultStore {
  /** The name that references carry. */
  readonly name: string;
  /** Answers when the value is durable, so that the reference may be written into events. */
  put(value: Json): Promise<ResultReference>;
  /** The same for JSON that comes in pieces and is never whole in memory. The hint is asked for when all has come. */
  putPieces(pieces: AsyncIterable<Uint8Array>, schemaHint: () => string): Promise<ResultReference>;
  /**
   * The value; `missing` or `corrupt` where it is lost for good. A failure that may pass is an exception. Whoever gets a
   * value may change it without changing what is stored.
   */
  get(reference: ResultReference): Promise<Fetched>;
  /**
   * The JSON of a value in pieces. What is missing or is not what was put ends with a ResultLost: nothing that came
   * before may be used then.
   */
  read(reference: ResultReference): AsyncIterable<Uint8Array>;
  /** Compares what is stored with what a reference says of it, without having it whole in memory. */
  inspect(reference: ResultReference): Promise<InspectedResult>;
  /** Removes what nobody needs any more; what is not there is no problem. */
  remove(references: readonly StoredPlace[]): Promise<void>;
  /** The store of that name, if this one stands for several; or why it cannot be used here. */
  named?(store: string): ResultStore | StoreProblem;
}

/** What a worker sees of a store: where it puts what its work gives. */
export interface ResultSink extends Pick<ResultStore, 'name' | 'put' | 'putPieces'> {
  named?(store: string): ResultSink | StoreProblem;
}

/** Says what is wrong and what to do, without a value of any setting. */
export interface StoreProblem {
  readonly problem: string;
}

/** Where a value is kept. */
export type StoredPlace = Pick<ResultReference, 'store' | 'key'>;

/** A value that is lost for good. */
export class ResultLost extends Error {
  override name = 'ResultLost';
  readonly kind: 'missing' | 'corrupt';
  constructor({ store, key }: ResultReference, kind: 'missing' | 'corrupt') {
    super(`the stored result ${store}:${key} is ${kind}.`);
    this.kind = kind;
  }
}

export type Fetched = { readonly kind: 'value'; readonly value: Json } | { readonly kind: 'missing' | 'corrupt' };

export type InspectedResult =
  /** As it was put. What stands in it for values that are kept elsewhere comes along. */
  | { readonly kind: 'intact'; readonly tags: readonly Tagged[] }
  /** The place is one that people can look at. */
  | { readonly kind: 'missing'; readonly place: string }
  | {
      readonly kind: 'changed';
      readonly place: string;
      readonly what: 'size' | 'checksum';
      readonly expected: string;
      readonly found: string;
    };
