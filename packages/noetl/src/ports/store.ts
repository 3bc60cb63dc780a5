import type { Audit } from './audit.ts';
import type { Catalog } from './catalog.ts';
import type { ControlInputs } from './control-inputs.ts';
import type { Drivers } from './drivers.ts';
import type { EventLog } from './event-log.ts';
import type { Executions } from './executions.ts';
import type { Inspection } from './inspection.ts';
import type { SecretStore } from './secret-store.ts';
import type { Snapshots } from './snapshots.ts';
import type { Tokens } from './tokens.ts';
import type { ToolLogs } from './tool-logs.ts';

/** Everything that is kept together. What goes wrong is a `StoreError`. */
export interface Store {
  readonly log: EventLog;
  readonly executions: Executions;
  readonly catalog: Catalog;
  readonly inputs: ControlInputs;
  readonly drivers: Drivers;
  readonly snapshots: Snapshots;
  readonly inspection: Inspection;
  readonly toolLogs: ToolLogs;
  readonly secrets: SecretStore;
  readonly tokens: Tokens;
  readonly audit: Audit;
  /** After what was asked for has been answered. Nothing may be asked for afterwards. */
  close(): Promise<void>;
}
