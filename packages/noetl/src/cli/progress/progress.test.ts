import { describe, expect, it } from 'vitest';
import { record } from '../views/recorded.testing.ts';
import { recordWeather } from '../views/weather.testing.ts';
import { LOOP, watch } from './watched.testing.ts';

describe('plain progress', () => {
  it('is a line for whatever is worth one, with the place and the cause of failures', () => {
    const { stdout, stderr } = watch(recordWeather(), { mode: 'plain' });
    expect(stdout).toBe('');
    expect(stderr).toMatchInlineSnapshot(`
      "2026-01-01T00:00:00.000Z demo/weather: execution e of demo.yaml
      2026-01-01T00:00:00.000Z start: scheduled
      2026-01-01T00:00:00.300Z start.fetch: attempt 1 failed, attempt 2 of 4 in 10.0 s: http.status: 503 Service Unavailable
      2026-01-01T00:00:11.300Z start: done in 11.3 s, 1 retry
      2026-01-01T00:00:11.300Z measure: scheduled
      2026-01-01T00:00:11.300Z measure: loop over 3 items, 2 at a time
      2026-01-01T00:00:11.300Z archive: skipped: not admitted by {{ workload.city == 'Bern' }}
      2026-01-01T00:00:12.800Z measure: 1/3 (33 %), 2 in flight, 0.7/s, 3 s left
      2026-01-01T00:00:14.300Z measure[1].read: failed at demo.yaml:24:15: sensor: no value�[2J for� tue�
      2026-01-01T00:00:14.300Z measure: 2/3 (66 %), 1 failed, 1 in flight, 0.7/s, 2 s left
      2026-01-01T00:00:15.800Z measure: done in 4.5 s, 3 items, 1 failed
      2026-01-01T00:00:15.800Z publish: scheduled
      2026-01-01T00:00:15.800Z publish.approve: waits for the approval 'boss': noetl exec signal e boss
      2026-01-01T00:00:15.800Z boss: signal received from ada
      2026-01-01T00:00:15.800Z publish.approve: goes on: the signal came
      2026-01-01T00:00:15.820Z publish.send: failed after 20 ms at demo.yaml:32:15: mail: the box is full⏎write less
      2026-01-01T00:00:15.820Z publish: the failure is handled, goes on with apologize
      2026-01-01T00:00:15.820Z apologize: scheduled
      2026-01-01T00:00:15.820Z apologize: done in 0 ms
      2026-01-01T00:00:15.820Z demo/weather: done in 15.8 s: 4 step runs, 1 skipped, 8 attempts, 1 retry, 3 iterations, 2 failures
      "
    `);
  });

  it('tells about a long loop at most once in a second, and about its failures only for a while', () => {
    const loop = record(LOOP.replace('N', '400'), { tools: { 'start.work': () => ({ ms: 50, error: {} }) } });
    const lines = watch(loop, { mode: 'plain' }).stderr.split('\n');
    expect(lines.filter((line) => line.includes(' in flight')).map((line) => line.slice(25))).toMatchInlineSnapshot(`
      [
        "start: 40/400 (10 %), 40 failed, 10 in flight, 20/s, 18 s left",
        "start: 80/400 (20 %), 80 failed, 10 in flight, 20/s, 16 s left",
        "start: 120/400 (30 %), 120 failed, 10 in flight, 20/s, 14 s left",
        "start: 160/400 (40 %), 160 failed, 10 in flight, 20/s, 12 s left",
        "start: 200/400 (50 %), 200 failed, 10 in flight, 20/s, 10 s left",
        "start: 240/400 (60 %), 240 failed, 10 in flight, 20/s, 8 s left",
        "start: 280/400 (70 %), 280 failed, 10 in flight, 20/s, 6 s left",
        "start: 320/400 (80 %), 320 failed, 10 in flight, 20/s, 4 s left",
        "start: 360/400 (90 %), 360 failed, 10 in flight, 20/s, 2 s left",
      ]
    `);
    expect(lines.filter((line) => line.includes(' failed at '))).toHaveLength(5);
    expect(lines.filter((line) => line.includes('counted'))).toHaveLength(1);
  });

  it('writes the same, however the events are cut into batches', () => {
    const weather = recordWeather();
    const { stderr } = watch(weather, { mode: 'plain' });
    const atOnce = watch(weather, { mode: 'plain', batch: 1000 });
    expect(atOnce.writes).toBe(1);
    const withoutCounts = (text: string) => text.split('\n').filter((line) => !line.includes(' in flight'));
    expect(withoutCounts(atOnce.stderr)).toEqual(withoutCounts(stderr));
  });

  it('says which arc took a failure, and because of which iteration a step failed', () => {
    const failFast = LOOP.replace(', policy: { failure: best_effort }', '').replace('N', '2');
    const { stderr } = watch(record(failFast, { tools: { 'start.work': () => ({ error: {} }) } }), { mode: 'plain' });
    expect(stderr).toContain('start[0].work: failed at demo.yaml:7:20: boom: it broke\n');
    expect(stderr).toContain('start: failed after 0 ms, because start[0].work did\n');
    expect(watch(recordWeather(), { mode: 'plain' }).stderr).toContain(
      'publish: the failure is handled, goes on with apologize\n',
    );
  });

  it('counts inner loops together', () => {
    const nested = `workflow:
  - step: start
    loop:
      in: "{{ range(4) | list }}"
      iterator: row
      loop: { in: "{{ range(5) | list }}", iterator: cell, spec: { mode: parallel, max_in_flight: 2 } }
    tool: [{ work: { kind: noop } }]
`;
    const { stderr } = watch(record(nested, { tools: { 'start.work': () => ({ ms: 300 }) } }), { mode: 'plain' });
    expect(stderr.split('\n').map((line) => line.slice(25))).toMatchInlineSnapshot(`
      [
        "demo/weather: execution e of demo.yaml",
        "start: scheduled",
        "start: loop over 4 items, one after another",
        "start: 1/4 (25 %), inner 5/5, 0 in flight, 3.3/s, 5 s left",
        "start: 2/4 (50 %), inner 10/10, 0 in flight, 3.3/s, 3 s left",
        "start: 3/4 (75 %), inner 15/15, 0 in flight, 3.3/s, 2 s left",
        "start: done in 6.0 s, 4 items",
        "demo/weather: done in 6.0 s: 1 step run, 20 attempts, 24 iterations",
        "",
      ]
    `);
  });

  it('says what comes from outside', () => {
    const wait = `workflow:
  - step: start
    tool: { kind: wait, for: signal, name: "it's time" }
`;
    const by = 'ada';
    const inputs = [
      { kind: 'pause', reason: 'lunch', by },
      { kind: 'resume', reason: null, by },
      { kind: 'cancel', reason: 'wrong list', by },
    ] as const;
    const { stderr } = watch(record(wait, { inputs }), { mode: 'plain' });
    expect(stderr.split('\n').map((line) => line.slice(25))).toMatchInlineSnapshot(`
      [
        "demo/weather: execution e of demo.yaml",
        "start: scheduled",
        "start.task_1: waits for the signal 'it's time': noetl exec signal e 'it'\\''s time'",
        "demo/weather: paused: lunch (noetl exec resume e)",
        "demo/weather: resumed",
        "demo/weather: cancelled: wrong list",
        "demo/weather: cancelled in 0 ms: 1 step run, 0 attempts; cancelled: the execution was cancelled: wrong list",
        "",
      ]
    `);
  });

  it('counts the runs of a step that runs again', () => {
    const cycle = record(`workload: { n: 3 }
workflow:
  - step: start
    tool: [{ count: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { n: "{{ ctx.n | default(0) + 1 }}" } } } }] } } } }]
    next: { arcs: [{ step: start, when: "{{ ctx.n < 3 }}" }] }
`);
    const lines = watch(cycle, { mode: 'plain' }).stderr.split('\n');
    const done = lines.filter((line) => line.includes(' done in ')).map((line) => line.slice(25));
    expect(done).toEqual(['start: done in 0 ms', 'start#2: done in 0 ms', 'start#3: done in 0 ms', expect.any(String)]);
  });

  it('never goes back in time, whenever a worker came to report what had happened', () => {
    const { playbook, events } = recordWeather();
    const late = events.map((event) =>
      event.name === 'loop.iteration.failed' ? { ...event, timestamp: '2026-01-01T00:00:11.900Z' } : event,
    );
    const lines = watch({ playbook, events: late }, { mode: 'plain' }).stderr.trimEnd().split('\n');
    const times = lines.map((line) => line.slice(0, 24));
    expect(times).toEqual([...times].sort());
    expect(lines.filter((line) => line.includes('measure[1].read: failed'))).toEqual([
      expect.stringMatching(/^2026-01-01T00:00:12.800Z /),
    ]);
  });

  it('counts what was recalled, and does not tell it', () => {
    const { playbook, events } = recordWeather();
    const half = events.findIndex(({ name }) => name === 'task.resumed');
    const before = events.slice(0, half);
    const rest = { playbook, events: events.slice(half) };
    const { stderr } = watch(rest, { mode: 'plain', before: (progress) => progress.recall(before) });
    expect(stderr).not.toContain('execution e of');
    expect(stderr).toContain('start: done in 11.3 s, 1 retry\n');
  });
});

describe('other progress', () => {
  it('is over once it is closed', () => {
    const { playbook, events } = recordWeather();
    for (const mode of ['live', 'plain', 'json'] as const) {
      const said = watch({ playbook, events }, { mode, before: (progress) => progress.close() });
      expect(said.stdout + said.stderr.replace('\u001b[J', '')).toBe('');
    }
  });

  it('as JSON is every event as it is stored, the end last, and nothing of other executions', () => {
    const { playbook, events } = recordWeather();
    const child = events.map((event) => ({ ...event, execution_id: 'e-1-0-1-1' }));
    const { stdout, stderr } = watch({ playbook, events: [...child, ...events] }, { mode: 'json' });
    expect(stderr).toBe('');
    expect(stdout).toBe(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').name).toBe('playbook.processed');
  });

  it('that is quiet says nothing', () => {
    expect(watch(recordWeather(), { mode: 'quiet' })).toEqual({ stdout: '', stderr: '', writes: 0 });
  });
});
