import { describe, expect, it } from 'vitest';
import { spanIdOf } from './span-id.ts';
import { readTraceparent, traceparent, traceparentForChild, traceparentOf } from './trace-context.ts';
import { traceIdOf } from './trace-id.ts';
import { planFrom, World } from './world.testing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const ASKED = `00-${TRACE}-${SPAN}-01`;

describe('the header traceparent', () => {
  it('is read as W3C Trace Context has it, and written again', () => {
    const context = readTraceparent(ASKED);
    expect(context).toEqual({ trace_id: TRACE, span_id: SPAN, sampled: true });
    expect(context && traceparent(context)).toBe(ASKED);
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)?.sampled).toBe(false);
    expect(readTraceparent(`00-${TRACE}-${SPAN}-03`)?.sampled).toBe(true);
    expect(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)?.trace_id).toBe(TRACE);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `${ASKED}, ${ASKED}`,
    `${ASKED}\n`,
  ])('is passed over where it is none: %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});

describe('an execution in a trace (EVT-2)', () => {
  const PLAN = planFrom('workflow: [{ step: start, tool: [{ call: { kind: playbook, path: child } }] }]');
  const asked = (request: object) => new World(PLAN).request({}, request);
  const requested = (world: World) => world.eventsNamed('playbook.execution.requested')[0]?.payload;
  const work = { run: 1, path: [] };
  const told = (world: World) => traceparentOf(world.state.request, work, { label: 'call', visit: 1 });
  const own = spanIdOf('e:1:call:1');

  it('goes on with the trace of who asked for it', () => {
    const payload = requested(asked({ traceparent: ASKED, traced: true }));
    expect(payload).toMatchObject({ trace_id: TRACE, traceparent: ASKED, traced: true });
  });

  it('has its own where what was sent is no header', () => {
    const payload = requested(asked({ traceparent: 'nonsense' }));
    expect(payload).toMatchObject({ trace_id: traceIdOf('e') });
    expect(payload).not.toHaveProperty('traceparent');
    expect(payload).not.toHaveProperty('traced');
  });

  it('tells others of the span of its task if it is recorded', () => {
    expect(told(asked({ traced: true }))).toBe(`00-${traceIdOf('e')}-${own}-01`);
    expect(told(asked({ traced: true, traceparent: ASKED }))).toBe(`00-${TRACE}-${own}-01`);
  });

  it('tells others of its caller if it is not, and of nothing if it has none', () => {
    expect(told(asked({ traceparent: ASKED }))).toBe(ASKED);
    expect(told(asked({ traceparent: ASKED, traced: false }))).toBe(ASKED);
    expect(told(asked({ traced: false }))).toBe(`00-${traceIdOf('e')}-${own}-00`);
    expect(told(asked({}))).toBeUndefined();
  });

  it('has its children below the task that calls them', () => {
    const world = asked({ traced: true }).run('1');
    expect(traceparentForChild(world.state, work)).toBe(`00-${traceIdOf('e')}-${own}-01`);
    expect(traceparentForChild(world.state, { run: 9, path: [] })).toBe(`00-${traceIdOf('e')}-${spanIdOf('e')}-01`);
  });
});
