import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { pendingEffects } from './effects.ts';
import type { EventOf, ExecutionEvent } from './event.ts';
import { fold } from './evolve.ts';
import { workKey } from './ids.ts';
import { randomPlaybook } from './random-playbook.testing.ts';
import { encodeState } from './snapshot.ts';
import { failed, ok, planFrom, World } from './world.testing.ts';

/** Chance that a seed repeats. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % sides;
  };
}

/** What a task comes to follows from what it is, not from when it runs. */
function outcomeOf(work: string, label: string, visit: number, attempt: number, luck: number): Outcome {
  let hash = luck;
  for (const char of `${work}${label}${visit}${attempt}`) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return hash % 4 === 0 ? failed() : ok(hash % 5);
}

/** Runs a playbook to its end: whatever is possible happens in the order of the dice, some of it twice. */
function playOut(yaml: string, seed: number, luck: number): World {
  const roll = dice(seed);
  const world = new World(planFrom(yaml, { stepRuns: 30, eventsPerDecision: 20 })).request();
  const said: { readonly work: string; readonly events: ReturnType<World['attempt']> }[] = [];
  for (let turn = 0; world.state.phase !== 'processed'; turn++) {
    if (turn > 2_000) throw new Error(`no end:\n${yaml}\n${world.story.slice(-40).join('\n')}`);
    if (said.length > 0 && roll(5) === 0) {
      // A report delivered twice, early or late, changes nothing.
      const { work, events } = said[roll(said.length)] as (typeof said)[number];
      const { seq } = world.state;
      world.report(work, events);
      expect(world.story.slice(seq), JSON.stringify(events)).toEqual([]);
      continue;
    }
    if (roll(12) === 0) world.decide({ kind: world.state.paused ? 'resume' : 'pause', reason: null, by: null });
    const works = readyWork(world);
    if (works.length === 0 || roll(6) === 0) {
      if (!world.nextTimer() && works.length === 0 && world.state.paused) {
        world.decide({ kind: 'resume', reason: null, by: null });
      }
      continue;
    }
    const work = works[roll(works.length)] as string;
    const { pipeline } = world.assignment(work) ?? {};
    const label = pipeline?.label ?? '';
    const outcome = outcomeOf(work, label, pipeline?.visits[label] ?? 1, pipeline?.attempt ?? 1, luck);
    const events = world.attempt(work, outcome);
    // A worker that dies between two reports is followed by one that goes on from the checkpoint.
    const part = roll(4) === 0 ? events.slice(0, 1 + roll(events.length)) : events;
    world.report(work, part);
    said.push({ work, events: part });
  }
  return world;
}

/** Everything that the state says may be leased: nothing is lost, whatever happened to the effects. */
const readyWork = (world: World): readonly string[] =>
  pendingEffects(world.state).flatMap((effect) => (effect.kind === 'dispatch' ? [workKey(effect.work)] : []));

