import type { ManifestSource } from '@noetl/engine';
import { chainHash } from '../../../ports/chain.ts';
import type { ChainBreak, ChainPage, ChainPlace } from '../../../ports/inspection.ts';
import type { IterationEnd } from '../../../ports/iteration-end.ts';
import type { Database } from '../driver/database.ts';
import { checkedRow, type FoundRow, hashIn, joinedBodies, type RowBreak, textIn } from './event-rows.ts';
import type { Head, Heads } from './heads.ts';

/** Rows that are inspected in one go: others want to be served in between. */
const ROWS = 300;

interface Count {
  readonly many: number;
}

export function inspectionOperations(database: Database, heads: Heads) {
  const rows = database.prepare<FoundRow>(
    `SELECT first, last, hashes, bodies, octet_length(bodies) AS bytes FROM events
     WHERE execution = ? AND last > ? ORDER BY last LIMIT ?`,
  );
  // Not from memory: what is written there is to be inspected.
  const headOf = database.prepare<Head>('SELECT id, position, hash FROM executions WHERE execution_id = ?');
  const loopId = database.prepare<{ readonly id: number }>('SELECT id FROM loops WHERE loop = ?');
  const indexedAt = database.prepare<{ readonly seq: number }>(
    `SELECT seq FROM iterations CROSS JOIN events ON events.gid = iterations.gid
     WHERE iterations.loop = ? AND idx = ? AND events.execution = ? AND seq BETWEEN first AND last`,
  );
  // Ids of loops begin with that of the execution, and `;` follows `:`.
  const indexSize = database.prepare<Count>(
    `SELECT count(*) AS many FROM loops CROSS JOIN iterations ON iterations.loop = loops.id
     WHERE loops.loop > ?1 || ':' AND loops.loop < ?1 || ';'`,
  );
  const sourceSize = database.prepare<Count>(
    'SELECT count(*) AS many FROM loops CROSS JOIN iterations ON iterations.loop = loops.id WHERE loops.loop = ? AND seq <= ?',
  );
  const strays = database.prepare<{ readonly first: number; readonly last: number }>(
    'SELECT first, last FROM events WHERE execution NOT IN (SELECT id FROM executions)',
  );

  function chain(execution: string, from: ChainPlace): ChainPage {
    heads.flush();
    const id = headOf.get(execution)?.id;
    if (id === undefined) return { texts: '', count: 0, to: from, then: 'end' };
    const page = rows.all(id, from.position, ROWS);
    const bodies: string[] = [];
    let to = from;
    for (const row of page) {
      const checked = checkedRow(row, to);
      if (typeof checked !== 'string') {
        return { ...pageBefore(checked, { row, from, to, bodies }), then: culprit(id, execution, checked) };
      }
      to = { position: row.last, hash: checked };
      bodies.push(row.bodies);
    }
    const then = page.length === ROWS ? 'more' : endAt(to, id, execution);
    return { texts: joinedBodies(bodies), count: to.position - from.position, to, then };
  }

  /** What was read before the head was is at most as new as it, unless somebody else than the store has written. */
  function endAt({ position, hash }: ChainPlace, id: number, execution: string): ChainPage['then'] {
    const head = headOf.get(execution);
    if (head === undefined || head.position < position) {
      const expected = `the end after ${head?.position ?? 0} events`;
      return { position: (head?.position ?? 0) + 1, what: 'extra', expected, found: `${position} events` };
    }
    if (head.position === position) {
      return head.hash === hash ? 'end' : { position, what: 'head', expected: hash, found: String(head.hash) };
    }
    if (rows.get(id, position, 1) !== undefined) return 'more';
    const expected = `events up to ${head.position}`;
    return { position: position + 1, what: 'missing', expected, found: `the last is event ${position}` };
  }

  /** The page up to the event that differs: its row is whole until there. */
  function pageBefore(found: RowBreak, { row, from, to, bodies }: Broken): Omit<ChainPage, 'then'> {
    const whole = row.first === to.position + 1 ? found.position - row.first : 0;
    const texts = Array.from({ length: whole }, (_, nth) => textIn(row, row.first + nth));
    const hash = whole === 0 ? to.hash : (hashIn(row, found.position - 1) ?? '');
    const last = to.position + whole;
    return { texts: joinedBodies([...bodies, ...texts]), count: last - from.position, to: { position: last, hash } };
  }

  /** Hash and text do not agree: the event behind, or the head, was made of the right one of the two hashes. */
  function culprit(id: number, execution: string, { computed, ...found }: RowBreak): ChainBreak {
    if (computed === undefined) return found;
    const { position, expected: stored } = found;
    const isRight = rightHash(id, execution, position);
    if (isRight(stored)) return { ...found, what: 'text' };
    return isRight(computed) ? { position, what: 'hash', expected: computed, found: stored } : found;
  }

  function rightHash(id: number, execution: string, position: number): (hash: string) => boolean {
    const row = rows.get(id, position, 1);
    if (row === undefined) {
      const head = headOf.get(execution);
      return (hash) => head?.position === position && head.hash === hash;
    }
    if (row.first > position + 1 || typeof row.bodies !== 'string' || typeof row.hashes !== 'string')
      return () => false;
    const next = hashIn(row, position + 1);
    return (hash) => chainHash(hash, textIn(row, position + 1)) === next;
  }

  return {
    reads: {
      chain,
      indexed: (execution: string, ends: readonly IterationEnd[]): readonly (number | undefined)[] => {
        const id = heads.get(execution)?.id;
        if (id === undefined) return ends.map(() => undefined);
        let [loop, ofLoop]: [string?, number?] = [];
        return ends.map((end) => {
          if (end.loop !== loop) {
            loop = end.loop;
            ofLoop = loopId.get(end.loop)?.id;
          }
          return ofLoop === undefined ? undefined : indexedAt.get(ofLoop, end.index, id)?.seq;
        });
      },
      indexSize: (execution: string): number => indexSize.get(execution)?.many ?? 0,
      sourceSize: ({ loop, until }: ManifestSource): number =>
        sourceSize.get(loop, until ?? Number.MAX_SAFE_INTEGER)?.many ?? 0,
      strays: (): number => strays.all().reduce((sum, { first, last }) => sum + last - first + 1, 0),
    },
  };
}

interface Broken {
  readonly row: FoundRow;
  readonly from: ChainPlace;
  /** The last place that is whole. */
  readonly to: ChainPlace;
  readonly bodies: readonly string[];
}
