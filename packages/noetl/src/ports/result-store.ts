import type { ResultReference, Tagged } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** RES-1…3: values too large for an event, by content: the same value has the same key. */
export interface ResultStore {
  /** The name that references carry. */
  readonly name: string;
  /** Answers when the value is durable, so that the reference may be written into events. */
  put(value: Json): Promise<ResultReference>;
  /**
   * The value; `missing` or `corrupt` where it is lost for good. A failure that may pass is an exception. Whoever gets a
   * value may change it without changing what is stored.
   */
  get(reference: ResultReference): Promise<Fetched>;
  /** Compares what is stored with what a reference says of it, without having it whole in memory. */
  inspect(reference: ResultReference): Promise<InspectedResult>;
  /** Removes what no reference needs any more; keys that are not there are no problem. */
  remove(keys: readonly string[]): Promise<void>;
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
