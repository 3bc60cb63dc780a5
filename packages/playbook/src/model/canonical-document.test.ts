import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { HEAD, playbookOf, withSteps } from '../reading-playbooks.testing.ts';
import { canonicalDocument } from './canonical-document.ts';

const EXAMPLES = new URL('../../../../examples/', import.meta.url);
const examples = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .sort();

/** JSON is YAML: the canonical document can be read again. */
const canonicalText = (text: string): string => JSON.stringify(canonicalDocument(playbookOf(text)), null, 2);

describe.each(examples)('the example %s', (file) => {
  const text = readFileSync(new URL(file, EXAMPLES), 'utf8');

  it('has no diagnostics', () => {
    expect(readPlaybook(text, { file }).diagnostics).toEqual([]);
  });

  it('normalising twice changes nothing', () => {
    const once = canonicalText(text);
    expect(canonicalText(once)).toBe(once);
    expect(readPlaybook(once, { file }).diagnostics).toEqual([]);
  });
});

describe('DOC-6: the three forms of tool', () => {
  const body =
    'kind: http, url: "http://x/{{ workload.a }}", spec: { timeout: 3, policy: { rules: [{ else: { then: { do: fail } } }] } }';
  const forms = {
    'one task': `{ ${body} }`,
    'a list of tasks': `[{ name: task_1, ${body} }]`,
    'a list of labelled tasks': `[{ task_1: { ${body} } }]`,
  };
  it.each(Object.entries(forms))('%s gives the same playbook', (_name, form) => {
    const text = (tool: string) => `${HEAD}workload: { a: 1 }\nworkflow:\n  - step: start\n    tool: ${tool}\n`;
    expect(canonicalText(text(form))).toBe(canonicalText(text(forms['one task'])));
  });

  it('also with several tasks, mixed', () => {
    const text = (tool: string) => withSteps(`  - step: start\n    tool: ${tool}\n`);
    const labelled = canonicalText(text('[{ a: { kind: noop } }, { task_2: { kind: noop } }, { c: { kind: noop } }]'));
    expect(canonicalText(text('[{ name: a, kind: noop }, { kind: noop }, { name: c, kind: noop }]'))).toBe(labelled);
    expect(canonicalText(text('[{ a: { kind: noop } }, { kind: noop }, { name: c, kind: noop }]'))).toBe(labelled);
  });

  it('a task may be labelled kind', () => {
    const once = canonicalText(withSteps('  - step: start\n    tool: [{ name: kind, kind: noop }]\n'));
    expect(canonicalText(once)).toBe(once);
  });
});

describe('shorthands and defaults', () => {
  it('are written out', () => {
    const text = `${HEAD}workbook: [{ name: w, kind: noop }]
workflow:
  - step: start
    loop: { in: [1], iterator: i }
    tool: { kind: noop, spec: { policy: { rules: [{ else: , then: { do: retry } }] } } }
    next: { arcs: [{ step: end, when: true }] }
`;
    expect(canonicalDocument(playbookOf(text))).toEqual({
      apiVersion: 'noetl.io/v2',
      kind: 'Playbook',
      metadata: { name: 'x', path: 'x', labels: {}, tags: [] },
      executor: { profile: 'local', version: 'noetl-runtime/2', spec: { entry_step: 'start' } },
      keychain: [],
      workload: {},
      workbook: { w: { kind: 'noop', spec: {} } },
      workflow: [
        {
          step: 'start',
          spec: { join: 'any' },
          loop: {
            in: [1],
            iterator: 'i',
            spec: { mode: 'sequential', max_in_flight: 10, policy: { exec: 'local', failure: 'fail_fast' } },
          },
          tool: [
            {
              task_1: {
                kind: 'noop',
                spec: {
                  policy: { rules: [{ else: { then: { do: 'retry', attempts: 3, backoff: 'none', delay: 1 } } }] },
                },
              },
            },
          ],
          next: { spec: { mode: 'exclusive', on_failure: 'event' }, arcs: [{ step: 'end', when: true }] },
        },
      ],
    });
  });
});

