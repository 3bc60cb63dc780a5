import { intEntries } from '../int-map.ts';
import { type Body, type Pipeline, pipelinesOf } from './body.ts';
import { type Draft, Needs } from './draft.ts';
import { packed, type Work, workKey } from './ids.ts';
import type { ExecutionState } from './state.ts';

/** What ends with a failure: work that had not begun or waits, and the child executions it waits for. */
export interface Ended {
  readonly dropped?: readonly string[];
  readonly cancels?: readonly string[];
}

/** ENG-5: scheduled-unclaimed work, pending retries and waiting pipelines of the whole execution. */
export const endedByFailure = (draft: Draft): Ended =>
  ended(
    draft,
    [...intEntries(draft.state.runs)].flatMap(([run, { body }]) => idleIn(draft, body, { run, path: [] })),
  );

/** ENG-8: the same, of one loop. */
export const endedInLoop = (draft: Draft, body: Body, work: Work, except: Work): Ended =>
  ended(
    draft,
    idleIn(draft, body, work).filter((idle) => workKey(idle) !== workKey(except)),
  );

function ended(draft: Draft, idle: readonly Work[]): Ended {
  const dropped = idle.map(workKey);
  const keys = new Set(dropped);
  const cancels = childrenOf(draft.state, (work) => keys.has(workKey(work)));
  return {
    ...(dropped.length === 0 ? {} : { dropped: packed(dropped) }),
    ...(cancels.length === 0 ? {} : { cancels }),
  };
}

/** Child executions that the work waits for, as events list them. */
export const childrenOf = (state: ExecutionState, of: (work: Work) => boolean = () => true): readonly string[] =>
  packed(
    [...intEntries(state.runs)].flatMap(([run, { body }]) =>
      [...pipelinesOf(body, { run, path: [] })].flatMap(([work, { wait }]) =>
        wait?.child !== undefined && of(work) ? [wait.child.execution_id] : [],
      ),
    ),
  );

/** Work of which no worker has begun, or that waits. */
function idleIn(draft: Draft, body: Body, work: Work): readonly Work[] {
  if (body.kind === 'none') return [work];
  if (body.kind === 'pipeline') return isIdle(draft, body, work) ? [work] : [];
  if (body.plan === undefined) return [work];
  return [...intEntries(body.inFlight)].flatMap(([index, inner]) =>
    idleIn(draft, inner, { run: work.run, path: [...work.path, index] }),
  );
}

/** Work that is ready may have been leased without a report yet: only the lease table knows. */
function isIdle(draft: Draft, { phase }: Pipeline, work: Work): boolean {
  if (phase !== 'ready') return phase !== 'running';
  if (draft.input.leased === undefined) throw new Needs([], true);
  return !draft.input.leased.has(workKey(work));
}
