import { describe, expect, it } from 'vitest';
import type { Plan } from '../execution/plan.ts';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';
import { failure } from '../outcome.ts';
import { type FailurePoint, failureTrail } from './failure-point.ts';
import { stateAt } from './state-at.ts';

const pointOf = ({ log }: World): FailurePoint | undefined => {
  const trail = failureTrail();
  for (const event of log) trail.take(event);
  return trail.point();
};

/** The fork from the last checkpoint before the failure, and the attempts it makes until nothing is ready any more. */
function triedAgain(w: World, plan: Plan = w.plan): { readonly fork: World; readonly attempts: readonly string[] } {
  const point = pointOf(w);
  if (point === undefined) throw new Error('nothing failed');
  const fork = new World(plan);
  fork.now = w.now;
  const origin = { execution_id: 'e', state: stateAt(w.log, point.seq) };
  const named = { execution_id: 'f', path: 't', version: 1, content_hash: 'h' };
  expect(fork.decide({ kind: 'fork', ...named, origin, edits: {} }).kind).toBe('events');
  const attempts: string[] = [];
  fork.drain((work, label) => {
    attempts.push(`${work} ${label}`);
    return ok();
  });
  return { fork, attempts };
}

const ends = ({ last }: World): unknown => (last?.name === 'playbook.processed' ? last.payload.status : last?.name);

describe('the last checkpoint before a failure (ENG-15)', () => {
  it('is in front of the task that failed', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: load }] }
  - step: load
    tool: [{ a: { kind: noop } }, { b: { kind: noop } }, { c: { kind: noop } }]
