import { describe, expect, it } from 'vitest';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';
import { project } from './projection.ts';
import { type TimelineLimits, timeline } from './timeline.ts';

const world = (yaml: string) => new World(planFrom(yaml)).request();
const tell = ({ log }: World, limits?: TimelineLimits) => project(timeline(limits), log);
/** Everything that is ready runs, and takes a tenth of a second. */
const drain = (w: World): World =>
  w.drain(() => {
    w.now += 100;
    return ok();
  });
const begin = Date.UTC(2026, 0, 1);

describe('the timeline of an execution', () => {
  it('has a lane per run, with attempts and waits inside', () => {
    const w = world(`
workflow:
  - step: start
    tool: [{ nap: { kind: wait, for: delay, seconds: 10 } }, { work: { kind: noop } }]
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop }
`).run('1');
    w.nextTimer();
    w.run('1');
    w.now += 500;
    w.run('1');
    expect(tell(w)).toEqual([
      { kind: 'run', lane: 0, work: '1', label: 'start', status: 'done', start: begin, end: begin + 10_500 },
      {
        kind: 'attempt',
        lane: 0,
        work: '1',
        label: 'nap',
        status: 'done',
        start: begin,
        end: begin + 10_000,
        attempt: 1,
      },
      {
        kind: 'wait',
        lane: 0,
        work: '1',
        label: 'nap: delay',
        status: 'done',
        start: begin,
        end: begin + 10_000,
        for: 'delay',
      },
      {
        kind: 'attempt',
        lane: 0,
        work: '1',
        label: 'work',
        status: 'done',
        start: begin + 10_500,
        end: begin + 10_500,
        attempt: 1,
      },
      { kind: 'run', lane: 1, work: '2', label: 'last', status: 'ready', start: begin + 10_500, end: undefined },
    ]);
  });
  it('shows the pause before a retry, whether an event told it or not', () => {
    const w = world(`
workflow:
  - step: start
    tool:
      - call:
          kind: noop
          spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, attempts: 3, delay: "{{ _attempt * 4 }}" } }, { else: { then: { do: continue } } }] } }
`);
    w.run('1', failed('http'));
    w.now += 4_000;
    w.run('1', failed('http'));
    w.nextTimer();
    w.run('1');
    const waits = tell(w).filter(({ kind }) => kind === 'wait');
    expect(waits).toMatchObject([
      { label: 'call (attempt 2): retry', for: 'retry', start: begin, end: begin + 4_000 },
      { label: 'call (attempt 3): retry', for: 'retry', start: begin + 4_000, end: begin + 12_000 },
    ]);
  });
  it('packs iterations into as many lanes as run at a time, and joins those beyond the limit', () => {
    const w = world(`
workflow:
  - step: start
    loop: { in: "{{ range(0, 100) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 2 } }
    tool: { kind: noop }
`);
    drain(w);
    const spans = tell(w, { iterations: 6 });
    expect(spans[0]).toMatchObject({ kind: 'run', loop: { total: 100, ok: 100, failed: 0, in_flight: 0 } });
    const iterations = spans.filter(({ kind }) => kind === 'iteration');
    expect(iterations.map(({ label, lane }) => [label, lane])).toEqual([
      ['[0]', 1],
      ['[1]', 2],
      ['[2]', 1],
      ['[3]', 2],
      ['[4]', 1],
      ['[5]', 2],
    ]);
    expect(spans.at(-1)).toMatchObject({
      kind: 'more',
      work: '1',
      lane: 3,
      label: '94 more iterations',
      count: 94,
      status: 'done',
      end: begin + 10_000,
    });
  });
  it('joins runs beyond the limit by step, and keeps inner iterations below their outer one', () => {
    const w = world(`
workflow:
  - step: start
    loop: { in: [1, 2], iterator: x, loop: { in: [1, 2], iterator: y, spec: { mode: parallel } } }
    tool: { kind: noop }
    next: { arcs: [{ step: again, args: { n: 0 } }] }
  - step: again
    next: { arcs: [{ step: again, when: "{{ args.n < 5 }}", args: { n: "{{ args.n + 1 }}" } }] }
`);
    drain(w);
    const spans = tell(w, { runs: 2 }).filter(({ kind }) => kind !== 'attempt');
    expect(spans.map(({ label, lane, work }) => [label, lane, work])).toEqual([
      ['start', 0, '1'],
      ['[0]', 1, '1:0'],
      ['[0]', 2, '1:0.0'],
      ['[1]', 3, '1:0.1'],
      ['[1]', 4, '1:1'],
      ['[0]', 5, '1:1.0'],
      ['[1]', 6, '1:1.1'],
      ['again', 7, '2'],
      ['5 more runs of again', 8, undefined],
    ]);
  });
});
