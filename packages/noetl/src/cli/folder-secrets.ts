import type { Clock } from '../ports/clock.ts';
import { credentialStoreOf } from './credential-store.ts';
import type { DataFolder } from './data-folder.ts';
import { createExecutionSecrets, type ExecutionSecrets } from './execution-secrets.ts';
import { issuedHandles } from './issued-handles.ts';
import type { Machine } from './machine.ts';

/** The credentials of executions of a data folder, which has a credential store. */
export const folderSecrets = (
  data: DataFolder,
  machine: Machine,
  clock: Clock,
  warn: (text: string) => void,
  ownPorts: ReadonlySet<number> = new Set(),
): ExecutionSecrets =>
  createExecutionSecrets({
    machine,
    clock,
    credential: async (name) => credentialStoreOf(data, machine).open(name),
    issued: (execution) => issuedHandles(execution, data.store),
    warn,
    ownPorts,
  });
