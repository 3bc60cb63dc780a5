import type { Instant } from '@noetl/engine';
import type { LeaseEnd } from '../../../ports/lease-end.ts';
import type { Claim, Granted, Lease, LeaseId, Renewal } from '../../../ports/leases.ts';
import type { Database } from '../driver/database.ts';

/** Leases, and what appends and drivers have to know and do about them. */
export type LeaseTable = ReturnType<typeof createLeaseTable>;

/** A row is the newest lease on its work; without a worker it was given back, and only its epoch is still of interest. */
export function createLeaseTable(database: Database) {
  const held = database.prepare<{ readonly epoch: number }>(
    'SELECT epoch FROM leases WHERE execution_id = ? AND work = ? AND epoch = ? AND worker IS NOT NULL',
  );
  const claimed = database.prepare<{ readonly epoch: number }>(
    'SELECT epoch FROM leases WHERE execution_id = ? AND work = ? AND worker IS NOT NULL AND until > ?',
  );
  const claim = database.prepare<{ readonly epoch: number; readonly takeovers: number }>(
    `INSERT INTO leases (execution_id, work, epoch, worker, until, takeovers) VALUES (?1, ?2, 1, ?3, ?4, ?6)
     ON CONFLICT DO UPDATE SET epoch = epoch + 1, worker = excluded.worker, until = excluded.until,
         takeovers = takeovers + excluded.takeovers
       WHERE worker IS NULL OR until <= ?5
     RETURNING epoch, takeovers`,
  );
  const renew = database.prepare(
    'UPDATE leases SET until = ? WHERE execution_id = ? AND work = ? AND epoch = ? AND worker IS NOT NULL',
  );
  const release = database.prepare('UPDATE leases SET worker = NULL WHERE execution_id = ? AND work = ? AND epoch = ?');
  const suspend = database.prepare('UPDATE leases SET worker = NULL WHERE execution_id = ? AND work = ?');
  const giveBackOf = database.prepare('UPDATE leases SET worker = NULL WHERE execution_id = ? AND worker = ?');
  const endWork = database.prepare('DELETE FROM leases WHERE execution_id = ? AND work = ?');
  // `;` follows `:`: the keys between are those of the run's iterations.
  const endRun = database.prepare(
    "DELETE FROM leases WHERE execution_id = ?1 AND (work = ?2 OR (work > ?2 || ':' AND work < ?2 || ';'))",
  );
  const endExecution = database.prepare('DELETE FROM leases WHERE execution_id = ?');
  const valid = database.prepare<{
    readonly work: string;
    readonly epoch: number;
    readonly worker: string;
    readonly until: Instant;
  }>('SELECT work, epoch, worker, until FROM leases WHERE execution_id = ? AND worker IS NOT NULL AND until > ?');
  const whenever = Number.MIN_SAFE_INTEGER;

  return {
    isHeld: ({ execution, work, epoch }: LeaseId): boolean => held.get(execution, work, epoch) !== undefined,
    isClaimed: (execution: string, work: string, now: Instant): boolean =>
      claimed.get(execution, work, now) !== undefined,
    end(execution: string, end: LeaseEnd): void {
      if (end.of === 'suspended work') suspend.run(execution, end.work);
      else if (end.of === 'work') endWork.run(execution, end.work);
      else if (end.of === 'run') endRun.run(execution, end.run);
      else endExecution.run(execution);
    },
    giveBackOf(execution: string, worker: string): void {
      giveBackOf.run(execution, worker);
    },
    reads: {
      leases: (execution: string, which: 'valid' | 'all', now: Instant): readonly Lease[] =>
        valid.all(execution, which === 'all' ? whenever : now).map(({ work, epoch, worker, until }) => ({
          execution,
          work,
          epoch,
          worker,
          remaining: until - now,
        })),
    },
    writes: {
      claim: (claims: readonly Claim[], now: Instant): readonly (Granted | undefined)[] =>
        claims.map(({ execution, work, worker, ttl, takeover = false }) => {
          const granted = claim.get(execution, work, worker, now + ttl, now, takeover ? 1 : 0);
          if (granted === undefined) return undefined;
          const { epoch, takeovers } = granted;
          return { execution, work, epoch, takeovers };
        }),
      renew: (renewals: readonly Renewal[], now: Instant): readonly boolean[] =>
        renewals.map(({ execution, work, epoch, ttl }) => renew.run(now + ttl, execution, work, epoch).changes > 0),
      release: (leases: readonly LeaseId[]): void => {
        for (const { execution, work, epoch } of leases) release.run(execution, work, epoch);
      },
    },
  };
}
