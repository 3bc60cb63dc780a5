import { instantOf, timestampOf } from '@noetl/engine';
import type { ExecutionEntry } from '../ports/executions.ts';
import type { Execution } from './executions.ts';

/** An entry of the index as it is sent, and back. */
export const executionJson = (entry: ExecutionEntry): Execution => {
  const { execution, number, path, version, contentHash, parent, origin, status, requestedAt, endedAt } = entry;
  return {
    execution_id: execution,
    number,
    path,
    version,
    content_hash: contentHash,
    parent_execution_id: parent ?? null,
    origin: origin === undefined ? null : { execution_id: origin.execution, seq: origin.position },
    status,
    started_at: timestampOf(requestedAt),
    ended_at: endedAt === undefined ? null : timestampOf(endedAt),
    duration_ms: endedAt === undefined ? null : endedAt - requestedAt,
    events: entry.position,
    hash: entry.hash,
  };
};

export const executionEntry = (json: Execution): ExecutionEntry => ({
  execution: json.execution_id,
  number: json.number,
  path: json.path,
  version: json.version,
  contentHash: json.content_hash,
  parent: json.parent_execution_id ?? undefined,
  origin: json.origin === null ? undefined : { execution: json.origin.execution_id, position: json.origin.seq },
  status: json.status,
  requestedAt: instantOf(json.started_at),
  endedAt: json.ended_at === null ? undefined : instantOf(json.ended_at),
  position: json.events,
  hash: json.hash,
});