describe('random workflows, in random order, with duplicates, crashes, pauses and timers', () => {
  it('always end, with one workflow.finished and one playbook.processed, and every prefix folds on', () => {
    fc.assert(
      fc.property(randomPlaybook, fc.nat(), fc.nat(), fc.nat(), (yaml, seed, luck, cut) => {
        const { log, state, story } = playOut(yaml, seed, luck);
        expect(story.filter((name) => name === 'workflow.finished')).toHaveLength(1);
        expect(story.filter((name) => name === 'playbook.processed')).toHaveLength(1);
        expect(story.at(-1)).toBe('playbook.processed');
        const at = cut % (log.length + 1);
        const whole = JSON.stringify(encodeState(state));
        expect(JSON.stringify(encodeState(fold(log.slice(at), fold(log.slice(0, at)))))).toBe(whole);
      }),
      { numRuns: 50 },
    );
  }, 120_000);

  it('max_in_flight is never exceeded, and every iteration and task ends once', () => {
    fc.assert(
      fc.property(randomPlaybook, fc.nat(), fc.nat(), (yaml, seed, luck) => {
        const { log } = playOut(yaml, seed, luck);
        const ends = new Set<string>();
        for (const event of log) {
          if (event.name === 'task.done') expectNew(ends, `${event.task_run_id}:${event.attempt}`);
          if (isIterationEnd(event)) expectNew(ends, `${event.iteration_id}`);
          if (event.name === 'step.done' || event.name === 'step.failed' || event.name === 'loop.done') {
            expectNew(ends, `${event.step_run_id}`);
          }
        }
        expectWindows(log);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

const isIterationEnd = (event: ExecutionEvent): event is EventOf<'loop.iteration.done' | 'loop.iteration.failed'> =>
  event.name === 'loop.iteration.done' || event.name === 'loop.iteration.failed';

/** Of every loop, iterations scheduled and not ended are never more than its window. */
function expectWindows(log: readonly ExecutionEvent[]): void {
  const windows = new Map<string, number>();
  const open = new Map<string, number>();
  const count = (loop: string, change: number): void => {
    open.set(loop, (open.get(loop) ?? 0) + change);
    expect(open.get(loop), loop).toBeLessThanOrEqual(windows.get(loop) ?? 0);
  };
  for (const event of log) {
    if (event.name === 'loop.started') {
      const loop = event.iteration_id ?? event.step_run_id ?? '';
      windows.set(loop, event.payload.max_in_flight);
      count(loop, event.payload.schedules.count);
    }
    if (isIterationEnd(event)) {
      const id = event.iteration_id ?? '';
      const path = id.slice(id.lastIndexOf(':') + 1).split('.');
      const loop = path.length === 1 ? (event.step_run_id ?? '') : id.slice(0, id.lastIndexOf('.'));
      count(loop, (event.payload.schedules?.count ?? 0) - 1);
    }
    if (event.name === 'playbook.resumed') {
      for (const [work, { count: scheduled }] of Object.entries(event.payload.schedules)) count(`e:${work}`, scheduled);
    }
  }
}

function expectNew(seen: Set<string>, key: string): void {
  expect(seen.has(key), key).toBe(false);
  seen.add(key);
}

describe('where order of arrival must not matter (ENG-8, ENG-9)', () => {
  const loopSpec = fc.record({
    items: fc.integer({ min: 0, max: 6 }),
    window: fc.integer({ min: 1, max: 4 }),
    inner: fc.integer({ min: 0, max: 2 }),
  });
  it('ctx and results of parallel loops are the same in every order', () => {
    fc.assert(
      fc.property(loopSpec, fc.nat(), fc.nat(), fc.nat(), ({ items, window, inner }, luck, one, two) => {
        const list = JSON.stringify(Array.from({ length: items }, (_, index) => index));
        const nested =
          inner === 0
            ? ''
            : `, loop: { in: ${JSON.stringify(Array(inner).fill(0))}, iterator: y, spec: { mode: parallel } }`;
        const yaml = `
workflow:
  - step: start
    loop: { in: ${list}, iterator: x, spec: { mode: parallel, max_in_flight: ${window}, policy: { failure: best_effort } }${nested} }
    tool:
      - t0:
          kind: noop
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' }}"
                  then:
                    do: continue
                    set_shared:
                      sum: { reduce: sum, value: "{{ outcome.result + 0.1 }}" }
                      all: { reduce: append, value: "{{ [iter.index, outcome.result] }}" }
                      kinds: { reduce: union, value: "{{ outcome.result }}" }
                      least: { reduce: min, value: "{{ outcome.result }}" }
                      by: { reduce: merge, value: "{{ {'r': iter.index} }}" }
                    set_ctx: { done: true }
                - else: { then: { do: fail } }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ ctx }}" }
`;
        const [a, b] = [playOut(yaml, one, luck), playOut(yaml, two, luck)];
        expect(a.state.ctx).toEqual(b.state.ctx);
        expect(a.state.results.start).toEqual(b.state.results.start);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
