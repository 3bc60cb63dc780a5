import type { Json, JsonMap } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { timestampOf } from '../instant.ts';
import { emptyIntMap, setInt } from '../int-map.ts';
import { type ResultReference, TAG, tagKey } from '../result-reference.ts';
import type { Loaded } from '../scope/known-values.ts';
import { type Decision, decide } from './decide.ts';
import type { Cause } from './input.ts';
import type { ExecutionState } from './state.ts';
import { ok, planFrom, World } from './world.testing.ts';

const reference: ResultReference = {
  [TAG]: 'reference',
  store: 'memory',
  key: 'k',
  checksum: 'c',
  size: 9,
  schema_hint: 'h',
};
const knownAs = (loaded: Loaded) => new Map([[tagKey(reference), loaded]]);
const GONE = knownAs({ problem: 'the stored result memory:k is missing.' });

const PLAN = planFrom(`
workload: { a: 1 }
workflow:
  - step: start
    tool: [{ fetch: { kind: noop } }]
    next: { arcs: [{ step: b, when: "{{ results.start.deep == 1 }}" }] }
  - step: b
    loop: { in: "{{ args.list }}", iterator: x }
    tool: { kind: noop }
`);

const world = () => new World(PLAN).request();
const events = (decision: Decision) => (decision.kind === 'events' ? decision.events : []);
const eventOf = (decision: Decision, name: string) => events(decision).find((event) => event.name === name);

describe('bytes that are missing (RES-2)', () => {
  const decideOn = (change: Partial<ExecutionState>, cause: Cause = { kind: 'continue' }) =>
    decide(PLAN, { ...world().state, ...change }, { ...cause, at: 0, known: GONE });
  const missing = { error: { kind: 'template', message: 'the stored result memory:k is missing.' } };

  it('reject the request whose payload they are', () => {
    const { request } = world().state;
    const decision = decideOn({ phase: 'requested', request: { ...request, payload: reference } });
    expect(eventOf(decision, 'playbook.request.evaluated')).toMatchObject({ status: 'error', payload: missing });
  });
  it('fail a step whose tokens carried them', () => {
    const token = { id: 2, args: reference, from: 'start', event: {}, parent: 'e:1' };
    const decision = decideOn({ runs: emptyIntMap, tokens: { b: setInt(emptyIntMap, 2, token) } });
    expect(eventOf(decision, 'step.failed')).toMatchObject({ payload: { ...missing, step: 'b', tokens: [2] } });
  });
  it('end the execution where an arc needs them', () => {
    const decision = decideOn({ workload: reference }, finished({ deep: 1 }));
    expect(eventOf(decision, 'next.evaluated')).toMatchObject({
      status: 'error',
      payload: { ...missing, arcs: [{ step: 'b', verdict: 'not_evaluated' }] },
    });
  });
  it('refuse a fork that edits them', () => {
    const origin = { execution_id: 'e', state: { ...world().state, workload: reference } };
    const named = { execution_id: 'f', path: 't', version: 1, content_hash: 'h' };
    const fork = { kind: 'fork', ...named, origin, edits: { workload: { a: 2 } } } as const;
    const decision = decide(PLAN, new World(PLAN).state, { ...fork, at: 0, known: GONE });
    expect(decision).toMatchObject({ kind: 'refused', code: 'NOETL_FORK_REFUSED' });
  });
});

describe('what a condition read (EVT-2)', () => {
  it('is recorded as it was, also behind a reference', () => {
    const known = knownAs({ value: { deep: 1 } });
    const decision = decide(PLAN, world().state, { ...finished(reference), at: 0, known });
    expect(eventOf(decision, 'next.evaluated')?.payload).toMatchObject({
      arcs: [{ verdict: 'matched', reads: { 'results.start.deep': 1 } }],
    });
  });
});

describe('data that is nested too deep', () => {
  const deep = (levels: number): Json => {
    let value: Json = 1;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { v: value };
    return value;
  };
  it.each([2_000, 100_000])('is refused where it comes in: %i levels', (levels) => {
    const payload: JsonMap = { v: deep(levels) };
    const named = { execution_id: 'e', path: 't', version: 1, content_hash: 'h' };
    const code = 'NOETL_DATA_TOO_DEEP';
    expect(decide(PLAN, new World(PLAN).state, { kind: 'request', ...named, payload, at: 0 })).toMatchObject({ code });
    expect(decide(PLAN, world().state, { kind: 'signal', name: 's', payload, by: null, at: 0 })).toMatchObject({
      code,
    });
  });
  it('is an error where a template makes it', () => {
    const plan = planFrom(`
workload: { a: "{{ [v] }}", v: null }
workflow: [{ step: start }]
`);
    const w = new World(plan).request({ v: deep(499) });
    expect(w.log[1]?.payload).toMatchObject({ error: { kind: 'limit.depth' } });
  });
});

/** The worker of the first step is done. */
function finished(result: Json): Cause {
  const timestamp = timestampOf(0);
  const payload = {
    kind: 'noop',
    outcome: ok(result),
    directive: { do: 'continue', rule: 'default' },
    next: { kind: 'done' },
  } as const;
  const done = { name: 'task.done', timestamp, task: { label: 'fetch', visit: 1, attempt: 1 }, payload } as const;
  return { kind: 'report', work: { run: 1, path: [] }, events: [done, { name: 'finished', timestamp }] };
}
