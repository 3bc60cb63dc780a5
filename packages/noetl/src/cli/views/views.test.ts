import { type ExecutionEvent, stateAt, stateView } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { awaitedIn } from './awaited.ts';
import { createEndingFold } from './ending-fold.ts';
import { eventList, eventListJson } from './event-list.ts';
import { createExecutionFold } from './execution-fold.ts';
import { executionList, executionListJson } from './execution-list.ts';
import { explanation } from './explanation.ts';
import { logList, logListJson } from './log-list.ts';
import { placesOf } from './places.ts';
import { type Recording, record, START } from './recorded.testing.ts';
import { resultJson, resultText } from './result.ts';
import { statusJson, statusText } from './status.ts';
import { recordFailure, recordWeather } from './weather.testing.ts';

const PLAIN = { color: false, now: START + 20_000 };
/** All but line ends, which views write themselves. */
const STEERING = /[^\P{Cc}\n]|[\u202a-\u202e]/u;

const readingOf = ({ events }: Pick<Recording, 'events'>) => {
  const fold = createExecutionFold();
  fold.take(events);
  return { ...fold.read(), awaited: awaitedIn(stateView(stateAt(events, events.length))) };
};

/** Whoever reads along and whoever reads it later explain it the same way. */
function explain(recording: Recording): string {
  const { events, playbook, text: source } = recording;
  const options = { color: false, places: placesOf(playbook, 'demo.yaml'), source };
  const ending = createEndingFold();
  ending.take(events);
  const text = explanation(ending.read(), options);
  expect(explanation(readingOf(recording), options)).toBe(text);
  return text;
}

describe('the list of executions', () => {
  const ROW = {
    execution: 'e1',
    path: 'demo/weather',
    version: null,
    parent: undefined,
    requestedAt: START,
    position: 1234,
    origin: undefined,
  } as const;
  const rows = [
    { ...ROW, status: 'success', endedAt: START + 32_000 },
    { ...ROW, execution: 'e22\u001b[2J', status: 'running', endedAt: undefined },
    { ...ROW, execution: 'e3', status: 'error', endedAt: START + 1, origin: { execution: 'e1', position: 7 } },
  ] as const;

  it('is a table, newest first, with a way to the next page', () => {
    expect(executionList(rows, { ...PLAIN, more: 'noetl exec list --before 7' })).toMatchInlineSnapshot(`
      "EXECUTION  PLAYBOOK      STATUS   STARTED                 TIME  EVENTS
      e1         demo/weather  success  2026-01-01T00:00:00Z  32.0 s   1,234
      e22�[2J    demo/weather  running  2026-01-01T00:00:00Z  20.0 s   1,234
      e3         demo/weather  error    2026-01-01T00:00:00Z    1 ms   1,234  forked from e1 at event 7
      more: noetl exec list --before 7
      "
    `);
    expect(executionList([], PLAIN)).toBe('There are no executions.\n');
  });

  it('marks those that another execution called', () => {
    expect(
      executionList([{ ...rows[0], execution: 'e1-1-0-1-1', parent: 'e1' }, rows[0]], PLAIN),
    ).toMatchInlineSnapshot(`
      "EXECUTION   PLAYBOOK        STATUS   STARTED                 TIME  EVENTS
      e1-1-0-1-1  └ demo/weather  success  2026-01-01T00:00:00Z  32.0 s   1,234
      e1          demo/weather    success  2026-01-01T00:00:00Z  32.0 s   1,234
      "
    `);
  });

  it('is one line of JSON', () => {
    expect(JSON.parse(executionListJson(rows))).toEqual([
      {
        execution_id: 'e1',
        path: 'demo/weather',
        version: null,
        parent_execution_id: null,
        status: 'success',
        started_at: '2026-01-01T00:00:00.000Z',
        ended_at: '2026-01-01T00:00:32.000Z',
        duration_ms: 32_000,
        events: 1234,
      },
      expect.objectContaining({ execution_id: 'e22\u001b[2J', ended_at: null, duration_ms: null }),
      expect.objectContaining({ execution_id: 'e3', origin: { execution_id: 'e1', seq: 7 } }),
    ]);
  });
});

