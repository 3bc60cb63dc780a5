/** Work that is counted and not listed. */
export interface Rest {
  /** All there were. */
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  readonly dropped: number;
  /** When the first was scheduled, and when the newest of those that are over ended. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export const noRest: Rest = { count: 0, done: 0, failed: 0, dropped: 0, since: undefined, until: undefined };

export const openIn = ({ count, done, failed, dropped }: Rest): number => count - done - failed - dropped;

export const addOpen = (rest: Rest, count: number, at: string): Rest =>
  count === 0 ? rest : { ...rest, count: rest.count + count, since: rest.since ?? at };

export const addEnded = (rest: Rest, status: 'done' | 'failed' | 'dropped', at: string): Rest => ({
  ...rest,
  [status]: rest[status] + 1,
  until: at,
});

/** Whatever is still open ends without having come to anything. */
export const restOver = (rest: Rest, at: string): Rest =>
  openIn(rest) === 0 ? rest : { ...rest, dropped: rest.dropped + openIn(rest), until: at };
