import { describe, expect, it } from 'vitest';
import { failed, ok, planFrom, World } from './world.testing.ts';

const world = (yaml: string) => new World(planFrom(yaml)).request();

describe('a workflow of two steps', () => {
  const yaml = `
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: last, args: { n: 1 } }] }
  - step: last
    tool: { kind: noop }
`;
  it('runs one after the other and ends with the result of the last (ENG-7, ENG-16)', () => {
    const w = world(yaml).run('1', ok('a')).run('2', ok('b'));
    expect(w.story).toEqual([
      'playbook.execution.requested',
      'playbook.request.evaluated',
      'workflow.started',
      'step.scheduled(start)',
      'step.started(start)',
      'task.started(start)',
      'task.done(start)',
      'step.done(start)',
      'next.evaluated(start)',
      'step.scheduled(last)',
      'step.started(last)',
      'task.started(last)',
      'task.done(last)',
      'step.done(last)',
      'next.evaluated(last)',
      'workflow.finished',
      'playbook.processed',
    ]);
    expect(w.last?.payload).toMatchObject({ status: 'success', result: 'b', error: null });
  });
  it('ends in error when a step fails and no arc takes it (ENG-5)', () => {
    const w = world(yaml).run('1', failed('http'));
    expect(w.last?.payload).toMatchObject({ status: 'error', error: { kind: 'http' } });
  });
});

describe('loops', () => {
  it('a parallel loop schedules a window and refills it (ENG-8)', () => {
    const w = world(`
workflow:
  - step: start
    loop: { in: [a, b, c, d], iterator: x, spec: { mode: parallel, max_in_flight: 2 } }
    tool: { kind: noop, result: "{{ iter.x }}" }
`);
    expect([...w.ready]).toEqual(['1:0', '1:1']);
    w.run('1:1', ok('B'));
    expect([...w.ready]).toEqual(['1:0', '1:2']);
    w.run('1:2', ok('C')).run('1:3', ok('D')).run('1:0', ok('A'));
    expect(w.eventsNamed('loop.done')[0]?.payload).toEqual({
      step: 'start',
      result: ['A', 'B', 'C', 'D'],
      stats: { total: 4, ok: 4, failed: 0 },
    });
    expect(w.last?.name).toBe('playbook.processed');
  });
  it('nested loops give nested lists, and the inner `in` sees the outer item', () => {
    const w = world(`
workflow:
  - step: start
    loop:
      in: [[1, 2], [3]]
      iterator: row
      spec: { mode: parallel }
      loop: { in: "{{ iter.row }}", iterator: cell }
    tool: { kind: noop }
`);
    expect([...w.ready]).toEqual(['1:0.0', '1:1.0']);
    w.run('1:1.0', ok('c')).run('1:0.0', ok('a')).run('1:0.1', ok('b'));
    expect(w.eventsNamed('loop.done')[0]?.payload.result).toEqual([['a', 'b'], ['c']]);
  });
});

describe('joins (ENG-6)', () => {
  it('all waits for every branch and fires once', () => {
    const w = world(`
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: a, args: { x: 1 } }, { step: b, args: { y: 2 } }] }
  - step: a
    tool: { kind: noop }
    next: { arcs: [{ step: both }] }
  - step: b
    tool: { kind: noop }
    next: { arcs: [{ step: both }] }
  - step: both
    spec: { join: all }
    tool: { kind: noop }
`);
    w.run('3', ok()).run('2', ok());
    expect(w.eventsNamed('step.scheduled').at(-1)?.payload).toMatchObject({ step: 'both', args: { x: 1, y: 2 } });
    w.run('4', ok('end'));
    expect(w.last?.payload).toMatchObject({ status: 'success', result: 'end' });
  });
});

describe('a failure that nothing took (ENG-5)', () => {
  it('starts no child of work that ran on, and sets no timer for it', () => {
    const w = world(`
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: calls }, { step: fails }] }
  - step: calls
    tool: [{ one: { kind: noop } }, { two: { kind: playbook, path: other } }]
  - { step: fails, tool: { kind: noop } }
`);
    w.run('2', ok()).run('3', failed()).run('2');
    expect(w.story.slice(-3)).toEqual(['task.waiting(calls)', 'workflow.finished', 'playbook.processed']);
    expect([w.children.size, w.timers.size]).toEqual([0, 0]);
  });
});
