import type { ManifestSource, Milestone } from '@noetl/engine';
import { chainHash } from '../../../ports/chain.ts';
import type { ChainBreak, ChainPage, ChainPlace, StoredId } from '../../../ports/inspection.ts';
import type { Database } from '../driver/database.ts';
import { UNLISTED } from '../migrations.ts';
import {
  checkedRow,
  type FoundRow,
  hashIn,
  joinedBodies,
  MOST_EVENTS,
  type RowBreak,
  textIn,
  textsOf,
} from './event-rows.ts';
import type { Head, Heads } from './heads.ts';
import { readingRows } from './packed-rows.ts';
import { anyTextOf, type StoredText } from './stored-text.ts';

/** What is inspected in one go: others want to be served in between, and a page has to fit into memory. */
const ROWS = 300;
const CHARACTERS = 1_048_576;
/** Rows that are read at a time. */
const STEP = 50;

interface Count {
  readonly many: number;
}

export function inspectionOperations(database: Database, heads: Heads) {
  const rows = readingRows(database);
  // Not from memory: what is written there is to be inspected.
  const headOf = database.prepare<Omit<Head, 'hash'> & { readonly hash: StoredText }>(
    'SELECT id, position, CAST(hash AS BLOB) AS hash FROM executions WHERE execution_id = ?',
  );
  const ids = database.prepare<{ readonly id: number; readonly execution_id: StoredText }>(
    'SELECT id, CAST(execution_id AS BLOB) AS execution_id FROM executions WHERE id < ? ORDER BY id DESC LIMIT ?',
  );
  const loopId = database.prepare<{ readonly id: number }>('SELECT id FROM loops WHERE loop = ?');
  const indexedFrom = database.prepare<{ readonly idx: number; readonly seq: number }>(
    `SELECT idx, seq FROM iterations CROSS JOIN events ON events.gid = iterations.gid
     WHERE iterations.loop = ? AND idx BETWEEN ? AND ? AND events.execution = ? AND seq BETWEEN first AND last`,
  );
  // Ids of loops begin with that of the execution, and `;` follows `:`.
  const indexSize = database.prepare<Count>(
    `SELECT count(*) AS many FROM loops CROSS JOIN iterations ON iterations.loop = loops.id
     WHERE loops.loop > ?1 || ':' AND loops.loop < ?1 || ';' AND seq <= ?2`,
  );
  const sourceSize = database.prepare<Count>(
    'SELECT count(*) AS many FROM loops CROSS JOIN iterations ON iterations.loop = loops.id WHERE loops.loop = ? AND seq <= ?',
  );
  const strays = database.prepare<{ readonly first: number; readonly last: number }>(
    'SELECT first, last FROM events WHERE execution NOT IN (SELECT id FROM executions)',
  );

  const listed = database.prepare<{ readonly first: number; readonly last: number }>(
    `SELECT events.first AS first, events.last AS last FROM milestones
       CROSS JOIN events ON events.execution = milestones.execution AND events.last = milestones.last
     WHERE milestones.execution = ?1 AND kind = ?2 AND milestones.last >= ?3 AND milestones.last < ?4 + ${MOST_EVENTS}
     ORDER BY milestones.last`,
  );
  const unknown = database.prepare('SELECT 1 FROM milestones WHERE execution = ? AND kind = ?');

  function unlisted(execution: string, kind: Milestone, seqs: readonly number[]): number | undefined {
    const id = heads.get(execution)?.id;
    if (id === undefined || unknown.get(id, UNLISTED) !== undefined) return undefined;
    const rows = listed.all(id, kind, seqs[0] ?? 0, seqs.at(-1) ?? 0);
    let nth = 0;
    return seqs.find((seq) => {
      while ((rows[nth]?.last ?? seq) < seq) nth += 1;
      return (rows[nth]?.first ?? seq + 1) > seq;
    });
  }

  function chain(execution: string, from: ChainPlace): ChainPage {
    heads.flush();
    const id = headOf.get(execution)?.id;
    if (id === undefined) return { texts: '[]', count: 0, to: from, then: 'end' };
    const bodies: string[] = [];
    let to = from;
    const page = (then: ChainPage['then']): ChainPage => ({
      texts: `[${joinedBodies(bodies)}]`,
      count: to.position - from.position,
      to,
      then,
    });
    for (let [read, characters] = [0, 0]; read < ROWS && characters < CHARACTERS; read += STEP) {
      const found = rows(id, to.position, STEP);
      for (const row of found) {
        const checked = checkedRow(row, to);
        if ('broken' in checked)
          return {
            ...pageBefore(checked.broken, { row, from, to, bodies }),
            then: culprit(id, execution, checked.broken),
          };
        to = { position: row.last, hash: checked.hash };
        bodies.push(checked.bodies);
        characters += checked.bodies.length;
      }
      if (found.length < STEP) return page(endAt(to, id, execution));
    }
    return page('more');
  }

  /** What was read before the head was is at most as new as it, unless somebody else than the store has written. */
  function endAt({ position, hash }: ChainPlace, id: number, execution: string): ChainPage['then'] {
    const head = headOf.get(execution);
    if (head === undefined || head.position < position) {
      const expected = `the end after ${head?.position ?? 0} events`;
      return { position: (head?.position ?? 0) + 1, what: 'extra', expected, found: `${position} events` };
    }
    if (head.position === position) {
      const found = anyTextOf(head.hash);
      return found === hash ? 'end' : { position, what: 'head', expected: hash, found };
    }
    if (rows(id, position, 1).length > 0) return 'more';
    const expected = `events up to ${head.position}`;
    return { position: position + 1, what: 'missing', expected, found: `the last is event ${position}` };
  }

  /** The page up to the event that differs: its row is whole until there. */
  function pageBefore(found: RowBreak, { row, from, to, bodies }: Broken): Omit<ChainPage, 'then'> {
    const whole = row.first === to.position + 1 ? found.position - row.first : 0;
    const readable = textsOf(row);
    const texts = Array.from({ length: whole }, (_, nth) => textIn(readable, row.first + nth));
    const hash = whole === 0 ? to.hash : (hashIn(readable, found.position - 1) ?? '');
    const last = to.position + whole;
    return {
      texts: `[${joinedBodies([...bodies, ...texts])}]`,
      count: last - from.position,
      to: { position: last, hash },
    };
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
    const [found] = rows(id, position, 1);
    if (found === undefined) {
      const head = headOf.get(execution);
      return (hash) => head?.position === position && anyTextOf(head.hash) === hash;
    }
    const row = textsOf(found);
    if (row.first > position + 1) return () => false;
    const next = hashIn(row, position + 1);
    return (hash) => chainHash(hash, textIn(row, position + 1)) === next;
  }

  return {
    reads: {
      chain,
      indexed: (execution: string, loop: string, indexes: readonly number[]): readonly (number | undefined)[] => {
        const [id, ofLoop] = [heads.get(execution)?.id, loopId.get(loop)?.id];
        if (id === undefined || ofLoop === undefined) return indexes.map(() => undefined);
        const seqs = new Map<number, number>();
        for (const [from, to] of ranges(indexes)) {
          for (const { idx, seq } of indexedFrom.all(ofLoop, from, to, id)) seqs.set(idx, seq);
        }
        return indexes.map((index) => seqs.get(index));
      },
      indexSize: (execution: string, until: number): number => indexSize.get(execution, until)?.many ?? 0,
      sourceSize: ({ loop, until }: ManifestSource): number =>
        sourceSize.get(loop, until ?? Number.MAX_SAFE_INTEGER)?.many ?? 0,
      unlisted,
      ids: (before: number | undefined, limit: number): readonly StoredId[] => {
        heads.flush();
        return ids
          .all(before ?? Number.MAX_SAFE_INTEGER, limit)
          .map(({ id, execution_id }) => ({ number: id, execution: anyTextOf(execution_id) }));
      },
      strays: (): number => strays.all().reduce((sum, { first, last }) => sum + last - first + 1, 0),
    },
  };
}

/** Ranges that have all numbers, and few others: what ended together is mostly close together. */
function ranges(numbers: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const found: [number, number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = found.at(-1);
    if (last !== undefined && number - last[1] <= GAP) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}

/** Reading so many entries in vain costs less than asking once more. */
const GAP = 4;

interface Broken {
  readonly row: FoundRow;
  readonly from: ChainPlace;
  /** The last place that is whole. */
  readonly to: ChainPlace;
  readonly bodies: readonly string[];
}
