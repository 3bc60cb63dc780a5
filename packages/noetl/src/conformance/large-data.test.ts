import type { ExecutionEvent } from '@noetl/engine';
import { type Json, type JsonMap, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { Case } from './case.testing.ts';
import { type CaseRun, runCase } from './run-case.testing.ts';

/** RES-1: whatever users do, the runner holds every event to 64 KiB, and the log to the live state. */
const run = async (yaml: string, script: Partial<Case['script']> = {}): Promise<readonly ExecutionEvent[]> =>
  (await runBoth(yaml, script)).events;

/** The execution, and its fork. */
function runBoth(yaml: string, script: Partial<Case['script']>): Promise<CaseRun> {
  const { playbook, diagnostics } = readPlaybook(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: case }\n${yaml}`,
    { file: 'case.yaml' },
  );
  if (playbook === undefined) throw new Error(JSON.stringify(diagnostics));
  const nothing = { editedPlaybook: undefined, expected: [], expectedFork: undefined };
  return runCase({ name: 'case', playbook, script: { sentence: '', ...script }, ...nothing });
}

const payloadOf = (events: readonly ExecutionEvent[], name: string): JsonMap =>
  events.findLast((event) => event.name === name)?.payload as unknown as JsonMap;

const many = (count: number, value: (index: number) => Json = (index) => index): JsonMap =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, value(index)]));

const ECHO = (result: string) => `
workflow:
  - step: start
    tool: { kind: noop, result: "{{ ${result} }}" }
`;

describe('many small values', () => {
  it('of a workload are one reference, which templates read', async () => {
    const events = await run(ECHO('[workload.key_7, key_9999, workload | length]'), { payload: many(10_000) });
    expect(payloadOf(events, 'playbook.request.evaluated').workload).toMatchObject({ $noetl: 'reference' });
    expect(payloadOf(events, 'playbook.processed').result).toEqual([7, 9999, 10_000]);
  });
  it('of args are one reference, which conditions, tasks and loops read', async () => {
    const events = await run(
      `
workflow:
  - step: start
    next: { arcs: [{ step: b, args: "{{ workload }}" }] }
  - step: b
    spec: { policy: { admit: { rules: [{ when: "{{ args.key_7 == 7 }}", then: { allow: true } }] } } }
    loop: { in: ["{{ args.key_7 }}", "{{ key_9 }}"], iterator: x }
    tool: { kind: noop, result: "{{ args.key_9999 + x }}" }
    next: { arcs: [{ step: c, when: "{{ args.key_3 == 3 }}" }] }
  - step: c
    tool: { kind: noop, result: "{{ args.key_1 }}" }
`,
      { payload: many(10_000) },
    );
    expect(payloadOf(events, 'loop.done').result).toEqual([10_006, 10_008]);
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ status: 'success', result: 1 });
  });
  /** A task that sets so many keys. */
  const sets = (label: string, count: number) => {
    const patch = Object.keys(many(count)).map((key) => `${label}_${key}: ${'v'.repeat(10)}`);
    const then = `{ do: continue, set_ctx: { ${patch.join(', ')} } }`;
    return `- ${label}: { kind: noop, spec: { policy: { rules: [{ else: { then: ${then} } }] } } }`;
  };
  it('that a loop holds are published in several events', async () => {
    const yaml = `
workflow:
  - step: start
    loop: { in: [0], iterator: x, spec: { mode: parallel } }
    tool:
      ${['a', 'b', 'c', 'd'].map((label) => sets(label, 1_000)).join('\n      ')}
    next: { arcs: [{ step: b }] }
  - step: b
    tool: { kind: noop, result: "{{ ctx | length }}" }
`;
    // A fork between two of them publishes the rest.
    const { events, fork = [] } = await runBoth(yaml, { controls: [{ after: { name: 'ctx.patched' }, do: 'fork' }] });
    const patches = ({ name }: ExecutionEvent) => name === 'ctx.patched';
    expect([events.filter(patches).length, fork.filter(patches).length]).toEqual([3, 2]);
    for (const log of [events, fork]) {
      expect(payloadOf(log, 'playbook.processed')).toMatchObject({ status: 'success', result: 4_000 });
    }
  });
  it('that one task sets fail it', async () => {
    const events = await run(`
workflow:
  - step: start
    tool:
      ${sets('a', 3_000)}
`);
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ error: { kind: 'limit.patch' } });
  });
});

describe('what is long', () => {
  const long = 'é\u0001'.repeat(100_000);
  it('in errors is cut or stored', async () => {
    const error = { kind: 'boom', message: long, details: { long } };
    const events = await run(ECHO('1'), { tools: [{ step: 'start', error, http: { headers: { long } } }] });
    const { error: told } = payloadOf(events, 'playbook.processed') as { error: JsonMap };
    expect(told).toMatchObject({ kind: 'boom', details: { $noetl: 'reference' } });
    expect(String(told.message).endsWith('…')).toBe(true);
  });
  it('in reasons and names is cut', async () => {
    const waits = 'workflow: [{ step: start, tool: { kind: wait, for: signal, name: s } }]';
    const events = await run(waits, {
      controls: [
        { at: 1, do: 'pause', reason: long, by: long },
        { at: 2, do: 'cancel', reason: long, by: long },
      ],
    });
    expect(String(payloadOf(events, 'playbook.paused').reason).length).toBe(1_001);
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ status: 'cancelled' });
  });
  it('in conditions and what they read is cut, or left out', async () => {
    const arc = (index: number) => `{ step: b, when: "{{ workload.v != ${index} and '${'x'.repeat(1_500)}' == '' }}" }`;
    const events = await run(
      `
workflow:
  - step: start
    next: { arcs: [${Array.from({ length: 100 }, (_, index) => arc(index)).join(', ')}] }
  - step: b
`,
      { payload: { v: 'x'.repeat(1_000) } },
    );
    const arcs = payloadOf(events, 'next.evaluated').arcs as readonly JsonMap[];
    expect(arcs.length).toBe(100);
    expect(arcs[0]).toHaveProperty('reads');
    expect(arcs[99]).not.toHaveProperty('reads');
  });
  it('in the edits of a fork is stored', async () => {
    const control = { after: { name: 'step.started' }, do: 'fork', edits: { workload: many(10_000) } } as const;
    await run(ECHO('workload.key_1 | default(0)'), { controls: [control] });
  });
});

describe('many iterations that end with another', () => {
  it('are a range', async () => {
    const events = await run(
      `
workflow:
  - step: start
    loop: { in: "{{ range(2000) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 2000 } }
    tool: { kind: python, code: "x" }
`,
      { slots: 1, tools: [{ step: 'start', iteration: 0, error: { kind: 'boom' } }] },
    );
    expect(payloadOf(events, 'loop.iteration.failed').dropped).toEqual(['1:1..1999']);
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ error: { kind: 'boom' } });
  });
});

describe('a result that is nested too deep', () => {
  it('is an error of its task (TPL-8)', async () => {
    let deep: Json = 1;
    for (let level = 0; level < 8_000; level++) deep = [deep];
    const events = await run(ECHO('1'), { tools: [{ step: 'start', ok: deep }] });
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ error: { kind: 'limit.depth' } });
  });
});

describe('the limit of ctx', () => {
  it('counts what is stored elsewhere (ENG-13)', async () => {
    const set = (key: string) =>
      `{ kind: python, code: "x", spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { ${key}: "{{ outcome.result }}" } } } }] } } }`;
    const events = await run(
      `
workflow:
  - step: start
    tool: [{ one: ${set('a')} }, { two: ${set('b')} }]
`,
      { limits: { ctx: 150_000 }, tools: [{ bytes: 100_000 }] },
    );
    expect(payloadOf(events, 'playbook.processed')).toMatchObject({ error: { kind: 'limit.ctx' } });
  });
});
