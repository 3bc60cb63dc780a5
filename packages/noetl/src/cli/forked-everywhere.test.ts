import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  callsAfter,
  childCallsAfter,
  type Finished,
  type ForkingPlace,
  openForkingPlace,
  sourceFrom,
  sourceIn,
} from './forked-everywhere.testing.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples/', import.meta.url));

/** Results too large for an event: the loop's is a manifest, and those of forks name iterations of their origins. */
const LARGE = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: large }
workflow:
  - step: start
    loop: { in: [a, b, c, d, e], iterator: letter, spec: { mode: parallel, max_in_flight: 2 } }
    tool: { kind: javascript, args: { letter: "{{ iter.letter }}" }, code: "function main({ letter }) { return letter.repeat(30000); }" }
    next: { arcs: [{ step: report }] }
  - step: report
    tool: { kind: noop, result: { sizes: "{{ results.start | map('length') | list }}", all: "{{ results.start }}" } }
`;

describe('a fork from every event of an execution (ENG-15)', () => {
  let place: ForkingPlace;
  beforeAll(async () => {
    place = await openForkingPlace();
  });
  afterAll(() => place.close());

  /** Ends as its origin did, having called what its origin called after the event and nothing else. */
  function expectSameEnd(fork: Finished, origin: Finished, seq: number): void {
    const { status, error } = origin.end;
    expect(fork.end, `forked at event ${seq}`).toMatchObject({ status, error });
    expect(fork.result, `forked at event ${seq}`).toEqual(origin.result);
    expect([...fork.calls].sort(), `forked at event ${seq}`).toEqual([...callsAfter(origin, seq)].sort());
    expect([...fork.childCalls].sort(), `forked at event ${seq}`).toEqual([...childCallsAfter(origin, seq)].sort());
    expect(fork.events[0]).toMatchObject({ payload: { origin: { execution_id: origin.id, seq } } });
  }

  const everywhere = (origin: Finished, name: string, edits = {}): Promise<readonly Finished[]> =>
    Promise.all(origin.events.map(({ seq }) => place.fork(origin, seq, `${name}.${seq}`, edits)));

  it.each([
    ['loop', 'loop.yaml'],
    ['retry', 'retry.yaml'],
    ['pagination', 'pagination.yaml'],
    ['join', 'fan-out-and-join.yaml'],
    ['child', 'sub-playbook.yaml'],
    ['parallel', 'parallel-loop.yaml'],
    ['nested', 'nested-loops.yaml'],
    ['failure', 'failure-arc.yaml'],
  ])('%s: ends, with the result of its origin, and calls no tool again that was done', async (name, file) => {
    const origin = await place.start(await sourceIn(`${EXAMPLES}${file}`), name);
    expect(origin.calls.length).toBeGreaterThan(0);
    expect(origin.childCalls.length > 0).toBe(name === 'child');
    const forks = await everywhere(origin, `${name}.f`);
    for (const [index, fork] of forks.entries()) expectSameEnd(fork, origin, index + 1);
    // Edits of what nobody reads change nothing, wherever they are made.
    const edited = await everywhere(origin, `${name}.x`, { workload: { unread: { a: 1 } }, ctx: { unread: [2] } });
    for (const [index, fork] of edited.entries()) expectSameEnd(fork, origin, index + 1);
  });

  it('does so again from every event of a fork, also where results stand behind references', async () => {
    const origin = await place.start(sourceFrom(LARGE, `${EXAMPLES}large.yaml`), 'large');
    const middle = origin.events.find(({ name }) => name === 'loop.iteration.done')?.seq ?? 0;
    const fork = await place.fork(origin, middle, 'large.f');
    expectSameEnd(fork, origin, middle);
    // The request of a fork, and the state it begins with, are one.
    for (const [index, again] of (await everywhere(fork, 'large.g')).entries()) {
      expectSameEnd(again, fork, Math.max(2, index + 1));
    }
  });
});
