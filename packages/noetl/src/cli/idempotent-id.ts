import { hash } from 'node:crypto';
import { executionId } from './execution-id.ts';

/** The id of the execution that a key of a caller begins: the same for the same key, so that it begins once. */
export function idempotentId(caller: string, key: string): string {
  const digest = Buffer.from(hash('sha256', JSON.stringify([caller, key]), 'hex'), 'hex');
  let at = 6;
  return executionId(digest.readUIntBE(0, 6), () => {
    at = (at + 1) % digest.length;
    return digest[at] ?? 0;
  });
}