describe('the status of an execution', () => {
  it('tells the whole, the step runs with their loops, and the failures with their places', () => {
    const weather = recordWeather();
    const places = placesOf(weather.playbook, 'demo.yaml');
    const text = statusText(readingOf(weather), { ...PLAIN, places });
    expect(text).toMatchInlineSnapshot(`
      "execution  e
      playbook   demo/weather
      status     success after 15.8 s
      started    2026-01-01T00:00:00.000Z
      so far     4 step runs, 1 skipped, 8 attempts, 1 retry, 3 iterations, 2 failures

      RUN  STEP       STATUS     TIME
        1  start      done     11.3 s  2 attempts
        2  measure    done      4.5 s  3/3, 1 failed
        3  publish    failed    20 ms  2 attempts
        4  apologize  done       0 ms
           archive    skipped          admission.denied

      FAILURES
        ✗ measure[1].read at demo.yaml:24:15: sensor: no value�[2J for� tue�
        ✗ publish.send at demo.yaml:32:15: mail: the box is full⏎write less (handled by apologize)
      "
    `);
    expect(text).not.toMatch(STEERING);
  });

  it('tells of one that is under way what it waits for', () => {
    const { events } = recordWeather();
    const until = events.findLastIndex(({ name }) => name === 'task.waiting');
    const text = statusText(readingOf({ events: events.slice(0, until + 1) }), PLAIN);
    expect(text).toContain('status     running for 20.0 s\n');
    expect(text).toContain('  3  publish  waiting   4.2 s  approve: waits for approval boss\n');
    expect(text).toContain("WAITS\n  ⧗ publish.approve waits for the approval 'boss': noetl exec signal e boss\n");
  });

  it('is one line of JSON, with the same and more', () => {
    const weather = recordWeather();
    const status = JSON.parse(statusJson(readingOf(weather), placesOf(weather.playbook, 'demo.yaml')));
    expect(status).toMatchObject({
      execution_id: 'e',
      status: 'success',
      run_count: 4,
      failure_count: 2,
      runs: [{ step: 'start' }, { step: 'measure', loop: { total: 3, ok: 2, failed: 1 } }, {}, {}],
      failures: [
        { step: 'measure', path: '1', label: 'read', place: { file: 'demo.yaml', line: 24, column: 15 } },
        { step: 'publish', label: 'send', handledBy: ['apologize'] },
      ],
    });
  });
});

