import type { Task } from '@noetl/playbook';
import { readsOf } from '../scope/reads.ts';

/** SEC-1: the entries of the keychain that the templates of a task read, by their syntax (TPL-7). */
export function keychainReads({ fields, args, auth }: Task): readonly string[] {
  const reads = [args, auth, ...Object.values(fields)].flatMap(readsOf);
  return reads.flatMap(({ name, path: [entry] }) => (name === 'keychain' && typeof entry === 'string' ? [entry] : []));
}
