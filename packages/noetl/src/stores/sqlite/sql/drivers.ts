import type { Instant } from '@noetl/engine';
import type { DriverProcess, Heartbeat, LiveDriver, Taking } from '../../../ports/drivers.ts';
import type { Database } from '../driver/database.ts';
import type { LeaseTable } from './leases.ts';

interface Row {
  readonly id: string;
  readonly pid: number;
  readonly started_at: string;
  readonly until: Instant;
}

/** Stands for the process that drove an execution and has died. */
const DEAD = '';

/** How long it is remembered that a process was buried: longer than it could still believe to be alive. */
const GRAVE_MS = 7 * 24 * 3_600_000;

export function driverOperations(database: Database, leases: LeaseTable) {
  const beat = database.prepare(
    `INSERT INTO processes (id, pid, started_at, until, buried) VALUES (?, ?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET until = excluded.until WHERE NOT buried`,
  );
  const known = database.prepare<Row>('SELECT * FROM processes WHERE id = ? AND NOT buried');
  const all = database.prepare<Row>('SELECT * FROM processes WHERE NOT buried ORDER BY rowid');
  const bury = database.prepare('UPDATE processes SET buried = 1 WHERE id = ?');
  const forget = database.prepare('DELETE FROM processes WHERE buried AND until < ?');
  const driverOf = database.prepare<Row>(
    `SELECT processes.* FROM drivers JOIN processes ON processes.id = drivers.process
     WHERE execution_id = ? AND NOT buried`,
  );
  const take = database.prepare('INSERT OR REPLACE INTO drivers (execution_id, process) VALUES (?, ?)');
  const leave = database.prepare('DELETE FROM drivers WHERE execution_id = ? AND process = ?');
  const replace = database.prepare('UPDATE drivers SET process = ? WHERE execution_id = ? AND process = ?');
  const driven = database.prepare<{ readonly execution_id: string }>(
    'SELECT execution_id FROM drivers WHERE process = ?',
  );

  const live = ({ id, pid, started_at, until }: Row, now: Instant): LiveDriver => ({
    id,
    pid,
    startedAt: started_at,
    remaining: until - now,
  });

  function free(execution: string, id: string): void {
    if (leave.run(execution, id).changes > 0) leases.giveBackOf(execution, id);
  }

  function orphan(execution: string, id: string): void {
    if (replace.run(DEAD, execution, id).changes > 0) leases.giveBackOf(execution, id);
  }

  function end(id: string, each: (execution: string, id: string) => void): void {
    bury.run(id);
    for (const { execution_id } of driven.all(id)) each(execution_id, id);
  }

  function drive(id: string, execution: string, now: Instant): Taking {
    if (known.get(id) === undefined) return 'refused';
    const before = driverOf.get(execution);
    if (before !== undefined && before.id !== id) {
      if (before.until > now) return 'refused';
      end(before.id, orphan);
    }
    const isOrphan = replace.run(id, execution, DEAD).changes > 0;
    if (!isOrphan) take.run(execution, id);
    return isOrphan ? 'taken over' : 'taken';
  }

  return {
    reads: {
      driverOf: (execution: string, now: Instant): LiveDriver | undefined => {
        const row = driverOf.get(execution);
        return row === undefined ? undefined : live(row, now);
      },
      processes: (now: Instant): readonly LiveDriver[] => all.all().map((row) => live(row, now)),
    },
    writes: {
      beat: ({ id, pid, startedAt }: DriverProcess, ttl: number, now: Instant): Heartbeat => {
        forget.run(now - GRAVE_MS);
        return beat.run(id, pid, startedAt, now + ttl).changes > 0 ? 'alive' : 'lost';
      },
      drive: (id: string, executions: readonly string[], now: Instant): readonly Taking[] =>
        executions.map((execution) => drive(id, execution, now)),
      leave: (id: string, executions: readonly string[]): void => {
        for (const execution of executions) free(execution, id);
      },
      retire: (id: string): void => end(id, free),
      bury: (ids: readonly string[]): void => {
        for (const id of ids) end(id, orphan);
      },
    },
  };
}
