import type { OutcomeError, Plan } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/**
 * SEC-1: resolves the credentials that a playbook declares, before its work begins and again when it is resumed; they live
 * in the memory of the process only. The answer says why they cannot be had.
 */
export interface Credentials {
  resolve(execution: string, plan: Plan, workload: Json): Promise<OutcomeError | undefined>;
  /** The execution does not go on here: nothing of it is needed any more. */
  forget(execution: string): void;
}
