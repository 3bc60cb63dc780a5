import type { JsonMap } from '@noetl/playbook';
import { timestampOf } from '../instant.ts';
import type { Request } from './state.ts';

/** The `job` of TPL-5. */
export const jobView = (request: Request, path: string): JsonMap => ({
  uuid: request.execution_id,
  execution_id: request.execution_id,
  path: request.path === '' ? path : request.path,
  version: request.version,
  started_at: timestampOf(request.requested_at),
});
