import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { LeaseId } from '../ports/leases.ts';
import type { LeaseTicket } from '../ports/work-exchange.ts';

/** What proves a lease: only who knows the key could have made it, and it is good for this lease alone. */
export interface Capabilities {
  ticket(lease: LeaseId, worker: string): LeaseTicket;
  isGood(ticket: LeaseTicket): boolean;
}

/** The key stays the same when a server starts again, so that workers go on with what they have. */
export function createCapabilities(key: Uint8Array): Capabilities {
  const secret = createSecretKey(key);
  const made = ({ execution, work, epoch }: LeaseId, worker: string): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify([execution, work, epoch, worker]))
      .digest();
  return {
    ticket: ({ execution, work, epoch }, worker) => ({
      execution,
      work,
      epoch,
      worker,
      capability: made({ execution, work, epoch }, worker).toString('base64url'),
    }),
    isGood(ticket) {
      const shown = Buffer.from(ticket.capability, 'base64url');
      const expected = made(ticket, ticket.worker);
      return shown.length === expected.length && timingSafeEqual(shown, expected);
    },
  };
}
