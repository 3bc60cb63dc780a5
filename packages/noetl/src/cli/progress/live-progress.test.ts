import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { type Recording, record } from '../views/recorded.testing.ts';
import { recordWeather } from '../views/weather.testing.ts';
import { emulateScreen } from './emulated-screen.testing.ts';
import { LOOP, longLoop, watch } from './watched.testing.ts';

describe('live progress', () => {
  it('leaves one line for each step that is over, and nothing of what was drawn in between', () => {
    const { stdout, stderr } = watch(recordWeather(), { mode: 'live' });
    expect(stdout).toBe('');
    expect(emulateScreen(stderr, 100).join('\n')).toMatchInlineSnapshot(`
      "  demo/weather execution e of demo.yaml
      ✓ start 11.3 s, 1 retry
      – archive skipped: not admitted by {{ workload.city == 'Bern' }}
      ✗ measure[1].read failed at demo.yaml:24:15: sensor: no value�[2J for� tue�
      ✓ measure 4.5 s, 3 items, 1 failed
        boss signal received from ada
      ✗ publish.send failed after 20 ms at demo.yaml:32:15: mail: the box is full⏎write less
      → publish the failure is handled, goes on with apologize
      ✓ apologize 0 ms
      ✓ demo/weather done in 15.8 s: 4 step runs, 1 skipped, 8 attempts, 1 retry, 3 iterations, 2 failures"
    `);
  });

  const seenAfter = (recording: Recording, name: ExecutionEvent['name'], nth = 1, columns = 100) => {
    const named = recording.events.filter((event) => event.name === name);
    const at = recording.events.indexOf(named[nth - 1] as ExecutionEvent);
    const some = { ...recording, events: recording.events.slice(0, at + 1) };
    return emulateScreen(watch(some, { mode: 'live', close: false, columns }).stderr, columns);
  };

  it('shows what is under way: a retry with its reason and time, a loop with its counts, a wait with its end', () => {
    const weather = recordWeather();
    expect(seenAfter(weather, 'task.waiting')).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "↻ start.fetch attempt 2 of 4 in 10 s: http.status: 503 Service Unavailable · 0 s",
        "  0 done · 1 under way · 0 s",
      ]
    `);
    expect(seenAfter(weather, 'loop.iteration.done', 2)).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "✓ start 11.3 s, 1 retry",
        "– archive skipped: not admitted by {{ workload.city == 'Bern' }}",
        "✗ measure[1].read failed at demo.yaml:24:15: sensor: no value�[2J for� tue�",
        "▸ measure 3/3 (100 %), 1 failed, 0 in flight, 0.7/s · 4 s",
        "  1 done · 1 skipped · 1 under way · 15 s",
      ]
    `);
    expect(seenAfter(weather, 'task.waiting', 2)).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "✓ start 11.3 s, 1 retry",
        "– archive skipped: not admitted by {{ workload.city == 'Bern' }}",
        "✗ measure[1].read failed at demo.yaml:24:15: sensor: no value�[2J for� tue�",
        "✓ measure 4.5 s, 3 items, 1 failed",
        "⧗ publish.approve waits for the approval 'boss': noetl exec signal e boss · 0 s",
        "  2 done · 1 skipped · 1 under way · 15 s",
      ]
    `);
  });

  const RETRIED_LOOP = LOOP.replace('N', '20').replace(
    'kind: noop',
    `kind: noop, spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, attempts: 4, delay: 10 } }] } }`,
  );
  const REASON =
    'GET https://api.example.org/v1/measurements?station=7&day=mon was answered with 503 Service Unavailable';
  const retriedLoop = (message: string, many: number) =>
    record(RETRIED_LOOP, {
      tools: { 'start.work': ({ path: [at = 0] }) => (at < many ? { error: { kind: 'http.status', message } } : {}) },
      until: ({ name, iteration_id }) => name === 'task.waiting' && iteration_id === `e:1:${many - 1}`,
    });

  it('tells in 80 columns why iterations of a loop retry, and when', () => {
    expect(seenAfter(retriedLoop('503 Service Unavailable', 2), 'task.waiting', 2, 80)).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "▸ start 0/20 (0 %), 10 in flight · 0 s · 2 waiting",
        "  ↻ [0].work attempt 2 of 4 in 10 s: http.status: 503 Service Unavailable",
        "  ↻ [1].work attempt 2 of 4 in 10 s: http.status: 503 Service Unavailable",
        "  0 done · 1 under way · 0 s",
      ]
    `);
    expect(seenAfter(retriedLoop(REASON, 1), 'task.waiting', 1, 80)).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "▸ start 0/20 (0 %), 10 in flight · 0 s · 1 waiting",
        "  ↻ [0].work attempt 2 of 4 in 10 s",
        "      http.status: GET https://api.example.org/v1/measurements?…ation=7&day=mon",
        "      was answered with 503 Service Unavailable",
        "  0 done · 1 under way · 0 s",
      ]
    `);
    const long = `${REASON}: ${'the sensor is being calibrated, '.repeat(5)}try again at noon`;
    expect(seenAfter(retriedLoop(long, 5), 'task.waiting', 5, 80)).toMatchInlineSnapshot(`
      [
        "  demo/weather execution e of demo.yaml",
        "▸ start 0/20 (0 %), 10 in flight · 0 s · 5 waiting",
        "  ↻ [0].work attempt 2 of 4 in 10 s",
        "      http.status: GET https://api.example.org/v1/measurements?station=7&day=m…",
        "      is being calibrated, the sensor is being calibrated, try again at noon",
        "  ↻ [1].work attempt 2 of 4 in 10 s",
        "      http.status: GET https://api.example.org/v1/measurements?station=7&day=m…",
        "      is being calibrated, the sensor is being calibrated, try again at noon",
        "  ↻ [2].work attempt 2 of 4 in 10 s",
        "      http.status: GET https://api.example.org/v1/measurements?station=7&day=m…",
        "      is being calibrated, the sensor is being calibrated, try again at noon",
        "  0 done · 1 under way · 0 s",
      ]
    `);
  });

  it('loses neither the reason nor the time of a retry to a narrow terminal or a long name', () => {
    for (const columns of [40, 60, 80]) {
      for (const recording of [recordWeather(), retriedLoop('503 Service Unavailable', 1)]) {
        const text = seenAfter(recording, 'task.waiting', 1, columns).join('').replaceAll(/ +/g, ' ');
        expect(text).toContain('attempt 2 of 4 in 10 s');
        expect(text).toContain('http.status: 503 Service Unavailable');
      }
    }
    const renamed = (text: string) => text.replaceAll('start', `start_${'x'.repeat(80)}_here`);
    const { playbook, events } = recordWeather();
    const named = { playbook, events: JSON.parse(renamed(JSON.stringify(events))), text: '' };
    expect(seenAfter(named, 'task.waiting', 1, 80).slice(-3)).toMatchInlineSnapshot(`
      [
        "↻ start_xxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxx_here.fetch attempt 2 in 10 s · 0 s",
        "    http.status: 503 Service Unavailable",
        "  0 done · 1 under way · 0 s",
      ]
    `);
  });

  it('names the data folder in the command that ends a wait, if the user named it', () => {
    const weather = recordWeather();
    const half = weather.events.slice(0, weather.events.findLastIndex(({ name }) => name === 'task.waiting') + 1);
    for (const mode of ['live', 'plain'] as const) {
      const { stderr } = watch({ ...weather, events: half }, { mode, close: false, columns: 200, data: 'my data' });
      expect(stderr).toContain("noetl exec signal e boss --data 'my data'");
    }
  });

  it('never breaks the command that ends a wait by a sign', () => {
    expect(seenAfter(recordWeather(), 'task.waiting', 2, 60).slice(-3)).toMatchInlineSnapshot(`
      [
        "⧗ publish.approve waits for the approval 'boss' · 0 s",
        "    noetl exec signal e boss",
        "  2 done · 1 skipped · 1 under way · 15 s",
      ]
    `);
  });

  it('keeps lines that are drawn again within the width of the terminal', () => {
    const rows = seenAfter(recordWeather(), 'task.waiting', 1, 30);
    expect(rows.slice(-4)).toMatchInlineSnapshot(`
      [
        "↻ s…h attempt 2 of 4 in 10 s…",
        "    http.status: 503 Service",
        "    Unavailable",
        "  0 done · 1 under way · 0 s",
      ]
    `);
    const start = { ...recordWeather(), events: recordWeather().events.slice(0, 5) };
    const unknown = watch(start, { mode: 'live', columns: 0, close: false }).stderr;
    expect(unknown).toContain('▸ start · 0 s');
  });

  it('draws ten rows, however many steps are under way', () => {
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const fan = `workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [${names.map((name) => `{ step: ${name} }`).join(', ')}] }
${names.map((name) => `  - step: ${name}\n    tool: { kind: noop }`).join('\n')}\n`;
    const wide = record(fan, { until: ({ name }) => name === 'task.started' });
    const rows = emulateScreen(watch(wide, { mode: 'live', close: false }).stderr, 100);
    expect(rows.slice(-3)).toEqual(['· s10 scheduled · 0 s', '  and 289 more', '  2 done · 299 under way · 0 s']);
    // The head, two lines of steps that are over, and the part that is drawn again.
    expect(rows).toHaveLength(3 + 12);
  });

  it('draws at most ten times a second, and does little for each of 100,000 iterations', () => {
    const { playbook, events } = longLoop(100_000);
    const begun = performance.now();
    const { writes, stderr } = watch({ playbook, events }, { mode: 'live', batch: 50 });
    const took = performance.now() - begun;
    // 10 s of events.
    expect(writes).toBeLessThan(110);
    expect(took).toBeLessThan(5000);
    expect(stderr).toMatch(/start \d+,\d+\/100,000 \(\d+ %\), 10 in flight, [\d,]+\/s, \d s left/);
  });

  it('shows at once where a resumed execution stands, and measures from there', () => {
    const { playbook, events } = longLoop(100_000);
    const half = { playbook, events: events.slice(50_000, 50_010) };
    const { stderr } = watch(half, { mode: 'live', before: (progress) => progress.recall(events.slice(0, 50_000)) });
    expect(stderr).toMatch(/^▸ start 49,995\/100,000 \(49 %\), 10 in flight · 0 s/);
    expect(stderr).toContain('49,996/100,000 (49 %), 10 in flight, 0.2/s, ');
  });

  it('says what is no event above what is under way, and nothing when it is over', () => {
    const weather = recordWeather();
    const some = { ...weather, events: weather.events.slice(0, 6) };
    const begun = watch(some, {
      mode: 'live',
      close: false,
      before: (progress) => progress.say('watching'),
    });
    expect(emulateScreen(begun.stderr, 100)[0]).toBe('watching');
    const over = watch(some, {
      mode: 'plain',
      before: (progress) => {
        progress.say('watching');
        progress.close();
        progress.say('too late');
      },
    });
    expect(over.stderr).toBe('watching\n');
  });
  it('has colours only where they are wanted', () => {
    expect(watch(recordWeather(), { mode: 'live' }).stderr).not.toMatch(/\u001b\[\d+m/);
    expect(watch(recordWeather(), { mode: 'live', color: true }).stderr).toContain('\u001b[32m✓ \u001b[0m');
  });

  it('lets nothing that a tool says steer the terminal', () => {
    for (const mode of ['live', 'plain'] as const) {
      const { stderr } = watch(recordWeather(), { mode });
      expect(stderr.replaceAll(/\u001b\[(\d+A|K|J)/g, '')).not.toMatch(/[^\P{Cc}\r\n]|\u202e/u);
    }
  });
});
