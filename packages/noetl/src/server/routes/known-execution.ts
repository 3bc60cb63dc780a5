import * as z from 'zod';
import type { ExecutionEntry, Executions } from '../../ports/executions.ts';
import { type Caller, isWithin } from '../http/permissions.ts';
import { Problem } from '../http/problem.ts';

/** The part of a path that names an execution. */
export const ExecutionId = z.object({ id: z.string().min(1).max(512) });

/** The execution that is meant; what the caller may not see is not there. */
export async function knownExecution(
  executions: Pick<Executions, 'get'>,
  id: string,
  { prefix }: Caller,
): Promise<ExecutionEntry> {
  const entry = await executions.get(id);
  if (entry !== undefined && isWithin(entry.path, prefix)) return entry;
  throw new Problem('NOETL_EXECUTION_UNKNOWN', `there is no execution '${id}'. GET /api/executions lists them.`);
}
