import type { Instant, ManifestSource, Milestone } from '@noetl/engine';
import type { Append, Appended } from '../../../ports/event-log.ts';
import type { ExecutionFacts } from '../../../ports/execution-facts.ts';
import type { IterationEnd } from '../../../ports/iteration-end.ts';
import type { LeaseEnd } from '../../../ports/lease-end.ts';
import type { Database } from '../driver/database.ts';
import { UNLISTED } from '../migrations.ts';
import { joinedBodies, lastHashIn, MOST_EVENTS, rowsOf, textIn } from './event-rows.ts';
import { createFactsTable } from './facts.ts';
import type { Head, Heads } from './heads.ts';
import type { LeaseTable } from './leases.ts';
import { type StoredText, textOf } from './stored-text.ts';

/** An append with its events as they are stored. */
export interface StoredAppend extends Omit<Append, 'events'> {
  readonly texts: readonly string[];
  readonly marks: readonly EventMark[];
}

/** What has to be done beside storing an event. */
export interface EventMark {
  /** The place of the event in the append. */
  readonly at: number;
  readonly iteration?: IterationEnd;
  readonly lease?: LeaseEnd;
  readonly facts?: Partial<ExecutionFacts>;
  readonly milestone?: Milestone;
}

const MILESTONE_ROWS = 200;

export function eventLogOperations(database: Database, heads: Heads, leases: LeaseTable) {
  const facts = createFactsTable(database);
  const insert = database.prepare('INSERT INTO events (execution, first, last, hashes, bodies) VALUES (?, ?, ?, ?, ?)');
  const findLoop = database.prepare<{ readonly id: number }>('SELECT id FROM loops WHERE loop = ?');
  const addLoop = database.prepare('INSERT INTO loops (loop) VALUES (?)');
  const addIteration = database.prepare('INSERT OR REPLACE INTO iterations (loop, idx, gid, seq) VALUES (?, ?, ?, ?)');
  // No row has more than MOST_EVENTS: so the index, which has the last of each row, also knows where to stop.
  const page = database.prepare<{ readonly bodies: StoredText }>(
    `SELECT CAST(bodies AS BLOB) AS bodies FROM events WHERE execution = ?1 AND last > ?2 AND last < ?2 + ?3 + ${MOST_EVENTS} AND first <= ?2 + ?3
     ORDER BY last`,
  );
  const ends = database.prepare<{ readonly seq: number; readonly first: number; readonly bodies: StoredText }>(
    `SELECT seq, first, CAST(bodies AS BLOB) AS bodies FROM loops CROSS JOIN iterations ON iterations.loop = loops.id
       CROSS JOIN events ON events.gid = iterations.gid
     WHERE loops.loop = ? AND idx >= ? AND seq <= ? ORDER BY idx LIMIT ?`,
  );

  const drive = database.prepare('INSERT OR REPLACE INTO drivers (execution_id, process) VALUES (?, ?)');
  const addMilestone = database.prepare('INSERT OR IGNORE INTO milestones (execution, kind, last) VALUES (?, ?, ?)');
  const unlisted = database.prepare('SELECT 1 FROM milestones WHERE execution = ? AND kind = ?');
  // The row that holds the position may be among them: so it takes two to get on.
  const milestoneRows = database.prepare<{ readonly bodies: StoredText }>(
    `SELECT CAST(bodies AS BLOB) AS bodies FROM milestones
       CROSS JOIN events ON events.execution = milestones.execution AND events.last = milestones.last
     WHERE milestones.execution = ? AND kind = ? AND milestones.last > ? ORDER BY milestones.last LIMIT ${MILESTONE_ROWS}`,
  );

  const knownDriver = database.prepare('SELECT 1 FROM processes WHERE id = ? AND NOT buried');

  function refusal(append: StoredAppend, now: Instant): Appended | undefined {
    const { execution, expected, under, unclaimed, after, driver } = append;
    if (driver !== undefined && knownDriver.get(driver) === undefined) return { kind: 'lost' };
    const lost = under.find(({ work, epoch }) => !leases.isHeld({ execution, work, epoch }));
    if (lost !== undefined) return { kind: 'fenced', work: lost.work };
    const moved = expected !== (heads.get(execution)?.position ?? 0);
    // Somebody else's appends in between would show in the position.
    const replaced = after !== undefined && after !== heads.newest(execution);
    return moved || replaced || unclaimed.some((work) => leases.isClaimed(execution, work, now))
      ? { kind: 'conflict' }
      : undefined;
  }

  function keep({ execution, id, texts, marks, driver, takes }: StoredAppend): void {
    if (takes && driver !== undefined) drive.run(execution, driver);
    const before = heads.get(execution) ?? { id: facts.add(execution), position: 0, hash: '' };
    let head: Head = before;
    let next = 0;
    for (const row of rowsOf(texts, before.position, before.hash)) {
      const { lastId } = insert.run(before.id, row.first, row.last, row.hashes, row.bodies);
      head = { id: before.id, position: row.last, hash: lastHashIn(row) };
      let noted: Milestone | undefined;
      for (let mark = marks[next]; mark !== undefined; mark = marks[++next]) {
        const seq = before.position + 1 + mark.at;
        if (seq > row.last) break;
        attend(execution, before.id, mark, lastId, seq);
        if (mark.milestone === undefined || mark.milestone === noted) continue;
        noted = mark.milestone;
        addMilestone.run(before.id, noted, row.last);
      }
    }
    heads.set(execution, head, id);
  }

  function attend(execution: string, id: number, mark: EventMark, gid: number, seq: number): void {
    const { iteration, lease, facts: changes } = mark;
    if (iteration !== undefined) addIteration.run(loopOf(iteration.loop), iteration.index, gid, seq);
    if (lease !== undefined) leases.end(execution, lease);
    if (changes !== undefined) facts.change(id, changes);
  }

  const loopOf = (loop: string): number => findLoop.get(loop)?.id ?? addLoop.run(loop).lastId;

  return {
    reads: {
      /** Rows that hold the events, and perhaps some before and behind them, as the inside of a JSON list. */
      read: (execution: string, after: number, limit: number): string => {
        const head = heads.get(execution);
        return head === undefined
          ? ''
          : joinedBodies(page.all(head.id, after, limit).map(({ bodies }) => textOf(bodies, 'events.bodies')));
      },
      position: (execution: string): number => heads.get(execution)?.position ?? 0,
      /** The events as the inside of a JSON list. */
      iterations: ({ loop, until }: ManifestSource, from: number, limit: number): string =>
        joinedBodies(
          ends
            .all(loop, from, until ?? Number.MAX_SAFE_INTEGER, limit)
            .map(({ first, bodies, seq }) => textIn({ first, bodies: textOf(bodies, 'events.bodies') }, seq)),
        ),
      /** Rows that hold milestones, and others, as the inside of a JSON list. */
      milestones: (execution: string, kind: Milestone, after: number): string | undefined => {
        const id = heads.get(execution)?.id;
        if (id === undefined) return '';
        if (unlisted.get(id, UNLISTED) !== undefined) return undefined;
        return joinedBodies(milestoneRows.all(id, kind, after).map(({ bodies }) => textOf(bodies, 'events.bodies')));
      },
    },
    writes: {
      append: (batch: readonly StoredAppend[], now: Instant): readonly Appended[] =>
        batch.map((append) => {
          const refused = refusal(append, now);
          if (refused !== undefined) return refused;
          if (append.texts.length > 0) keep(append);
          return { kind: 'appended' };
        }),
    },
  };
}
