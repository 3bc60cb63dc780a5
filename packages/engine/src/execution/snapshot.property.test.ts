import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomLog } from '../projection/random-log.testing.ts';
import type { ExecutionEvent } from './event.ts';
import { fold } from './evolve.ts';
import { decodeState, encodeState } from './snapshot.ts';
import type { ExecutionState } from './state.ts';

const written = (state: ExecutionState): string => JSON.stringify(encodeState(state));
const fromSnapshot = (events: readonly ExecutionEvent[]): ExecutionState =>
  decodeState(JSON.parse(written(fold(events))));

describe('a snapshot', () => {
  it('of any event leads to the state that the whole log leads to, byte for byte (EVT-3)', () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), (log, cut) => {
        const at = cut % (log.length + 1);
        for (const until of [at, Math.min(at + 1, log.length), Math.min(at + 7, log.length), log.length]) {
          const goneOn = fold(log.slice(at, until), fromSnapshot(log.slice(0, at)));
          expect(written(goneOn)).toBe(written(fold(log.slice(0, until))));
        }
      }),
      { numRuns: 30 },
    );
  }, 120_000);
});
