import type { Instant } from '@noetl/engine';
import type { AuditEntry, AuditNote } from '../../../ports/audit.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly number: number;
  readonly at: Instant;
  readonly by_whom: StoredText;
  readonly what: StoredText;
  readonly from_where: string | null;
  readonly status: number | null;
}

export function auditOperations(database: Database) {
  const page = database.prepare<Row>(
    `SELECT number, at, status, from_where, ${asBytes('by_whom', 'what')} FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?`,
  );
  const insert = database.prepare('INSERT INTO audit (at, by_whom, what, status, from_where) VALUES (?, ?, ?, ?, ?)');
  return {
    reads: {
      auditEntries: (before: number | undefined, limit: number): readonly AuditEntry[] =>
        page.all(before ?? Number.MAX_SAFE_INTEGER, limit).map((row) => ({
          number: row.number,
          at: row.at,
          by: textOf(row.by_whom, 'audit.by_whom'),
          from: row.from_where ?? undefined,
          what: textOf(row.what, 'audit.what'),
          status: row.status ?? undefined,
        })),
    },
    writes: {
      noteAudit: (notes: readonly AuditNote[]): void => {
        for (const { at, by, from, what, status } of notes) insert.run(at, by, what, status ?? null, from ?? null);
      },
    },
  };
}
