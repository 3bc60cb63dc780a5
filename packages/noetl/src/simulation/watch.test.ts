import { type ExecutionEvent, initialState } from '@noetl/engine';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ToolCall } from '../tools/define-tool.ts';
import type { SimulatedProcess } from './process.testing.ts';
import { PLAIN } from './simpler-story.testing.ts';
import { createSimulation } from './simulate.testing.ts';
import { createSometimes } from './sometimes.testing.ts';
import { faultless } from './story.testing.ts';
import type { Invariant } from './violation.testing.ts';
import { Violation } from './violation.testing.ts';
import { createWatch } from './watch.testing.ts';
import type { LoopSegment } from './workflow.testing.ts';

const LOOP: LoopSegment = {
  kind: 'loop',
  mode: 'parallel',
  window: 2,
  items: 4,
  inner: 0,
  failure: 'fail_fast',
  body: 'tasks',
  signal: '',
  tasks: [{ ...PLAIN, bytes: 70_000 }],
  failing: -1,
  writes: 'nothing',
  rescued: false,
};

/** A log as it should be: a loop with large results. */
let log: readonly ExecutionEvent[];
let results: ReadonlyMap<string, string>;

beforeAll(async () => {
  const story = faultless({ workflow: { segments: [LOOP] }, child: { segments: [] } });
  const { ending } = await createSimulation()(story, createSometimes());
  log = ending.watch.executions.get('x0')?.events ?? [];
  results = ending.results;
});

const process = (start: number): SimulatedProcess => ({ start }) as SimulatedProcess;
const FIRST = process(1);
const DEAD = process(9);
let time = 0;
const GOING = new AbortController().signal;

/** A watch, and a log that it reads. */
function watching({ secret, stored = results }: { secret?: string; stored?: ReadonlyMap<string, string> } = {}) {
  const histories = new Map<string, string[]>();
  const watch = createWatch({
    secret,
    eventsPerDecision: 500,
    histories,
    results: stored,
    sometimes: createSometimes(),
    now: () => time,
    isDead: (start) => start === DEAD.start,
  });
  const write = (events: readonly ExecutionEvent[], by = FIRST): void => {
    const history = histories.get('x0') ?? [];
    histories.set('x0', history);
    for (const event of events) history[event.seq - 1] = JSON.stringify(event);
    for (const event of events) if (event.name === 'task.started') watch.begun(by, callOf(event), GOING);
    for (const event of events) if (event.name === 'task.started') watch.ended(by, callOf(event));
    watch.appended(by, [{ execution: 'x0', expected: 0, events, under: [], unclaimed: [] }], [{ kind: 'appended' }]);
  };
  return { watch, write, histories };
}

/** One object for each call, as the ledger knows them. */
const calls = new Map<string, ToolCall>();
function callOf({ task_run_id: key = '', step = 'start' }: ExecutionEvent & { readonly step?: string }): ToolCall {
  const path = /^x0:\d+:([\d.]+):t/.exec(key)?.[1]?.split('.').map(Number) ?? [];
  const call =
    calls.get(key) ?? ({ key, path, visit: 1, attempt: 1, step, task: { label: 't0' } } as unknown as ToolCall);
  calls.set(key, call);
  return call;
}

/** The log with everything after its first event of that name replaced. */
const upTo = (name: ExecutionEvent['name']): readonly ExecutionEvent[] =>
  log.slice(0, log.findIndex((event) => event.name === name) + 1);

/** An event once more, as the next. */
const again = (events: readonly ExecutionEvent[], name: ExecutionEvent['name']): ExecutionEvent => {
  const event = events.find((one) => one.name === name);
  if (event === undefined) throw new Error(`there is no ${name}`);
  return { ...event, seq: events.length + 1, event_id: `x0:${events.length + 1}` };
};

const breaks = (invariant: Invariant, act: () => void): void => {
  let broken: unknown;
  try {
    act();
  } catch (error) {
    broken = error;
  }
  expect(broken).toBeInstanceOf(Violation);
  expect((broken as Violation).invariant).toBe(invariant);
};

