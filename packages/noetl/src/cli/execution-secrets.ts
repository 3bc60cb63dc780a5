import { failure, type OutcomeError, type Plan } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { type RedactingLog, redactingLog } from '../secrets/redacting-log.ts';
import { redactingPieces } from '../secrets/redacting-pieces.ts';
import { type Redactor, redactor } from '../secrets/redactor.ts';
import { resolveKeychain } from '../secrets/resolve-keychain.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import type { WorkSecrets } from '../worker/work-secrets.ts';
import type { Machine } from './machine.ts';

/** The credentials of the executions that this process drives. They are in memory only, and go with it. */
export interface ExecutionSecrets {
  /** SEC-1: resolves what the playbook declares; the answer says why it cannot be had, without a value. */
  resolve(execution: string, plan: Plan, workload: Json): Promise<OutcomeError | undefined>;
  of(execution: string): WorkSecrets;
  /** The execution is over: nothing of it is needed any more. */
  forget(execution: string): void;
  /** A log without secrets. */
  log(execution: string, write: ToolContext['log']): RedactingLog;
}

interface Resolved {
  readonly keychain: JsonMap;
  readonly redactor: Redactor;
}

const NOTHING: Resolved = { keychain: {}, redactor: redactor([]) };

/** `warn` is told of secrets too short to be found inside of other text (SEC-3). */
export function createExecutionSecrets({ environment }: Machine, warn: (text: string) => void): ExecutionSecrets {
  const resolved = new Map<string, Resolved>();
  const of = (execution: string): Resolved => resolved.get(execution) ?? NOTHING;
  return {
    async resolve(execution, { playbook }, workload) {
      if (playbook.keychain.length === 0) return undefined;
      const request = { workload: workload as JsonMap, execution_id: execution, job: {} };
      const sources = { environment, folder: environment.NOETL_SECRETS };
      const found = await resolveKeychain(playbook.keychain, request, sources);
      if ('problems' in found) {
        const names = found.problems.map(({ name }) => name);
        return failure('secret.unresolved', found.problems.map(({ message }) => message).join('; '), { names });
      }
      const redacting = redactor(found.secrets);
      resolved.set(execution, { keychain: found.values, redactor: redacting });
      if (redacting.short.length > 0) {
        warn(`warning: ${redacting.short.join(', ')}: under 6 characters, so hidden only where it is a whole value\n`);
      }
      return undefined;
    },
    of(execution) {
      const { keychain, redactor: redacting } = of(execution);
      return {
        keychain,
        redact: (value) => redacting.json(value),
        ...(redacting.idle ? {} : { redacting: () => redactingPieces(redacting) }),
      };
    },
    forget: (execution) => {
      resolved.delete(execution);
    },
    log: (execution, write) => redactingLog(of(execution).redactor, write),
  };
}
