import type { Database } from '../driver/database.ts';
import { auditOperations } from './audit.ts';
import { catalogOperations } from './catalog.ts';
import { controlInputOperations } from './control-inputs.ts';
import { driverOperations } from './drivers.ts';
import { eventLogOperations } from './event-log.ts';
import { executionOperations } from './executions.ts';
import { createHeads } from './heads.ts';
import { inspectionOperations } from './inspection.ts';
import { createLeaseTable } from './leases.ts';
import { secretStoreOperations } from './secret-store.ts';
import { snapshotOperations } from './snapshots.ts';
import { tokenOperations } from './tokens.ts';
import { toolLogOperations } from './tool-logs.ts';

/** Everything that can be asked of the file, by name. Arguments and answers can be sent to and from another thread. */
export type Operations = ReturnType<typeof operationsOn>['reads'] & ReturnType<typeof operationsOn>['writes'];

/** What only reads needs no transaction of its own. */
export function operationsOn(database: Database) {
  const heads = createHeads(database);
  const table = createLeaseTable(database);
  const log = eventLogOperations(database, heads, table);
  const executions = executionOperations(database, heads);
  const catalog = catalogOperations(database);
  const inputs = controlInputOperations(database);
  const drivers = driverOperations(database, table);
  const inspection = inspectionOperations(database, heads);
  const secrets = secretStoreOperations(database);
  const snapshots = snapshotOperations(database, heads);
  const toolLogs = toolLogOperations(database);
  const tokens = tokenOperations(database);
  const audit = auditOperations(database);
  return {
    heads,
    reads: {
      ...table.reads,
      ...log.reads,
      ...executions.reads,
      ...catalog.reads,
      ...inputs.reads,
      ...drivers.reads,
      ...secrets.reads,
      ...snapshots.reads,
      ...inspection.reads,
      ...toolLogs.reads,
      ...tokens.reads,
      ...audit.reads,
    },
    writes: {
      ...table.writes,
      ...log.writes,
      ...executions.writes,
      ...catalog.writes,
      ...inputs.writes,
      ...drivers.writes,
      ...secrets.writes,
      ...snapshots.writes,
      ...toolLogs.writes,
      ...tokens.writes,
      ...audit.writes,
    },
  };
}
