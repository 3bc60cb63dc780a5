import type { Instant, ManifestSource } from '@noetl/engine';
import { chainHash } from '../../../ports/chain.ts';
import type { Append, Appended } from '../../../ports/event-log.ts';
import type { ExecutionFacts } from '../../../ports/execution-facts.ts';
import type { IterationEnd } from '../../../ports/iteration-end.ts';
import type { LeaseEnd } from '../../../ports/lease-end.ts';
import type { Database } from '../driver/database.ts';
import { createFactsTable } from './facts.ts';
import type { Head, Heads } from './heads.ts';
import type { LeaseTable } from './leases.ts';

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
}

export function eventLogOperations(database: Database, heads: Heads, leases: LeaseTable) {
  const facts = createFactsTable(database);
  const insert = database.prepare('INSERT INTO events (execution, seq, hash, body) VALUES (?, ?, ?, ?)');
  const findLoop = database.prepare<{ readonly id: number }>('SELECT id FROM loops WHERE loop = ?');
  const addLoop = database.prepare('INSERT INTO loops (loop) VALUES (?)');
  const addIteration = database.prepare('INSERT OR REPLACE INTO iterations (loop, idx, gid) VALUES (?, ?, ?)');
  // Joined by commas, because one long text crosses every border faster than many short ones.
  const page = database.prepare<{ readonly texts: string | null }>(
    `SELECT group_concat(body, ',' ORDER BY seq) AS texts FROM
      (SELECT seq, body FROM events WHERE execution = ? AND seq > ? ORDER BY seq LIMIT ?)`,
  );
  const ends = database.prepare<{ readonly texts: string | null }>(
    `SELECT group_concat(body, ',' ORDER BY idx) AS texts FROM
      (SELECT idx, body FROM loops CROSS JOIN iterations ON iterations.loop = loops.id
         CROSS JOIN events ON events.gid = iterations.gid
       WHERE loops.loop = ? AND idx >= ? AND seq <= ? ORDER BY idx LIMIT ?)`,
  );

  function refusal({ execution, expected, under, unclaimed }: StoredAppend, now: Instant): Appended | undefined {
    const lost = under.find(({ work, epoch }) => !leases.isHeld({ execution, work, epoch }));
    if (lost !== undefined) return { kind: 'fenced', work: lost.work };
    const moved = expected !== (heads.get(execution)?.position ?? 0);
    return moved || unclaimed.some((work) => leases.isClaimed(execution, work, now)) ? { kind: 'conflict' } : undefined;
  }

  function keep({ execution, texts, marks }: StoredAppend): void {
    const first = heads.get(execution) ?? { id: facts.add(execution), position: 0, hash: '' };
    let { position, hash } = first;
    let next = 0;
    for (const [at, text] of texts.entries()) {
      position += 1;
      hash = chainHash(hash, text);
      const { lastId } = insert.run(first.id, position, hash, text);
      for (let mark = marks[next]; mark?.at === at; mark = marks[++next]) attend(execution, first, mark, lastId);
    }
    heads.set(execution, { id: first.id, position, hash });
  }

  function attend(execution: string, { id }: Head, { iteration, lease, facts: changes }: EventMark, gid: number): void {
    if (iteration !== undefined) addIteration.run(loopOf(iteration.loop), iteration.index, gid);
    if (lease !== undefined) leases.end(execution, lease);
    if (changes !== undefined) facts.change(id, changes);
  }

  const loopOf = (loop: string): number => findLoop.get(loop)?.id ?? addLoop.run(loop).lastId;

  return {
    reads: {
      /** The events as the inside of a JSON list. */
      read: (execution: string, after: number, limit: number): string => {
        const head = heads.get(execution);
        return head === undefined ? '' : (page.get(head.id, after, limit)?.texts ?? '');
      },
      position: (execution: string): number => heads.get(execution)?.position ?? 0,
      /** The events as the inside of a JSON list. */
      iterations: ({ loop, until }: ManifestSource, from: number, limit: number): string =>
        ends.get(loop, from, until ?? Number.MAX_SAFE_INTEGER, limit)?.texts ?? '',
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
