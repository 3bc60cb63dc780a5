import type { Json, JsonMap } from '@noetl/playbook';

/** SEC-3: secrets are lent to the templates of tasks, and taken out of everything that leaves the tool border. */
export interface WorkSecrets {
  readonly keychain: JsonMap;
  redact(value: Json): Json;
  /** For text that comes in pieces; absent where there are no secrets. */
  redacting?(): { take(piece: string): string; end(): string };
}
