import fc from 'fast-check';

/**
 * Small workflows with everything that can meet: loops, joins, cycles, failures, retries, writes. What a task comes to is
 * decided by the test; guards read only what does not depend on the order of arrival.
 */

const RULES = [
  '{ when: "{{ outcome.status == \'error\' and _attempt < 2 }}", then: { do: retry, attempts: 2, delay: 0 } }',
  '{ when: "{{ outcome.status == \'error\' }}", then: { do: retry, attempts: 2, delay: 9 } }',
  '{ when: "{{ outcome.result == 1 }}", then: { do: break } }',
  '{ when: "{{ outcome.result == 2 }}", then: { do: skip } }',
  '{ when: "{{ outcome.result == 3 }}", then: { do: fail } }',
];
const WRITES = [
  'set_ctx: { seen: "{{ outcome.status }}" }',
  'set_shared: { total: { reduce: sum, value: 1 }, all: { reduce: append, value: "{{ iter.index }}" } }',
];

const task = (inLoop: boolean) =>
  fc
    .record({
      rules: fc.subarray(RULES, { maxLength: 2 }),
      write: fc.option(fc.constantFrom(...(inLoop ? WRITES : WRITES.slice(0, 1))), { nil: undefined }),
    })
    .map(({ rules, write }) => {
      const last =
        write === undefined ? [] : [`{ when: "{{ outcome.status == 'ok' }}", then: { do: continue, ${write} } }`];
      const all = [...rules, ...last, '{ else: { then: { do: fail } } }'];
      const matching = rules.length + last.length === 0 ? '' : `, spec: { policy: { rules: [${withContinue(all)}] } }`;
      return `{ kind: noop${matching} }`;
    });

/** Without a rule that continues, a policy would fail every ok outcome. */
const withContinue = (rules: readonly string[]): string =>
  [
    ...rules.slice(0, -1),
    '{ when: "{{ outcome.status == \'ok\' }}", then: { do: continue } }',
    ...rules.slice(-1),
  ].join(', ');

const loop = fc
  .record({
    items: fc.integer({ min: 0, max: 4 }),
    inner: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    mode: fc.constantFrom('sequential', 'parallel'),
    window: fc.integer({ min: 1, max: 3 }),
    failure: fc.constantFrom('fail_fast', 'best_effort'),
  })
  .map(({ items, inner, mode, window, failure }) => {
    const list = JSON.stringify(Array.from({ length: items }, (_, index) => index));
    const spec = `spec: { mode: ${mode}, max_in_flight: ${window}, policy: { failure: ${failure} } }`;
    const nested =
      inner === undefined ? '' : `, loop: { in: ${JSON.stringify(Array(inner).fill(0))}, iterator: y, ${spec} }`;
    return `loop: { in: ${list}, iterator: x, ${spec}${nested} }`;
  });

const arc = (steps: number) =>
  fc
    .record({
      to: fc.integer({ min: 0, max: steps }),
      when: fc.constantFrom(
        '',
        ', when: "{{ event.name == \'step.failed\' }}"',
        ', when: "{{ (args.n or 0) < 2 }}"',
        ', when: "{{ event.status == \'success\' }}"',
      ),
    })
    .map(
      ({ to, when }) => `{ step: ${to === steps ? 'end' : `s${to}`}${when}, args: { n: "{{ (args.n or 0) + 1 }}" } }`,
    );

const step = (index: number, steps: number) =>
  fc
    .record({
      loop: fc.option(loop, { nil: undefined, freq: 2 }),
      labels: fc.integer({ min: 0, max: 2 }),
      join: fc.constantFrom('any', 'any', 'all', '2'),
      mode: fc.constantFrom('exclusive', 'inclusive'),
      arcs: fc.array(arc(steps), { maxLength: 3 }),
      onFailure: fc.constantFrom('event', 'all'),
    })
    .chain(({ loop, labels, join, mode, arcs, onFailure }) =>
      fc
        .array(task(loop !== undefined), { minLength: loop === undefined ? labels : Math.max(1, labels), maxLength: 2 })
        .map((tasks) =>
          [
            `  - step: ${index === 0 ? 'start' : `s${index}`}`,
            `    spec: { join: ${join} }`,
            ...(loop === undefined ? [] : [`    ${loop}`]),
            ...(tasks.length === 0 ? [] : ['    tool:', ...tasks.map((body, at) => `      - t${at}: ${body}`)]),
            ...(arcs.length === 0
              ? []
              : [
                  `    next: { spec: { mode: ${mode}, on_failure: ${onFailure} }, arcs: [${arcs.join(', ').replaceAll('step: s0', 'step: start')}] }`,
                ]),
          ].join('\n'),
        ),
    );

export const randomPlaybook = fc
  .integer({ min: 1, max: 5 })
  .chain((steps) => fc.tuple(...Array.from({ length: steps }, (_, index) => step(index, steps))))
  .map((steps) => `workflow:\n${steps.join('\n')}\n`);
