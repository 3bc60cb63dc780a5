import { describe, expect, it } from 'vitest';
import { failed, planFrom, World } from '../execution/world.testing.ts';
import { graphState } from './graph-state.ts';
import { project } from './projection.ts';

const tell = ({ log }: World) => project(graphState, log);
const counts = { runs: 0, active: 0, done: 0, failed: 0, dropped: 0, skipped: 0 };
const verdicts = { taken: 0, not_matched: 0, not_evaluated: 0, not_considered: 0, errors: 0 };

describe('the state of the graph', () => {
  it('counts runs by step and verdicts by arc (ENG-4)', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    tool: { kind: noop }
    next:
      arcs:
        - { step: start, when: "{{ (args.n or 0) < 2 }}", args: { n: "{{ (args.n or 0) + 1 }}" } }
        - { step: rows }
        - { step: mend, when: "{{ event.status == 'error' }}" }
  - step: rows
    loop: { in: [1, 2, 3], iterator: x }
    tool: { kind: noop }
  - step: mend
`),
    ).request();
    w.run('1').run('2').run('3').run('4:0');
    const { steps, arcs } = tell(w);
    expect(steps.start).toMatchObject({ ...counts, runs: 3, done: 3 });
    expect(steps.rows).toEqual({ ...counts, runs: 1, active: 1, iterations: { started: 2, ok: 1, failed: 0 } });
    expect(steps.mend).toBeUndefined();
    expect(arcs.start).toEqual([
      { ...verdicts, step: 'start', taken: 2, not_matched: 1 },
      { ...verdicts, step: 'rows', taken: 1, not_evaluated: 2 },
      { ...verdicts, step: 'mend', not_evaluated: 3 },
    ]);
  });
  it('tells failed runs, arcs that take no failure, and what was dropped with the execution (ENG-5)', () => {
    const w = new World(
      planFrom(`
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }, { step: c }] }
  - step: a
    tool: { kind: noop }
    next: { arcs: [{ step: b }] }
  - step: b
    tool: { kind: noop }
  - step: c
    spec: { policy: { admit: { rules: [{ else: { then: { allow: false } } }] } } }
`),
    ).request();
    w.run('2', failed());
    const { steps, arcs } = tell(w);
    expect(steps.a).toMatchObject({ ...counts, runs: 1, failed: 1 });
    expect(steps.b).toMatchObject({ ...counts, runs: 1, dropped: 1 });
    expect(steps.c).toMatchObject({ ...counts, skipped: 1 });
    expect(arcs.a).toEqual([{ ...verdicts, step: 'b', not_considered: 1 }]);
  });
});
