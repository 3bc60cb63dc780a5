/** What became of a line from one text to the next. */
export interface LineChange {
  readonly kind: 'kept' | 'gone' | 'new';
  readonly text: string;
}

/** Beyond so many changes one would rather read both texts, and finding the shortest way takes its time. */
const MAX_CHANGES = 2_000;

/** The fewest lines that go and come, in the order of the texts (Myers 1986). Too many, and all lines go and come. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const middle = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)] as const;
  return [
    ...before.slice(0, head).map(kept),
    ...(shortest(...middle) ?? [...middle[0].map(gone), ...middle[1].map(added)]),
    ...before.slice(before.length - tail).map(kept),
  ];
}

const kept = (text: string): LineChange => ({ kind: 'kept', text });
const gone = (text: string): LineChange => ({ kind: 'gone', text });
const added = (text: string): LineChange => ({ kind: 'new', text });

/** Undefined if it has more than `MAX_CHANGES` changes. */
function shortest(before: readonly string[], after: readonly string[]): readonly LineChange[] | undefined {
  /** For each number of changes, and each difference `x - y`, how far down `before` one comes. */
  const reached: Int32Array[] = [];
  for (let changes = 0; changes <= MAX_CHANGES; changes++) {
    const last = reached.at(-1);
    const furthest = new Int32Array(2 * changes + 1);
    reached.push(furthest);
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = last === undefined ? 0 : entered(last, changes, diagonal).x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      furthest[diagonal + changes] = x;
      if (x >= before.length && x - diagonal >= after.length) return wayBack(reached, before, after);
    }
  }
  return undefined;
}

/** Where a diagonal is entered with one change more, by a line that goes or one that comes. */
function entered(last: Int32Array, changes: number, diagonal: number): { readonly x: number; readonly isNew: boolean } {
  const from = (neighbour: number) => last[neighbour + changes - 1] ?? -1;
  const [byGone, byNew] = [from(diagonal - 1) + 1, from(diagonal + 1)];
  const isNew = diagonal === -changes || (diagonal !== changes && byNew >= byGone);
  return { x: isNew ? byNew : byGone, isNew };
}

function wayBack(
  reached: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
): readonly LineChange[] {
  const way: LineChange[] = [];
  let [x, y] = [before.length, after.length];
  const back = (to: number) => {
    for (; x > to; x--, y--) way.push(kept(before[x - 1] ?? ''));
  };
  for (let changes = reached.length - 1; changes > 0; changes--) {
    const { x: start, isNew } = entered(reached[changes - 1] ?? new Int32Array(), changes, x - y);
    back(start);
    way.push(isNew ? added(after[y - 1] ?? '') : gone(before[x - 1] ?? ''));
    if (isNew) y--;
    else x--;
  }
  back(0);
  return way.reverse();
}
