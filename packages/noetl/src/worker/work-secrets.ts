import type { OutcomeError } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';

/** SEC-3: secrets are lent to the templates of tasks, and taken out of everything that leaves the tool border. */
export interface WorkSecrets {
  /** As it is now: another mapping when a credential was renewed. */
  readonly keychain: JsonMap;
  redact(value: Json): Json;
  /** For text that comes in pieces; undefined where there are no secrets. */
  readonly redacting?: (() => { take(piece: string): string; end(): string }) | undefined;
  /** Renews what is about to expire, before an attempt; undefined if nothing is. */
  renewal?(): Promise<void> | undefined;
  /** SEC-1: why an entry of the keychain has no value; undefined if it has one, or there is no such entry. */
  unresolved?(name: string): OutcomeError | undefined;
}
