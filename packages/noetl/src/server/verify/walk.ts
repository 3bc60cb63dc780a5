import {
  type ExecutionEvent,
  type ExecutionState,
  encodedText,
  evolve,
  initialState,
  SNAPSHOT_FORMAT,
} from '@noetl/engine';
import { factsAfter } from '../../ports/execution-change.ts';
import { type ExecutionFacts, UNKNOWN_FACTS } from '../../ports/execution-facts.ts';
import type { KeptSnapshot } from '../../ports/snapshots.ts';
import { type Difference, shown } from './difference.ts';
import { firstDifference } from './first-difference.ts';

/** The fold of a log, which looks at the snapshots that it comes by. */
export interface Walk {
  take(event: ExecutionEvent): Difference | undefined;
  /** At the end of the log: a snapshot behind it is of another one. */
  end(): Difference | undefined;
  state(): ExecutionState;
  facts(): ExecutionFacts;
  /** How many snapshots it has come by. */
  snapshots(): number;
}

/** The snapshots are given oldest first. */
export function createWalk(kept: readonly KeptSnapshot[]): Walk {
  let state = initialState;
  let facts = UNKNOWN_FACTS;
  let passed = 0;

  return {
    take(event) {
      state = evolve(state, event);
      facts = factsAfter(facts, event);
      const snapshot = kept[passed];
      if (snapshot?.position !== state.seq) return undefined;
      passed += 1;
      return snapshotDifference(snapshot, state);
    },
    end: () => {
      const beyond = kept[passed];
      return beyond === undefined ? undefined : flawed(beyond, 'of another log');
    },
    state: () => state,
    facts: () => facts,
    snapshots: () => passed,
  };
}

/** One of another form cannot be compared, and is used by nobody. */
function snapshotDifference(snapshot: KeptSnapshot, state: ExecutionState): Difference | undefined {
  const { flaw, format, position } = snapshot;
  if (flaw !== undefined) return flawed(snapshot, flaw);
  if (format !== SNAPSHOT_FORMAT) return undefined;
  const folded = encodedText(state);
  if (snapshot.state === folded) return undefined;
  const { path = '', expected, found } = firstDifference(JSON.parse(folded), JSON.parse(snapshot.state)) ?? {};
  return {
    what: 'snapshot',
    seq: position,
    place: `${placeOf(snapshot)} ${path}`,
    expected: shown(expected),
    found: shown(found),
    message: `the snapshot at event ${position} is not the state that the log leads to: '${path}' differs`,
  };
}

const flawed = (snapshot: KeptSnapshot, flaw: string): Difference => ({
  what: 'snapshot',
  seq: snapshot.position,
  place: placeOf(snapshot),
  expected: 'as it was written',
  found: flaw,
  message: `the snapshot at event ${snapshot.position} is ${flaw}; nobody uses it`,
});

const placeOf = ({ execution, position }: KeptSnapshot): string => `snapshots (${execution}, ${position})`;
