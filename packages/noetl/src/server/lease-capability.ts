import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { LeaseId } from '../ports/leases.ts';
import type { LeaseTicket } from '../ports/work-exchange.ts';

/** What proves a lease: only who knows the key could have made it, and it is good for this lease alone. */
type MakeTicket = (lease: LeaseId, worker: string) => LeaseTicket;

/** The key stays the same when a server starts again, so that workers go on with what they have. */
export function createTickets(key: Uint8Array): MakeTicket {
  const secret = createSecretKey(key);
  return ({ execution, work, epoch }, worker) => {
    const proof = createHmac('sha256', secret).update(JSON.stringify([execution, work, epoch, worker]));
    return { execution, work, epoch, worker, capability: proof.digest('base64url') };
  };
}

/** Whether the ticket is shown that was made for a lease; how long that takes tells nothing of its capability. */
export function isSame(made: LeaseTicket, shown: LeaseTicket): boolean {
  if (made.epoch !== shown.epoch || made.worker !== shown.worker) return false;
  const [expected, found] = [Buffer.from(made.capability), Buffer.from(shown.capability)];
  return found.length === expected.length && timingSafeEqual(found, expected);
}
