import { describe, expect, it } from 'vitest';
import { timestampOf } from '../instant.ts';
import { given, happened, ran, timePassed } from './given.testing.ts';
import type { ControlInput } from './input.ts';
import { failed, ok, planFrom, World } from './world.testing.ts';

const control = (kind: ControlInput['kind']) => happened({ kind, reason: 'because', by: 'ada' });

const CHAIN = `
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop }
`;

describe('controls (ENG-14)', () => {
  it('a pause lets the pipeline end, and schedules nothing after it', () => {
    given(CHAIN)
      .and(control('pause'))
      .when(ran('1', ok()))
      .then(
        'step.started(start)',
        'task.started(start)',
        'task.done(start)',
        'step.done(start)',
        'next.evaluated(start)',
      );
  });
  it('a second pause changes nothing', () => {
    given(CHAIN).and(control('pause')).when(control('pause')).thenNothing();
  });
  it('a resume goes on where the pause left off', () => {
    given(CHAIN)
      .and(control('pause'))
      .and(ran('1', ok()))
      .when(control('resume'))
      .then('playbook.resumed', 'step.scheduled(last)');
  });
  it('a cancel ends the execution at once, and a second one is refused', () => {
    given(CHAIN).and(control('cancel')).when(control('cancel')).thenRefused('NOETL_EXECUTION_OVER');
  });
  it('a report that comes after the cancel changes nothing', () => {
    given(CHAIN).and(control('cancel')).when(ran('1', ok())).thenNothing();
  });
});

describe('waits', () => {
  const SIGNAL = `
workflow:
  - step: start
    tool: [{ gate: { kind: wait, for: signal, name: go } }, { last: { kind: noop } }]
`;
  const go = happened({ kind: 'signal', name: 'go', payload: { n: 1 }, by: 'ada' });

  it('a signal wakes the task that waits for it', () => {
    given(SIGNAL).and(ran('1')).when(go).then('signal.received', 'task.resumed(start)');
  });
  it('a signal that was left and is met again is received once', () => {
    const left = (input: number) => happened({ kind: 'signal', name: 'go', payload: null, by: 'ada', input });
    given(SIGNAL).and(left(7)).when(left(7)).thenNothing();
    given(SIGNAL).and(left(7)).when(left(8)).then('signal.received');
  });
  /** The wait begins, and is to be over in three seconds. */
  const waiting = (world: World): World => {
    const until = timestampOf(world.now + 3_000);
    const begun = world
      .attempt('1')
      .map((event) =>
        event.name === 'task.waiting' ? { ...event, payload: { ...event.payload, until, times_out: true } } : event,
      );
    world.report('1', begun);
    return world;
  };
  it('a signal that comes after the timeout of the wait is too late, also where nobody noticed the timeout (ENG-14)', () => {
    const world = waiting(new World(planFrom(SIGNAL)).request());
    world.now += 3_001;
    world.decide({ kind: 'signal', name: 'go', payload: null, by: null });
    expect(world.eventsNamed('task.resumed').map(({ payload }) => payload.by)).toEqual(['timeout']);
    expect(world.state.signals).toHaveProperty('go');
  });
  it('a signal that comes in time is taken', () => {
    const world = waiting(new World(planFrom(SIGNAL)).request());
    world.decide({ kind: 'signal', name: 'go', payload: null, by: null });
    expect(world.eventsNamed('task.resumed').map(({ payload }) => payload.by)).toEqual(['signal']);
  });
  it('a signal that comes early is kept', () => {
    given(SIGNAL)
      .and(go)
      .when(ran('1'))
      .then('step.started(start)', 'task.started(start)', 'task.waiting(start)', 'task.resumed(start)');
  });
  it('a retry of more than 5 s waits without a lease, and goes on by its timer', () => {
    given(`
workflow:
  - step: start
    tool:
      kind: noop
      spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, delay: 9 } }] } }
`)
      .and(ran('1', failed()))
      .when(timePassed)
      .then('task.resumed(start)')
      .thenEvent('task.resumed', { by: 'timer' });
  });
});