describe('normalising twice changes nothing', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'fetch', 'é', '1');
  const data = fc.letrec<{ data: unknown }>((tie) => ({
    data: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(
        1,
        -0.5,
        true,
        null,
        '',
        'text',
        '{{ workload.a }}',
        'a {{ ctx.b | default(1) }}',
        '1.0',
        '- x: #',
      ),
      fc.array(tie('data'), { maxLength: 3 }),
      fc.dictionary(name, tie('data'), { maxKeys: 3 }),
    ),
  })).data;
  const when = fc.constantFrom<unknown>(true, false, '{{ ctx.a is defined }}', '{{ workload.a > 1 }}');
  const then = fc.oneof(
    fc.record(
      {
        do: fc.constant('retry'),
        attempts: fc.integer({ min: 2, max: 9 }),
        backoff: fc.constantFrom('none', 'linear', 'exponential'),
        delay: fc.constantFrom<unknown>(0, 2.5, '{{ _attempt }}'),
        max_delay: fc.constant(60),
      },
      { requiredKeys: ['do'] },
    ),
    fc.record(
      { do: fc.constantFrom('continue', 'break', 'fail', 'skip'), set_ctx: fc.dictionary(name, data, { maxKeys: 2 }) },
      { requiredKeys: ['do'] },
    ),
  );
  const rules = fc
    .tuple(fc.array(fc.record({ when, then }), { maxLength: 3 }), then, fc.boolean())
    .map(([list, last, inside]) => [...list, inside ? { else: { then: last } } : { else: null, then: last }]);
  const layer = fc.record(
    {
      timeout: fc.constantFrom<unknown>(1, { connect: 1, read: 2 }),
      result: fc.constant({ store: 'file' }),
      http: fc.constant({ timeout: 9 }),
    },
    { requiredKeys: [] },
  );
  const task = fc
    .tuple(
      fc.record(
        { kind: fc.constant('noop'), desc: fc.constant('d'), args: fc.dictionary(name, data), result: data },
        { requiredKeys: ['kind'] },
      ),
      layer,
      fc.option(rules),
    )
    .map(([body, spec, list]) => ({
      ...body,
      spec: { ...spec, ...(list === null ? {} : { policy: { rules: list } }) },
    }));
  const tool = fc.oneof(
    task,
    fc
      .uniqueArray(fc.tuple(name, task), { selector: ([label]) => label, minLength: 1, maxLength: 3 })
      .map((tasks) => tasks.map(([label, body], i) => (i % 2 === 0 ? { [label]: body } : { name: label, ...body }))),
  );
  const loop = fc.record(
    {
      in: fc.constantFrom<unknown>([1, 2], '{{ workload.a }}'),
      iterator: fc.constantFrom('item', 'row'),
      spec: fc.record(
        {
          mode: fc.constantFrom('sequential', 'parallel'),
          max_in_flight: fc.integer({ min: 1, max: 5 }),
          policy: fc.constantFrom({}, { exec: 'distributed' }, { failure: 'best_effort' }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['in', 'iterator'] },
  );
  const arc = fc.record(
    { step: fc.constantFrom('start', 'second', 'end'), when, args: fc.dictionary(name, data, { maxKeys: 2 }) },
    { requiredKeys: ['step'] },
  );
  const next = fc.record(
    {
      spec: fc.record(
        { mode: fc.constantFrom('exclusive', 'inclusive'), on_failure: fc.constantFrom('all', 'event') },
        { requiredKeys: [] },
      ),
      arcs: fc.array(arc, { maxLength: 3 }),
    },
    { requiredKeys: ['arcs'] },
  );
  const stepSpec = fc
    .tuple(
      layer,
      fc.record(
        {
          join: fc.constantFrom<unknown>('any', 'all', 2),
          pool: fc.constant('gpu'),
          step_timeout: fc.constant(5),
          policy: fc.constant({
            admit: { rules: [{ when: true, then: { allow: true } }, { else: { then: { allow: false } } }] },
          }),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([outer, own]) => ({ ...outer, ...own }));
  const step = (called: string) =>
    fc.record(
      { step: fc.constant(called), desc: fc.constant('d'), spec: stepSpec, loop, tool, next },
      { requiredKeys: ['step', 'tool'] },
    );
  const playbook = fc.record(
    {
      apiVersion: fc.constant('noetl.io/v2'),
      kind: fc.constant('Playbook'),
      metadata: fc.record(
        {
          name: fc.constant('x'),
          path: fc.constant('a/b'),
          version: fc.constantFrom<unknown>('1.0', 2),
          labels: fc.constant({ a: 'b' }),
          tags: fc.constant(['t']),
        },
        { requiredKeys: ['name'] },
      ),
      executor: fc.record(
        { profile: fc.constantFrom('local', 'distributed'), version: fc.constant('noetl-runtime/2'), spec: layer },
        { requiredKeys: [] },
      ),
      keychain: fc.constant([{ name: 'k', kind: 'bearer', token: '{{ workload.a }}' }]),
      workload: fc.dictionary(name, data, { maxKeys: 3 }).map((values) => ({ ...values, a: 1 })),
      workbook: fc.oneof(
        fc.dictionary(fc.constantFrom('w', 'v'), task, { maxKeys: 2 }),
        task.map((body) => [{ name: 'w', ...body }]),
      ),
      workflow: fc.tuple(step('start'), step('second')),
    },
    { requiredKeys: ['apiVersion', 'kind', 'metadata', 'workflow'] },
  );

  it('in generated playbooks', () => {
    let accepted = 0;
    fc.assert(
      fc.property(playbook, (document) => {
        const { playbook: read } = readPlaybook(JSON.stringify(document), { file: 'x.json' });
        if (read === undefined) return;
        accepted++;
        const once = JSON.stringify(canonicalDocument(read));
        expect(JSON.stringify(canonicalDocument(playbookOf(once)))).toBe(once);
      }),
      { seed: 20_260_301, numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(150);
  });
});
