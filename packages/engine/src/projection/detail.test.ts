import { describe, expect, it } from 'vitest';
import type { Input } from '../execution/input.ts';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';
import { type DetailQuery, detail } from './detail.ts';
import { project } from './projection.ts';

const world = (yaml: string) => new World(planFrom(yaml)).request();
const tell = ({ log }: World, query?: DetailQuery) => project(detail(query), log);

describe('step runs', () => {
  it('have args, a result or an error, and the attempts of their tasks with what became of them', () => {
    const w = world(`
workflow:
  - step: start
    next: { arcs: [{ step: fetch, args: { n: 1 } }] }
  - step: fetch
    tool:
      - call:
          kind: noop
          spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, attempts: 2, delay: 9 } }, { else: { then: { do: continue } } }] } }
`);
    w.run('2', failed('http'));
    const waiting = tell(w).runs[1];
    expect(waiting).toMatchObject({ run: 2, work: '2', step: 'fetch', status: 'waiting', args: { n: 1 } });
    expect(waiting?.attempts).toMatchObject([
      { label: 'call', attempt: 1, status: 'failed', directive: { do: 'retry', rule: 0 }, error: { kind: 'http' } },
      { label: 'call', attempt: 2, status: 'waiting', waits: [{ for: 'retry', until: '2026-01-01T00:00:09.000Z' }] },
    ]);
    w.nextTimer();
    expect(tell(w).runs[1]).toMatchObject({ status: 'ready' });
    w.run('2', ok('yes'));
    expect(tell(w).runs).toMatchObject([
      { step: 'start', status: 'done', attempts: [] },
      {
        step: 'fetch',
        status: 'done',
        result: 'yes',
        attempts: [{}, { status: 'done', waits: [{ ended_by: 'timer' }] }],
      },
    ]);
  });
  it('are paged, and the newest attempts of each are shown', () => {
    const w = world(`
workflow:
  - step: start
    tool: [{ a: { kind: noop } }, { b: { kind: noop } }, { c: { kind: noop } }]
    next: { arcs: [{ step: start, when: "{{ (args.n or 0) < 4 }}", args: { n: "{{ (args.n or 0) + 1 }}" } }] }
`).drain();
    const { runs, run_count } = tell(w, { runs: { from: 2, limit: 2 }, attempts: 2 });
    expect(runs.map(({ run, args }) => [run, args])).toEqual([
      [2, { n: 1 }],
      [3, { n: 2 }],
    ]);
    expect(run_count).toBe(5);
    expect(runs[0]?.attempts.map(({ label }) => label)).toEqual(['b', 'c']);
    expect(runs[0]?.attempt_count).toBe(3);
  });
  it('that were dropped have ended, and so has what their tasks waited for', () => {
    const w = world(`
workflow:
  - step: start
    tool: { kind: wait, for: signal, name: go }
`).run('1');
    w.decide({ kind: 'cancel', reason: null, by: null } as unknown as Input);
    expect(tell(w).runs).toMatchObject([
      { status: 'dropped', ended_at: w.last?.timestamp, attempts: [{ status: 'dropped', waits: [{ name: 'go' }] }] },
    ]);
  });
  it('are held when a child they waited for is over while the execution is paused', () => {
    const w = world(`
workflow:
  - step: start
    tool: { kind: playbook, path: other }
`).run('1');
    w.decide({ kind: 'pause', reason: null, by: null } as unknown as Input);
    const [execution_id = ''] = w.children.keys();
    expect(tell(w).runs[0]?.attempts[0]?.waits).toMatchObject([{ for: 'child', child: execution_id }]);
    w.decide({ kind: 'child', work: { run: 1, path: [] }, execution_id, outcome: ok(5) } as unknown as Input);
    expect(tell(w).runs[0]?.status).toBe('held');
  });
  it('that were not admitted are told with the reason', () => {
    const w = world(`
workflow:
  - step: start
    spec: { policy: { admit: { rules: [{ when: "{{ workload.go }}", then: { allow: true } }, { else: { then: { allow: false } } }] } } }
    tool: { kind: noop }
`);
    const { runs, skips } = tell(w);
    expect(runs).toEqual([]);
    expect(skips).toMatchObject([{ step: 'start', reason: 'admission.denied', seq: 4 }]);
  });
});

describe('loops', () => {
  const yaml = `
workflow:
  - step: start
    loop: { in: "{{ range(0, 30) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 3, policy: { failure: best_effort } } }
    tool: { kind: noop }
`;
  it('tell their progress, and one page of their iterations', () => {
    const w = world(yaml);
    for (let index = 0; index < 10; index++) w.run(`1:${index}`, index === 4 ? failed() : ok(index));
    const { runs, iterations } = tell(w, { iterations: { loop: '1', from: 3, limit: 3 } });
    expect(runs[0]?.loop).toEqual({ mode: 'parallel', total: 30, ok: 9, failed: 1, in_flight: 3 });
    expect(iterations).toMatchObject([
      { index: 3, work: '1:3', status: 'done', result: 3 },
      { index: 4, work: '1:4', status: 'failed', error: { kind: 'boom' } },
      { index: 5, work: '1:5', status: 'done' },
    ]);
  });
  it('keep no memory of iterations outside the page', () => {
    const w = world(yaml).drain();
    const { initial, fold } = detail({ iterations: { loop: '1', from: 0, limit: 2 } });
    expect(JSON.stringify(w.log.reduce(fold, initial)).length).toBeLessThan(4_000);
  });
  it('inside loops are asked for by the iteration they stand in', () => {
    const w = world(`
workflow:
  - step: start
    loop: { in: [1, 2], iterator: x, spec: { mode: parallel }, loop: { in: [1, 2, 3], iterator: y, spec: { mode: parallel } } }
    tool: { kind: noop }
`).run('1:1.2', ok('z'));
    expect(tell(w, { iterations: { loop: '1:1', from: 1, limit: 5 } }).iterations).toMatchObject([
      { index: 1, work: '1:1.1', status: 'ready' },
      { index: 2, work: '1:1.2', status: 'done', result: 'z' },
    ]);
    const outer = tell(w, { iterations: { loop: '1', from: 0, limit: 5 } }).iterations;
    expect(outer?.[1]).toMatchObject({ work: '1:1', status: 'running', loop: { total: 3, ok: 1, in_flight: 2 } });
    expect(tell(w, { iterations: { loop: '9', from: 0, limit: 5 } }).iterations).toBeUndefined();
  });
});