`),
    ).request();
    w.run('1').run('2', ok(), failed());
    const told = w.eventsNamed('task.done').at(-1)?.seq ?? 0;
    expect(pointOf(w)).toEqual({ seq: told - 1, failed: told, step: 'load', path: '', task: 'b' });
    const { fork, attempts } = triedAgain(w);
    expect(attempts).toEqual(['2 b', '2 c']);
    expect(ends(fork)).toBe('success');
  });
  it('is in front of the last attempt', () => {
    const policy =
      '{ rules: [{ when: "{{ outcome.status == \'error\' }}", then: { do: retry, attempts: 3, delay: 60 } }] }';
    const w = new World(
      planFrom(`workflow: [{ step: start, tool: { kind: noop, spec: { policy: ${policy} } } }]`),
    ).request();
    w.run('1', failed());
    w.nextTimer();
    w.run('1', failed());
    w.nextTimer();
    w.run('1', failed());
    expect(ends(w)).toBe('error');
    const { fork, attempts } = triedAgain(w);
    expect(attempts).toEqual(['1 task_1']);
    expect(fork.eventsNamed('task.done').map(({ attempt }) => attempt)).toEqual([3]);
    expect(ends(fork)).toBe('success');
  });
  it('is in front of the first iteration that failed in a loop that fails fast', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    loop: { in: [1, 2, 3, 4], iterator: x, spec: { mode: parallel, max_in_flight: 3 } }
    tool: { kind: noop }
`),
    ).request();
    w.leased.add('1:2');
    w.run('1:0').run('1:1', failed()).run('1:2', failed());
    expect(ends(w)).toBe('error');
    expect(pointOf(w)).toMatchObject({ step: 'start', path: '1' });
    const { fork, attempts } = triedAgain(w);
    expect(new Set(attempts)).toEqual(new Set(['1:1 task_1', '1:2 task_1', '1:3 task_1']));
    expect(ends(fork)).toBe('success');
  });
  it('passes over failures that did not end anything: of a best-effort loop, and those that an arc took', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    loop:
      in: [1, 2]
      iterator: x
      spec: { mode: sequential, policy: { failure: best_effort } }
      loop: { in: [1, 2], iterator: y, spec: { mode: sequential } }
    tool: { kind: noop }
    next: { arcs: [{ step: risky }] }
  - step: risky
    tool: { kind: noop }
    next: { arcs: [{ step: last, when: "{{ event.name == 'step.failed' }}" }] }
  - { step: last, tool: { kind: noop } }
`),
    ).request();
    w.run('1:0.0', failed()).run('1:1.0').run('1:1.1').run('2', failed());
    expect(pointOf(w)).toBeUndefined();
    w.run('3', failed());
    expect(pointOf(w)).toMatchObject({ step: 'last' });
    expect(triedAgain(w).attempts).toEqual(['3 task_1']);
  });
  it('goes down through nested loops', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    loop:
      in: [1, 2]
      iterator: x
      spec: { mode: sequential }
      loop: { in: [1, 2], iterator: y, spec: { mode: sequential } }
    tool: { kind: noop }
`),
    ).request();
    w.run('1:0.0').run('1:0.1').run('1:1.0', failed());
    expect(pointOf(w)).toMatchObject({ step: 'start', path: '1.0', task: 'task_1' });
    const { fork, attempts } = triedAgain(w);
    expect(attempts).toEqual(['1:1.0 task_1', '1:1.1 task_1']);
    expect(ends(fork)).toBe('success');
  });
  it('is in front of a task that called a child, which starts anew, with what was edited', () => {
    const w = new World(planFrom('workflow: [{ step: start, tool: { kind: playbook, path: other } }]')).request();
    w.run('1');
    const begun = w.eventsNamed('task.started')[0]?.seq ?? 0;
    const [child = ''] = w.children.keys();
    w.decide({ kind: 'child', work: { run: 1, path: [] }, execution_id: child, outcome: failed() });
    w.run('1');
    expect(ends(w)).toBe('error');
    expect(pointOf(w)?.seq).toBe(begun - 1);
    const { fork } = triedAgain(w);
    expect(fork.children.size).toBe(1);
  });
  it('is in front of a signal that came while the task waited for it', () => {
    const policy = '{ rules: [{ else: { then: { do: fail } } }] }';
    const w = new World(
      planFrom(
        `workflow: [{ step: start, tool: { kind: wait, for: approval, name: boss, spec: { policy: ${policy} } } }]`,
      ),
    ).request();
    w.run('1');
    w.decide({ kind: 'signal', name: 'boss', payload: false, by: null });
    w.run('1');
    expect(ends(w)).toBe('error');
    const { fork } = triedAgain(w);
    expect(fork.state.listeners).toEqual({ boss: [{ run: 1, path: [] }] });
    expect(fork.state.signals).toEqual({});
  });
  it('is in front of a condition that could not be evaluated', () => {
    const steps = (when: string) =>
      `workflow: [{ step: start, tool: { kind: noop }, next: { arcs: [{ step: end, when: "{{ ${when} }}" }] } }]`;
    const w = new World(planFrom(steps('1 / 0'))).request().run('1');
    expect(ends(w)).toBe('error');
    const { fork, attempts } = triedAgain(w, planFrom(steps('1')));
    expect(attempts).toEqual([]);
    expect(ends(fork)).toBe('success');
  });
  it('is in front of the list of a loop that could not be evaluated', () => {
    const steps = (list: string) =>
      `workflow: [{ step: start, loop: { in: "{{ ${list} }}", iterator: x }, tool: { kind: noop } }]`;
    const w = new World(planFrom(steps('7'))).request();
    expect(ends(w)).toBe('error');
    const { fork, attempts } = triedAgain(w, planFrom(steps('[7]')));
    expect(attempts).toEqual(['1:0 task_1']);
    expect(ends(fork)).toBe('success');
  });
  it('is in front of the task whose writes did not fit into ctx', () => {
    const text =
      'workload: { n: 9 }\nworkflow: [{ step: start, tool: [{ a: { kind: noop } }, { b: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { x: "{{ \'y\' * workload.n }}" } } } }] } } } }] }]';
    const w = new World(planFrom(text, { ctx: 10 })).request().run('1', ok(), ok());
    expect(ends(w)).toBe('error');
    const { fork, attempts } = triedAgain(w, planFrom(text));
    expect(attempts).toEqual(['1 b']);
    expect(ends(fork)).toBe('success');
  });
  it('is the work under way when a step or an execution takes too long', () => {
    for (const timeout of ['step_timeout', 'execution_timeout']) {
      const w = new World(
        planFrom(`
executor: { spec: { ${timeout}: 10 } }
workflow: [{ step: start, tool: [{ a: { kind: noop } }, { b: { kind: noop } }] }]
`),
      ).request();
      w.run('1', ok());
      w.nextTimer();
      expect(ends(w)).toBe('error');
      const { fork, attempts } = triedAgain(w);
      expect(attempts).toEqual(['1 b']);
      expect(ends(fork)).toBe('success');
    }
  });
  it('is the request, where that was rejected', () => {
    const w = new World(planFrom('workflow: [{ step: start, tool: { kind: noop } }]'));
    w.request({}, { rejected: failure('secret.unresolved', 'no key') });
    expect(pointOf(w)).toEqual({ seq: 1, failed: 2, step: undefined, path: '', task: undefined });
    expect(ends(triedAgain(w).fork)).toBe('success');
  });
  it('is nowhere in an execution that goes on, ended well, was cancelled, or was forked after its failure', () => {
    const plan = planFrom('workflow: [{ step: start, tool: { kind: noop } }]');
    const w = new World(plan).request();
    expect(pointOf(w)).toBeUndefined();
    expect(pointOf(w.run('1'))).toBeUndefined();
    const cancelled = new World(plan).request();
    cancelled.decide({ kind: 'cancel', reason: null, by: null });
    expect(pointOf(cancelled)).toBeUndefined();
    const broken = new World(plan).request().run('1', failed());
    const late = new World(plan);
    const told = broken.eventsNamed('next.evaluated')[0]?.seq ?? 0;
    const origin = { execution_id: 'e', state: stateAt(broken.log, told) };
    late.decide({ kind: 'fork', execution_id: 'f', path: 't', version: 1, content_hash: 'h', origin, edits: {} });
    expect(ends(late)).toBe('error');
    expect(pointOf(late)).toBeUndefined();
  });
});
