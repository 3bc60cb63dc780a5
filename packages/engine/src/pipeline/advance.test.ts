import { type Playbook, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../outcome.ts';
import { type Advance, advance as advanced, advanceWithoutBody as advancedWithoutBody } from './advance.ts';
import type { PipelineFrame } from './frame.ts';
import { type PipelineState, startPipeline } from './pipeline-state.ts';

/** The parts of an advance side by side. */
function flat({ checkpoint, state }: Advance) {
  const { directive, next, outcome, ...patches } = checkpoint;
  return { directive, next, outcome, patches, state };
}
const advance = (...given: Parameters<typeof advanced>) => flat(advanced(...given));
function advanceWithoutBody(...given: Parameters<typeof advancedWithoutBody>) {
  const advance = advancedWithoutBody(...given);
  return advance === undefined ? undefined : flat(advance);
}

/** A pipeline in a loop, written as in a playbook. */
function pipeline(tasks: string, more: Partial<PipelineFrame['parts']> = {}): PipelineFrame {
  const indented = tasks.replace(/^/gm, '      ');
  const text = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    loop: { in: [1], iterator: item }
    tool:
${indented}
`;
  const { playbook, diagnostics } = readPlaybook(text, { file: 't.yaml' });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (playbook === undefined) throw new Error(JSON.stringify(errors));
  return {
    tasks: (playbook as Playbook).workflow[0]?.tasks ?? [],
    parts: {
      workload: {},
      ctx: {},
      args: {},
      execution_id: 'e',
      job: {},
      results: {},
      iter: { item: 1, index: 0 },
      ...more,
    },
    workbook: new Map(),
    known: new Map(),
    unreadable: undefined,
    run: {},
    maxJumps: 3,
  };
}

const ok = (result: Outcome['result'] = null): Outcome => ({
  status: 'ok',
  result,
  meta: { attempt: 1, duration_ms: 1, ts: 't' },
});
const failed = (kind = 'boom'): Outcome => ({
  status: 'error',
  result: null,
  error: { kind, retryable: true, message: kind, details: {} },
  meta: { attempt: 1, duration_ms: 1, ts: 't' },
});

const task = (label: string, ...rules: string[]) =>
  rules.length === 0
    ? `- ${label}: { kind: noop }`
    : `- ${label}:\n    kind: noop\n    spec:\n      policy:\n        rules:\n${rules.map((rule) => `          - ${rule}`).join('\n')}`;
const when = (condition: string, then: string) => `{ when: "{{ ${condition} }}", then: { ${then} } }`;
const otherwise = (then: string) => `{ else: { then: { ${then} } } }`;
const start = (frame: PipelineFrame): PipelineState => startPipeline(frame.tasks[0]?.label ?? '');

describe('the outcome as rules see it (TOOL-1)', () => {
  const seen = (expression: string, outcome: Outcome) => {
    const frame = pipeline(task('a', otherwise(`do: continue, set_iter: { seen: "{{ ${expression} }}" }`)));
    const { patches, next } = advance(frame, start(frame), outcome);
    return next.kind === 'failed' ? next.error.message : patches.set_iter?.seen;
  };
  it.each([
    ['outcome.error', null],
    ['outcome.error is none', true],
    ['outcome.error is defined', true],
    ["outcome.error.kind | default('fine')", 'fine'],
    ["outcome.error.details.code | default('fine')", 'fine'],
    ['outcome.error.kind', expect.stringContaining("'outcome.error.kind' is undefined")],
  ])('has an error that is null if it is ok: {{ %s }}', (expression, value) => {
    expect(seen(expression, ok(7))).toEqual(value);
  });
  it.each([
    ['outcome.error.kind', 'boom'],
    ['outcome.error is none', false],
    ['outcome.result is none', true],
  ])('has its error if there is one: {{ %s }}', (expression, value) => {
    expect(seen(expression, failed())).toEqual(value);
  });
  it.each(['outcome.error', 'outcome.error.kind', "outcome.error.kind == 'boom'", 'outcome.error.retryable'])(
    'is asked about its error in a condition that is false if it is ok: {{ %s }}',
    (condition) => {
      const frame = pipeline(task('a', when(condition, 'do: fail'), otherwise('do: break')));
      expect(advance(frame, start(frame), ok()).directive.do).toBe('break');
      expect(advance(frame, start(frame), failed()).directive.do).toBe('fail');
    },
  );
  it('is recorded without an error if it has none', () => {
    const frame = pipeline(task('a', when('outcome.error is none', 'do: break')));
    expect(advance(frame, start(frame), ok()).outcome).toEqual(ok());
  });
});

describe('without a policy (ENG-10)', () => {
  const frame = pipeline(`${task('a')}\n${task('b')}`);
  it('an ok outcome continues and becomes _prev', () => {
    const step = advance(frame, start(frame), ok(7));
    expect(step.directive).toEqual({ do: 'continue', rule: 'default' });
    expect(step.next).toEqual({ kind: 'task', label: 'b', position: 1 });
    expect(step.state.prev).toBe(7);
  });
  it('the last task ends the pipeline with its result', () => {
    const { state } = advance(frame, start(frame), ok(7));
    const last = advance(frame, state, ok(8));
    expect(last.next).toEqual({ kind: 'done' });
    expect(last.state.prev).toBe(8);
  });
  it('an error fails the pipeline with its cause', () => {
    expect(advance(frame, start(frame), failed('http.status')).next).toMatchObject({
      kind: 'failed',
      error: { kind: 'http.status' },
    });
  });
});

describe('rules (ENG-10)', () => {
  it('the first match wins', () => {
    const frame = pipeline(
      task(
        'a',
        when('outcome.result > 1', 'do: break'),
        when('outcome.result > 0', 'do: fail'),
        otherwise('do: continue'),
      ),
    );
    expect(advance(frame, start(frame), ok(2)).directive).toEqual({ do: 'break', rule: 0 });
    expect(advance(frame, start(frame), ok(1)).directive).toEqual({ do: 'fail', rule: 1 });
    expect(advance(frame, start(frame), ok(0)).directive).toEqual({ do: 'continue', rule: 2 });
  });
  it('no match continues, recorded as unmatched, also after an error', () => {
    const frame = pipeline(`${task('a', when("outcome.status == 'never'", 'do: fail'))}\n${task('b')}`);
    const step = advance(frame, start(frame), failed());
    expect(step.directive).toEqual({ do: 'continue', rule: 'unmatched' });
    expect(step.next).toEqual({ kind: 'task', label: 'b', position: 1 });
    expect(step.state.prev).toBeNull();
  });
  it('a template error fails the pipeline, never counts as false (TPL-4)', () => {
    const frame = pipeline(task('a', when('outcome.result + none', 'do: break'), otherwise('do: continue')));
    expect(advance(frame, start(frame), ok(1)).next).toMatchObject({
      kind: 'failed',
      error: {
        kind: 'template',
        details: {
          code: 'NOETL_TEMPLATE_TYPE',
          line: 1,
          column: 4,
          place: expect.objectContaining({ line: expect.any(Number) }),
        },
      },
    });
  });
  it('an undefined condition is false (TPL-4)', () => {
    const frame = pipeline(task('a', when('outcome.nothing.there', 'do: fail'), otherwise('do: break')));
    expect(advance(frame, start(frame), ok(1)).directive.do).toBe('break');
  });
});

describe('retry (ENG-10)', () => {
  const rules = (more: string) =>
    task('a', when("outcome.status == 'error'", `do: retry, ${more}`), otherwise('do: continue'));
  const delays = (more: string, tries: number) => {
    const frame = pipeline(rules(more));
    const found: number[] = [];
    let state = start(frame);
    for (let i = 0; i < tries; i++) {
      const step = advance(frame, state, failed());
      if (step.next.kind === 'retry') found.push(step.next.seconds);
      state = step.state;
    }
    return found;
  };
  it.each([
    ['attempts: 4, delay: 2', [2, 2, 2]],
    ['attempts: 4, delay: 2, backoff: linear', [2, 4, 6]],
    ['attempts: 5, delay: 2, backoff: exponential', [2, 4, 8, 16]],
    ['attempts: 5, delay: 2, backoff: exponential, max_delay: 5', [2, 4, 5, 5]],
    ['backoff: none', [1, 1]],
  ])('%s waits %j', (more, expected) => {
    expect(delays(more, 10)).toEqual(expected);
  });
  it('attempts: N is N tries in all, then the task fails with its own error', () => {
    const frame = pipeline(rules('attempts: 2'));
    const first = advance(frame, start(frame), failed('timeout'));
    expect(first.state.attempt).toBe(2);
    expect(advance(frame, first.state, failed('timeout')).next).toMatchObject({
      kind: 'failed',
      error: { kind: 'timeout' },
    });
  });
  it('leaves _prev alone, also when it retries an ok outcome', () => {
    const frame = pipeline(
      `${task('z')}\n${task('a', when('outcome.result < 3', 'do: retry'), otherwise('do: continue'))}`,
    );
    const { state } = advance(frame, start(frame), ok('before'));
    expect(advance(frame, state, ok(1)).state.prev).toBe('before');
  });
  it('a jump starts a new visit with attempts of its own', () => {
    const frame = pipeline(
      `${task('a', when("outcome.status == 'error'", 'do: retry, attempts: 2'), otherwise('do: continue'))}\n${task('b', otherwise('do: jump, to: a'))}`,
    );
    let state = start(frame);
    for (let visit = 1; visit <= 3; visit++) {
      expect(state.visits.a).toBe(visit);
      expect(state.attempt).toBe(1);
      const tried = advance(frame, state, failed());
      expect(tried.next.kind).toBe('retry');
      state = advance(frame, advance(frame, tried.state, ok()).state, ok()).state;
    }
  });
});

describe('jump, break, fail (ENG-12, ENG-13)', () => {
  it('a jump goes to its label and keeps the result as _prev', () => {
    const frame = pipeline(`${task('a', otherwise('do: jump, to: c'))}\n${task('b')}\n${task('c')}`);
    const step = advance(frame, start(frame), ok(5));
    expect(step.next).toEqual({ kind: 'task', label: 'c', position: 2 });
    expect(step.state).toMatchObject({ position: 2, prev: 5, jumps: 1, visits: { a: 1, c: 1 } });
  });
  it('break ends the pipeline with the result', () => {
    const frame = pipeline(`${task('a', otherwise('do: break'))}\n${task('b')}`);
    const step = advance(frame, start(frame), ok(5));
    expect(step.next).toEqual({ kind: 'done' });
    expect(step.state.prev).toBe(5);
  });
  it('fail on an ok outcome says that a rule did it', () => {
    const frame = pipeline(task('a', otherwise('do: fail')));
    expect(advance(frame, start(frame), ok()).next).toMatchObject({ kind: 'failed', error: { kind: 'policy.fail' } });
  });
  it('too many jumps end in limit.jumps', () => {
    const frame = pipeline(task('a', when('outcome.result', 'do: break'), otherwise('do: jump, to: a')));
    let state = start(frame);
    for (let i = 0; i < 3; i++) state = advance(frame, state, ok(0)).state;
    expect(advance(frame, state, ok(0)).next).toMatchObject({ kind: 'failed', error: { kind: 'limit.jumps' } });
  });
});

describe('skip (ENG-11)', () => {
  const frame = pipeline(
    `${task('z')}\n${task('a', when('workload.off', 'do: skip, set_iter: { skipped: true }'), when('outcome.result', 'do: skip'), otherwise('do: continue'))}\n${task('b')}`,
    { workload: { off: true } },
  );
  const second = advance(frame, start(frame), ok('before')).state;
  it('before the body: the body does not run, _prev stays, patches apply', () => {
    const step = advanceWithoutBody(frame, second);
    expect(step).toMatchObject({
      directive: { do: 'skip', rule: 0 },
      next: { kind: 'task', label: 'b', position: 2 },
      patches: { set_iter: { skipped: true } },
    });
    expect(step?.state.prev).toBe('before');
  });
  it('a rule that reads outcome, or else, ends the look ahead', () => {
    const on = { ...frame, parts: { ...frame.parts, workload: { off: false } } };
    expect(advanceWithoutBody(on, second)).toBeUndefined();
    const elseSkips = pipeline(task('a', otherwise('do: skip')));
    expect(advanceWithoutBody(elseSkips, start(elseSkips))).toBeUndefined();
  });
  it('a match that is no skip ends the look ahead too', () => {
    const breaks = pipeline(
      task('a', when('workload.off', 'do: break'), when('true', 'do: skip'), otherwise('do: continue')),
      { workload: { off: true } },
    );
    expect(advanceWithoutBody(breaks, start(breaks))).toBeUndefined();
  });
  it('after the body: the task counts as successful and leaves _prev', () => {
    const on = { ...frame, parts: { ...frame.parts, workload: { off: false } } };
    const step = advance(on, second, ok('mine'));
    expect(step.directive).toEqual({ do: 'skip', rule: 1 });
    expect(step.state.prev).toBe('before');
  });
});

describe('patches (ENG-9)', () => {
  it('set_iter and set_ctx are read by later tasks of the pipeline, set_shared is contributed', () => {
    const frame = pipeline(
      `${task('a', otherwise('do: continue, set_iter: { page: "{{ outcome.result + 1 }}" }, set_ctx: { seen: "{{ iter.item }}" }, set_shared: { total: { reduce: sum, value: "{{ outcome.result }}" } }'))}\n${task('b', when('iter.page == 3 and ctx.seen == 1', 'do: break'), otherwise('do: fail'))}`,
    );
    const step = advance(frame, start(frame), ok(2));
    expect(step.patches).toEqual({
      set_iter: { page: 3 },
      set_ctx: { seen: 1 },
      set_shared: [{ key: 'total', reduce: 'sum', value: 2 }],
    });
    expect(advance(frame, step.state, ok()).directive.do).toBe('break');
  });
  it('never changes the parts it was given', () => {
    const frame = pipeline(task('a', otherwise('do: continue, set_ctx: { x: 2 }')), { ctx: Object.freeze({ x: 1 }) });
    const step = advance(frame, start(frame), ok());
    expect(step.state.ctx).toEqual({ x: 2 });
    expect(frame.parts.ctx).toEqual({ x: 1 });
  });
  it('a checkpoint survives JSON', () => {
    const frame = pipeline(`${task('a', otherwise('do: continue, set_ctx: { big: "{{ 2 ** 64 }}" }'))}\n${task('b')}`);
    const { state } = advance(frame, start(frame), ok({ n: 1 }));
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});
