import { StoreError } from '../ports/store-error.ts';

/** What JetStream says when a bucket, an account or a disk takes no more. */
const FULL = /maximum (?:bytes|messages)|insufficient (?:resources|storage)|resource limits? exceeded|no space left/i;
const REFUSED = new Set(['AuthorizationError', 'UserAuthenticationExpiredError', 'PermissionViolationError']);

/** A failure of NATS as users may read it: what happened where, and what to do. */
export function natsFailure(error: unknown, place: string): StoreError {
  if (error instanceof StoreError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const options = { cause: error };
  if (FULL.test(message)) {
    const text = `${place} takes no more: ${message}. Make space there, or raise the limit, and go on.`;
    return new StoreError('NOETL_STORE_FULL', text, { place }, options);
  }
  if (REFUSED.has(name)) {
    const text = `${place} does not allow this: ${message}. Check NOETL_NATS_URL, NOETL_NATS_CREDENTIALS and what they may do.`;
    return new StoreError('NOETL_STORE_READONLY', text, { place }, options);
  }
  if (/jetstream not enabled/i.test(message)) {
    const text = `${place} has no JetStream, which keeps results. Start nats-server with -js.`;
    return new StoreError('NOETL_STORE_IO', text, { place }, options);
  }
  const text = `${place} cannot be reached: ${message}. Check that NATS runs there, and go on.`;
  return new StoreError('NOETL_STORE_UNREACHABLE', text, { place }, options);
}