describe('the watch over a simulated log', () => {
  it('has nothing against a log as it should be', () => {
    const { watch, write } = watching();
    write(log);
    expect(watch.open).toBe(0);
    expect(log.map(({ name }) => name)).toContain('loop.done');
  });

  it('sees that a position is missing', () => {
    const { write } = watching();
    const [first, , third] = log;
    breaks('positions have no gaps', () => write([first, third].filter((event) => event !== undefined)));
  });

  it.each([
    ['task.done', 'task.done comes once'],
    ['loop.iteration.done', 'loop.done and other boundaries come once'],
    ['loop.done', 'loop.done and other boundaries come once'],
  ] as const)('sees a second %s', (name, invariant) => {
    const { write } = watching();
    const begun = upTo(name);
    write(begun);
    breaks(invariant, () => write([again(begun, name)]));
  });

  it('sees a second playbook.processed', () => {
    const { write } = watching();
    write(log);
    breaks('workflow.finished and playbook.processed come once', () => write([again(log, 'playbook.processed')]));
  });

  it('sees work that is scheduled when the workflow is finished', () => {
    const { write } = watching();
    const finished = upTo('workflow.finished');
    write(finished);
    breaks('nothing is dispatched after the end', () => write([again(finished, 'step.scheduled')]));
  });

  it('sees a tool that is called by a process that was told of the end', () => {
    const { watch, write } = watching();
    write(log);
    const finished = log.find(({ name }) => name === 'workflow.finished');
    watch.committed(FIRST, finished === undefined ? [] : [finished], { ...initialState, seq: 0 });
    const call = callOf(again(log, 'task.started'));
    breaks('nothing is dispatched after the end', () => watch.begun(FIRST, call, GOING));
  });

  it('sees more iterations scheduled than the window has room for', () => {
    const { write } = watching();
    const opened = upTo('loop.started').map((event) =>
      event.name === 'loop.started' ? { ...event, payload: { ...event.payload, max_in_flight: 1 } } : event,
    );
    breaks('max_in_flight is never exceeded', () => write(opened));
  });

  it('sees an event that somebody was told of, and that the log does not have', () => {
    const { watch, write } = watching();
    write(log.slice(0, 2));
    breaks('no acknowledged event is lost', () => watch.committed(FIRST, log.slice(2, 3), initialState));
  });

  it('sees a state that is not what the log folds to', () => {
    const { watch, write } = watching();
    write(log);
    const other = { ...initialState, phase: 'processed' as const, seq: log.length };
    breaks('replay equals state', () => watch.committed(FIRST, log.slice(-1), other));
  });

  it('sees an old driver write', () => {
    const { watch, write } = watching();
    watch.drove(FIRST, ['x0'], [true]);
    write(log.slice(0, 2));
    watch.drove(process(2), ['x0'], [true]);
    breaks('an old driver never writes', () => write(log.slice(2, 3), FIRST));
  });

  it('sees a process that takes an execution from another that is alive', () => {
    const { watch } = watching();
    watch.beat(FIRST, 100);
    watch.drove(FIRST, ['x0'], [true]);
    time += 99;
    breaks('work has one lease at a time', () => watch.drove(process(2), ['x0'], [true]));
  });

  it.each([
    ['has not beaten for too long', 100, 100, FIRST],
    ['has said that it ends', 0, 0, FIRST],
    ['is dead', 100, 0, DEAD],
  ])('has nothing against a process that follows one that %s', (_, ttl, later, before) => {
    const { watch } = watching();
    watch.beat(before, ttl);
    watch.drove(before, ['x0'], [true]);
    time += later;
    watch.drove(process(2), ['x0'], [true]);
  });

  it('sees a tool that is called by a process that took the execution when it was over', () => {
    const { watch, write } = watching();
    write(log);
    watch.drove(process(2), ['x0'], [true]);
    const call = callOf(again(log, 'task.started'));
    breaks('nothing is dispatched after the end', () => watch.begun(process(2), call, GOING));
  });

  it('sees a reference to bytes that are gone, or are others', () => {
    expect(results.size).toBeGreaterThan(0);
    breaks('every reference resolves', () => watching({ stored: new Map() }).write(log));
    const damaged = new Map([...results].map(([key, text]) => [key, text.replace('x', 'y')]));
    breaks('every reference resolves', () => watching({ stored: damaged }).write(log));
  });

  it('sees a payload that is too large', () => {
    const [first, ...others] = log;
    if (first?.name !== 'playbook.execution.requested') throw new Error('that is no request');
    const large = { ...first, payload: { ...first.payload, payload: { text: 'x'.repeat(70_000) } } };
    breaks('no payload is over the inline limit', () => watching().write([large as ExecutionEvent, ...others]));
  });

  it.each([
    's3cret & "more"',
    Buffer.from('s3cret & "more"').toString('base64'),
    encodeURIComponent('s3cret & "more"'),
    Buffer.from('ada:s3cret & "more"').toString('base64url'),
    Buffer.from('s3cret & "more"').toString('hex'),
  ])('sees a secret in a line, as %s', (text) => {
    const { watch } = watching({ secret: 's3cret & "more"' });
    breaks('no secret is written', () => watch.written(FIRST, `sent ${text}`));
  });

  it('sees a secret in an event', () => {
    breaks('no secret is written', () => watching({ secret: 'playbook.execution' }).write(log));
  });

  it('sees a control that was taken, and changed nothing', () => {
    const { watch, write } = watching();
    write(log.slice(0, 4));
    watch.left(1, 'x0', { kind: 'cancel', reason: null, by: null });
    breaks('no acknowledged control is lost', () => watch.deleted(FIRST, [1]));
  });

  it('sees a signal that is received more often than it was sent', () => {
    const { watch, write } = watching();
    const begun = log.slice(0, 4);
    write(begun);
    watch.left(1, 'x0', { kind: 'signal', name: 'go', payload: null, by: null });
    const received = (seq: number): ExecutionEvent =>
      ({
        ...again(begun, 'workflow.started'),
        seq,
        event_id: `x0:${seq}`,
        name: 'signal.received',
        payload: { name: 'go', payload: null, by: null, input: 1 },
      }) as ExecutionEvent;
    write([received(5)]);
    breaks('a signal counts once', () => write([received(6)]));
  });
});

