import type { Clock } from '../../ports/clock.ts';
import type { Leases } from '../../ports/leases.ts';
import type { Call } from './call.ts';

export function createSqliteLeases(call: Call, clock: Clock): Leases {
  return {
    claim: (claims) => call('claim', claims, clock.now()),
    renew: (renewals) => call('renew', renewals, clock.now()),
    release: (leases) => call('release', leases),
    leases: (execution, which = 'valid') => call('leases', execution, which, clock.now()),
  };
}
