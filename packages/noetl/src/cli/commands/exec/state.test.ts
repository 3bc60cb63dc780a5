import { stateAt, stateView } from '@noetl/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../views/recorded.testing.ts';
import { recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

const HOSTILE = '\u001b[2J\u202e';
const HOSTILE_STEPS = `workload: { ${JSON.stringify(HOSTILE)}: ${JSON.stringify(HOSTILE)} }
workflow:
  - step: start
    next: { spec: { mode: inclusive }, arcs: [{ step: ${JSON.stringify(HOSTILE)}, args: { a: ${JSON.stringify(HOSTILE)} } }, { step: all }] }
  - step: ${JSON.stringify(HOSTILE)}
    tool: [{ wait_here: { kind: wait, for: signal, name: ${JSON.stringify(HOSTILE)} } }]
    next: { arcs: [{ step: all }] }
  - { step: all, spec: { join: all } }
`;

describe('exec state', () => {
  const weather = recordWeather();
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('weather', weather);
    await stored.keep('hostile', record(HOSTILE_STEPS));
    const loop = 'loop: { in: "{{ range(1000) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 500 } }';
    await stored.keep(
      'wide',
      record(`workflow: [{ step: start, ${loop}, tool: { kind: noop } }]`, {
        until: ({ name }) => name === 'loop.started',
      }),
    );
  });
  afterAll(() => stored.close());

  it('is the fold of the log, as of every event', async () => {
    for (const { seq, name, timestamp } of weather.events) {
      const { stdout, stderr, exitCode } = await stored.exec(['state', 'weather', '--at', String(seq), '--json']);
      expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
      const about = {
        execution_id: 'weather',
        path: 'demo/weather',
        version: null,
        position: weather.events.length,
        event: name,
        timestamp,
      };
      const state = JSON.parse(JSON.stringify(stateView(stateAt(weather.events, seq))));
      expect(JSON.parse(stdout)).toEqual({ ...about, ...state });
    }
  });

  it('tells tasks, attempts, waits, loops as counters, tokens, results and ctx', async () => {
    const at = async (name: string, step?: string) => {
      const event = weather.events.find(
        ({ name: found, payload }) =>
          found === name && (step === undefined || ('step' in payload && payload.step === step)),
      );
      return (await stored.exec(['state', 'weather', '--at', String(event?.seq)])).stdout;
    };
    expect(await at('task.waiting', 'start')).toMatchInlineSnapshot(`
      "execution  weather
      playbook   demo/weather
      event      8 of 49: task.waiting start.fetch 2026-01-01T00:00:00.300Z
      phase      running

      WORKLOAD
        days  ["mon","tue","wed"]
        city  "Bern"

      RUN  WORK   PHASE    TASK
        1  start  waiting  fetch  attempt 2, waits for retry until 2026-01-01T00:00:10.300Z
      "
    `);
    // The last task of the iteration is done, and the iteration has not said so yet.
    expect(await at('task.done', 'measure')).toContain('measure[0]  running  read  over, _prev 0');
    expect(await at('loop.iteration.done')).toMatchInlineSnapshot(`
      "execution  weather
      playbook   demo/weather
      event      20 of 49: loop.iteration.done measure[0] 2026-01-01T00:00:12.800Z
      phase      running

      WORKLOAD
        days  ["mon","tue","wed"]
        city  "Bern"

      RESULTS
        start  {"station":7}

      RUN  WORK        PHASE  TASK
        2  measure     loop         1/3 over, 2 in flight
        2  measure[1]  ready  read
        2  measure[2]  ready  read
      "
    `);
    expect(await at('task.waiting', 'publish')).toMatchInlineSnapshot(`
      "execution  weather
      playbook   demo/weather
      event      34 of 49: task.waiting publish.approve 2026-01-01T00:00:15.800Z
      phase      running

      WORKLOAD
        days  ["mon","tue","wed"]
        city  "Bern"

      RESULTS
        start    {"station":7}
        measure  [0,null,20]

      RUN  WORK     PHASE    TASK
        3  publish  waiting  approve  waits for approval boss
      "
    `);
  });

  it('is that of the newest event unless one is named', async () => {
    const { stdout } = await stored.exec(['state', 'weather']);
    expect(stdout).toContain(`${weather.events.length} of ${weather.events.length}: playbook.processed`);
  });

  it('shows the first of many, and says how many there are more', async () => {
    const { stdout } = await stored.exec(['state', 'wide']);
    expect(stdout).toContain('0/1,000 over, 500 in flight, next is 500');
    expect(stdout).toContain('and 481 more rows');
    expect(stdout.split('\n').length).toBeLessThan(40);
  });

  it('does not let names and values of users steer the terminal', async () => {
    const { stdout } = await stored.exec(['state', 'hostile']);
    expect(stdout).toContain('waits for signal \ufffd[2J\ufffd');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  });

  it('names the range of an event that is not there', async () => {
    const { exitCode, stdout, stderr } = await stored.exec(['state', 'weather', '--at', '999']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(`error: --at 999: the execution 'weather' has the events 1 to ${weather.events.length}.\n`);
    expect((await stored.exec(['state', 'weather', '--at', '0'])).exitCode).toBe(2);
    expect((await stored.exec(['state', 'nobody'])).stderr).toContain("has no execution 'nobody'");
  });
});