describe('the ledger of the tools', () => {
  it('sees a checkpoint of work that no tool has done', () => {
    const { watch, histories } = watching();
    histories.set(
      'x0',
      log.map((event) => JSON.stringify(event)),
    );
    const append = { execution: 'x0', expected: 0, events: log, under: [], unclaimed: [] };
    breaks('every checkpoint has its call, with one key for each visit', () =>
      watch.appended(FIRST, [append], [{ kind: 'appended' }]),
    );
  });

  it('sees a visit that is called with two keys', () => {
    const { watch } = watching();
    const call = { ...callOf(again(log, 'task.started')) };
    watch.begun(FIRST, call, GOING);
    watch.ended(FIRST, call);
    breaks('every checkpoint has its call, with one key for each visit', () =>
      watch.begun(FIRST, { ...call, key: `${call.key}0` }, GOING),
    );
  });

  it('sees a process that runs the same work twice at a time', () => {
    const { watch } = watching();
    const call = { ...callOf(again(log, 'task.started')) };
    watch.begun(FIRST, call, GOING);
    breaks('work has one lease at a time', () => watch.begun(FIRST, { ...call }, GOING));
  });

  it('lets work begin anew where the first was told to stop, and has not come to it yet', () => {
    const { watch } = watching();
    const call = { ...callOf(again(log, 'task.started')) };
    watch.begun(FIRST, call, AbortSignal.abort());
    watch.begun(FIRST, { ...call }, GOING);
    expect(watch.ledger.callsOf(call.key)).toBe(2);
  });

  it('sees more iterations running than the window has room for', () => {
    const { watch, write } = watching();
    write(upTo('loop.started'));
    const iteration = (index: number): ToolCall =>
      ({
        key: `x0:1:${index}:t0:1`,
        path: [index],
        visit: 1,
        attempt: 1,
        task: { label: 't0' },
      }) as unknown as ToolCall;
    watch.begun(FIRST, iteration(0), GOING);
    watch.begun(FIRST, iteration(1), GOING);
    breaks('max_in_flight is never exceeded', () => watch.begun(FIRST, iteration(2), GOING));
  });
});