describe('events', () => {
  it('are one line each', () => {
    const { events } = recordWeather();
    const text = eventList(events, { color: false, more: 'noetl exec events e --after 49' });
    expect(text).toMatchInlineSnapshot(`
      "     1 2026-01-01T00:00:00.000Z playbook.execution.requested in_progress demo/weather {}
           2 2026-01-01T00:00:00.000Z playbook.request.evaluated   success     {"days":["mon","tue","wed"],"city":"Bern"}
           3 2026-01-01T00:00:00.000Z workflow.started             in_progress begins at start
           4 2026-01-01T00:00:00.000Z step.scheduled               in_progress start
           5 2026-01-01T00:00:00.000Z step.started                 in_progress start  on w
           6 2026-01-01T00:00:00.000Z task.started                 in_progress start.fetch  http {"url":"https://example.org"}
           7 2026-01-01T00:00:00.300Z task.done                    error       start.fetch  http.status: 503 Service Unavailable → retry in 10.0 s
           8 2026-01-01T00:00:00.300Z task.waiting                 in_progress start.fetch  for retry until 2026-01-01T00:00:10.300Z
           9 2026-01-01T00:00:10.300Z task.resumed                 in_progress start.fetch  by timer
          10 2026-01-01T00:00:10.300Z task.started                 in_progress start.fetch  http attempt 2 {"url":"https://example.org"}
          11 2026-01-01T00:00:11.300Z task.done                    success     start.fetch  {"station":7} → continue
          12 2026-01-01T00:00:11.300Z step.done                    success     start  {"station":7}
          13 2026-01-01T00:00:11.300Z next.evaluated               success     start  → measure, archive
          14 2026-01-01T00:00:11.300Z step.scheduled               in_progress measure
          15 2026-01-01T00:00:11.300Z loop.started                 in_progress measure  3 items, 2 at a time
          16 2026-01-01T00:00:11.300Z step.skipped                 skipped     archive  admission.denied {{ workload.city == 'Bern' }}
          17 2026-01-01T00:00:11.300Z loop.iteration.started       in_progress measure[0]  on w
          18 2026-01-01T00:00:11.300Z task.started                 in_progress measure[0].read  noop {}
          19 2026-01-01T00:00:12.800Z task.done                    success     measure[0].read  0 → continue
          20 2026-01-01T00:00:12.800Z loop.iteration.done          success     measure[0]  0
          21 2026-01-01T00:00:12.800Z loop.iteration.started       in_progress measure[1]  on w
          22 2026-01-01T00:00:12.800Z task.started                 in_progress measure[1].read  noop {}
          23 2026-01-01T00:00:14.300Z task.done                    error       measure[1].read  sensor: no value�[2J for� tue� → fail
          24 2026-01-01T00:00:14.300Z loop.iteration.failed        error       measure[1]  sensor: no value�[2J for� tue�
          25 2026-01-01T00:00:14.300Z loop.iteration.started       in_progress measure[2]  on w
          26 2026-01-01T00:00:14.300Z task.started                 in_progress measure[2].read  noop {}
          27 2026-01-01T00:00:15.800Z task.done                    success     measure[2].read  20 → continue
          28 2026-01-01T00:00:15.800Z loop.iteration.done          success     measure[2]  20
          29 2026-01-01T00:00:15.800Z loop.done                    success     measure  3 items: 2 ok, 1 failed
          30 2026-01-01T00:00:15.800Z next.evaluated               success     measure  → publish
          31 2026-01-01T00:00:15.800Z step.scheduled               in_progress publish
          32 2026-01-01T00:00:15.800Z step.started                 in_progress publish  on w
          33 2026-01-01T00:00:15.800Z task.started                 in_progress publish.approve  wait {"for":"approval","name":"boss"}
          34 2026-01-01T00:00:15.800Z task.waiting                 in_progress publish.approve  for approval boss
          35 2026-01-01T00:00:15.800Z signal.received              success     boss {"publish":true} by ada
          36 2026-01-01T00:00:15.800Z task.resumed                 in_progress publish.approve  by signal
          37 2026-01-01T00:00:15.800Z task.done                    success     publish.approve  {"payload":{"publish":true},"by":"ada","at":"2026-01-01T00:00:15.800Z"} → continue
          38 2026-01-01T00:00:15.800Z task.started                 in_progress publish.send  noop {}
          39 2026-01-01T00:00:15.820Z task.done                    error       publish.send  mail: the box is full⏎write less → fail
          40 2026-01-01T00:00:15.820Z step.failed                  error       publish  mail: the box is full⏎write less
          41 2026-01-01T00:00:15.820Z next.evaluated               success     publish  → apologize
          42 2026-01-01T00:00:15.820Z step.scheduled               in_progress apologize
          43 2026-01-01T00:00:15.820Z step.started                 in_progress apologize  on w
          44 2026-01-01T00:00:15.820Z task.started                 in_progress apologize.task_1  noop {"result":"sorry"}
          45 2026-01-01T00:00:15.820Z task.done                    success     apologize.task_1  "sorry" → continue
          46 2026-01-01T00:00:15.820Z step.done                    success     apologize  "sorry"
          47 2026-01-01T00:00:15.820Z next.evaluated               success     apologize  ends the branch
          48 2026-01-01T00:00:15.820Z workflow.finished            success     success
          49 2026-01-01T00:00:15.820Z playbook.processed           success     success "sorry"
      more: noetl exec events e --after 49
      "
    `);
    expect(text.split('\n')).toHaveLength(events.length + 2);
    expect(text).not.toMatch(STEERING);
  });

  it('that this release does not know are shown as they are', () => {
    const [event] = recordWeather().events;
    const unknown = { ...event, name: 'step.dreamt', payload: { of: 'sheep' } } as unknown as ExecutionEvent;
    expect(eventList([unknown], { color: false })).toBe(
      '     1 2026-01-01T00:00:00.000Z step.dreamt                  in_progress {"of":"sheep"}\n',
    );
  });

  it('are envelopes as JSON, exactly as they are stored', () => {
    const { events } = recordWeather();
    expect(
      eventListJson(events)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(events);
  });
});

describe('the result', () => {
  it('is text as it is, and anything else JSON over several lines', () => {
    expect(resultText('two\nlines \u001b[31m')).toBe('two\nlines \ufffd[31m\n');
    expect(resultText({ a: [1, 'x\u009b'] })).toBe('{\n  "a": [\n    1,\n    "x\\u009b"\n  ]\n}\n');
    expect(resultText(null)).toBe('null\n');
    const reference = {
      $noetl: 'reference',
      store: 'file',
      key: 'k',
      checksum: 'c',
      size: 100_000,
      schema_hint: 'list[9]',
    };
    expect(resultText(reference)).toBe('(reference to 100,000 bytes (list[9]))\n');
  });

  it('is one line of JSON, exactly', () => {
    expect(resultJson('two\nlines')).toBe('"two\\nlines"\n');
  });
});

describe('logs', () => {
  const LINE = { execution: 'e', attempt: 1, stream: 'stdout', at: START } as const;
  const rows = [
    { ...LINE, taskRun: 'e:1:fetch:1', text: 'hello' },
    { ...LINE, taskRun: 'e:2:0.3:read:1', stream: 'stderr', attempt: 2, text: 'one\ntwo\u001b[2J\n' },
    { ...LINE, taskRun: 'e:9:x:1', stream: 'noetl', text: 'the rest is not kept' },
  ] as const;

  it('are lines with the time, the task, the stream', () => {
    const steps = new Map([
      [1, 'start'],
      [2, 'measure'],
    ]);
    expect(logList(rows, { color: false, stepOf: (run) => steps.get(run) })).toMatchInlineSnapshot(`
      "2026-01-01T00:00:00.000Z start.fetch stdout | hello
      2026-01-01T00:00:00.000Z measure[0.3].read (attempt 2) stderr | one
      2026-01-01T00:00:00.000Z measure[0.3].read (attempt 2) stderr | two�[2J
      2026-01-01T00:00:00.000Z run 9.x noetl | the rest is not kept
      "
    `);
  });

  it('are one line of JSON each', () => {
    expect(JSON.parse(logListJson(rows).split('\n')[0] ?? '')).toEqual({
      execution_id: 'e',
      task_run_id: 'e:1:fetch:1',
      attempt: 1,
      stream: 'stdout',
      timestamp: '2026-01-01T00:00:00.000Z',
      text: 'hello',
    });
  });
});

describe('the explanation', () => {
  it('shows what failed, where in the playbook, after which attempts, and what to do', () => {
    expect(explain(recordFailure())).toMatchInlineSnapshot(`
      "failed: execution e after 300 ms

      load.get failed in attempt 3 at demo.yaml:10:11
      10 |           kind: http
         |           ^
      http.status: 503
        {"status":503}
        attempt 1 before: http.status: 501
        attempt 2 before: http.status: 502

        noetl exec events e               what happened, event by event
        noetl exec logs e                 what its tools printed
        noetl exec fork e --from-failure  try again what failed, as a new execution
      "
    `);
  });

  it('is empty after a success', () => {
    expect(explain(recordWeather())).toBe('');
  });

  it('names the iteration that a loop failed with', () => {
    const loop = record(
      `workflow:
  - step: start
    loop: { in: [a, b], iterator: x }
    tool: [{ work: { kind: python, code: "x" } }]
`,
      {
        tools: {
          'start.work': ({ path }) =>
            path[0] === 1
              ? {
                  error: {
                    kind: 'python.exception',
                    message: 'Traceback:\n  line 1\nNameError: \u001b[2Jx',
                    retryable: true,
                  },
                }
              : {},
        },
      },
    );
    const text = explain(loop);
    expect(text).toMatchInlineSnapshot(`
      "failed: execution e after 0 ms

      start[1].work failed at demo.yaml:7:20
      7 |     tool: [{ work: { kind: python, code: "x" } }]
        |                    ^
      python.exception: Traceback:
          line 1
        NameError: �[2Jx
        another attempt may end differently: a policy with 'do: retry' would make one

        noetl exec events e               what happened, event by event
        noetl exec logs e                 what its tools printed
        noetl exec fork e --from-failure  try again what failed, as a new execution
      "
    `);
    expect(text).not.toMatch(STEERING);
  });

  it('points at the arc whose condition could not be evaluated', () => {
    const arc = record(
      `workflow:
  - step: start
    tool: { kind: noop }
    next:
      arcs:
        - { step: last, when: "{{ 1 / workload.zero > 1 }}" }
  - step: last
`,
      { payload: { zero: 0 } },
    );
    expect(explain(arc)).toMatchInlineSnapshot(`
      "failed: execution e after 0 ms

      arc 1 of start could not be evaluated at demo.yaml:9:35
      9 |         - { step: last, when: "{{ 1 / workload.zero > 1 }}" }
        |                                   ^
      template: division by zero.

        noetl exec events e               what happened, event by event
        noetl exec logs e                 what its tools printed
        noetl exec fork e --from-failure  try again what failed, as a new execution
      "
    `);
  });

  it('says why a request could not be met', () => {
    expect(explain(record(`workload: { a: "{{ 1 / 0 }}" }\nworkflow:\n  - step: start\n`))).toMatchInlineSnapshot(`
      "rejected: execution e did not begin

      the request cannot be met at demo.yaml:4:20
      4 | workload: { a: "{{ 1 / 0 }}" }
        |                    ^
      template: division by zero.

        noetl exec events e  what happened, event by event
        noetl exec logs e    what its tools printed
      "
    `);
  });

  it("does not take a place in the file of a child for one in the caller's", () => {
    const error = { kind: 'template', message: '1:4 division by zero.\n{{ 1 / 0 }}\n   ^' };
    const details = { code: 'NOETL_TEMPLATE_VALUE', line: 1, column: 4, place: { line: 2, column: 9 } };
    const calling = (child: object) =>
      explain(
        record('workflow:\n  - step: start\n    tool: { kind: noop }\n', {
          tools: { 'start.task_1': () => ({ error: { ...error, details: { ...details, ...child } } }) },
        }),
      );
    expect(calling({})).toContain('start.task_1 failed at demo.yaml:2:9\n');
    expect(calling({ child: { execution_id: 'e-1', path: 'other' } })).toContain(
      'start.task_1 failed at demo.yaml:6:11\n',
    );
  });

  it('says who cancelled it, and how one that is not finished goes on', () => {
    const WAIT = `workflow:\n  - step: start\n    tool: { kind: wait, for: signal, name: go }\n`;
    const cancel = { kind: 'cancel', reason: 'wrong list', by: 'ada' } as const;
    expect(explain(record(WAIT, { inputs: [cancel] }))).toMatchInlineSnapshot(`
      "cancelled: execution e after 0 ms

      the execution was ended as a whole
      cancelled: the execution was cancelled: wrong list

        noetl exec events e  what happened, event by event
        noetl exec logs e    what its tools printed
      "
    `);
    expect(explain(record(WAIT))).toMatchInlineSnapshot(`
      "not finished: execution e is running

        noetl run --resume e  go on from its last event
        noetl exec events e   what happened, event by event
        noetl exec logs e     what its tools printed
      "
    `);
  });
});
