import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n';

/** The codes of a playbook, without those that say a step does nothing. */
function codes(text: string): string[] {
  return readPlaybook(HEAD + text, { file: 't.yaml' })
    .diagnostics.filter(({ code }) => code !== 'NOETL_STEP_EMPTY')
    .map(({ code }) => code);
}

/** Steps as `name: router`, each with a task that writes nothing. */
const net = (steps: Record<string, string>) =>
  `workload: { x: 1 }\nworkflow:\n${Object.entries(steps)
    .map(([name, rest]) => `  - { step: ${name}, tool: { kind: noop }, ${rest} }`)
    .join('\n')}\n`;

describe('cycles', () => {
  it.each([
    [
      'a failure arc that leaves',
      {
        start: `next: { arcs: [{ step: start }, { step: done, when: "{{ event.name == 'step.failed' }}" }] }`,
        done: 'desc: d',
      },
      [],
    ],
    [
      'admission',
      {
        start:
          'spec: { policy: { admit: { rules: [{ when: "{{ workload.x }}", then: { allow: true } }, { else: { then: { allow: false } } }] } } }, next: { arcs: [{ step: start }] }',
      },
      [],
    ],
    ['a guard', { start: 'next: { arcs: [{ step: start, when: "{{ workload.x }}" }] }' }, []],
    [
      'none',
      { start: 'next: { arcs: [{ step: b }] }', b: 'next: { arcs: [{ step: start }] }' },
      ['NOETL_CYCLE_WITHOUT_EXIT'],
    ],
    [
      'two arcs that both stay',
      {
        start: 'next: { arcs: [{ step: b, when: "{{ workload.x }}" }, { step: b }] }',
        b: 'next: { arcs: [{ step: start }] }',
      },
      ['NOETL_CYCLE_WITHOUT_EXIT'],
    ],
    [
      'one certain way round among others',
      {
        start: 'next: { spec: { mode: inclusive }, arcs: [{ step: b }, { step: c }] }',
        b: 'next: { arcs: [{ step: start }] }',
        c: 'next: { arcs: [{ step: start, when: "{{ workload.x }}" }] }',
      },
      ['NOETL_CYCLE_WITHOUT_EXIT'],
    ],
    [
      'a join that never starts',
      { start: 'next: { arcs: [{ step: b }] }', b: 'spec: { join: 2 }, next: { arcs: [{ step: b }] }' },
      ['NOETL_JOIN_STARVED'],
    ],
  ])('with %s as its way out', (_name, steps, expected) => {
    expect(codes(net(steps as Record<string, string>))).toEqual(expected);
  });
});

describe('reachability', () => {
  it('an arc that is never taken is no way in', () => {
    expect(codes(net({ start: 'next: { arcs: [{ step: a, when: false }] }', a: 'desc: d' }))).toEqual([
      'NOETL_STEP_UNREACHABLE',
    ]);
  });
  it('a bad guard does not hide a bad target', () => {
    expect(codes(net({ start: 'next: { arcs: [{ step: nowhere, when: x }] }' }))).toEqual([
      'NOETL_ARC_TARGET_UNKNOWN',
      'NOETL_WHEN_SHAPE',
    ]);
  });
  it('an arc to a step that is a number is checked like any other', () => {
    expect(codes(net({ start: 'next: { arcs: [{ step: 5 }] }' }))).toEqual(['NOETL_ARC_TARGET_UNKNOWN']);
  });
});

describe('races', () => {
  const writer = (name: string) =>
    `  - { step: ${name}, tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { k: 1 } } } }] } } } }`;
  const branches = (toFirst: string, toSecond: string) =>
    `workload: { x: 1 }\nworkflow:\n  - { step: start, next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }] } }\n  - { step: a, tool: { kind: noop }, next: { arcs: [{ step: w1${toFirst} }] } }\n  - { step: b, tool: { kind: noop }, next: { arcs: [{ step: w2${toSecond} }] } }\n${writer('w1')}\n${writer('w2')}\n`;
  /** Both branches go to the one writer. */
  const meeting = branches('', '')
    .replaceAll('w2', 'w1')
    .replace(/\n[^\n]*\n$/, '\n');
  it('writers behind guards may exclude each other', () => {
    expect(codes(branches(', when: "{{ workload.x }}"', ', when: "{{ not workload.x }}"'))).toEqual([]);
  });
  it('writers that may not be admitted may exclude each other', () => {
    const admit = (guard: string) =>
      `{ policy: { admit: { rules: [{ when: "{{ ${guard} }}", then: { allow: true } }, { else: { then: { allow: false } } }] } } }`;
    const text = branches('', '')
      .replace('step: w1, tool', `step: w1, spec: ${admit('workload.x')}, tool`)
      .replace('step: w2, tool', `step: w2, spec: ${admit('not workload.x')}, tool`);
    expect(codes(text)).toEqual([]);
  });
  it.each([
    ['runs only once, where they join', 'spec: { join: all }'],
    [
      'admits one of them',
      'spec: { policy: { admit: { rules: [{ when: "{{ ctx.k is defined }}", then: { allow: false } }] } } }',
    ],
  ])('a step that both branches reach %s', (_name, spec) => {
    expect(codes(meeting.replace('step: w1, tool', `step: w1, ${spec}, tool`))).toEqual([]);
  });
  it('a step that one of two exclusive arcs reaches runs once', () => {
    expect(codes(meeting)).toEqual(['NOETL_CTX_RACE']);
    expect(
      codes(meeting.replace('inclusive', 'exclusive').replace('step: a }', 'step: a, when: "{{ workload.x }}" }')),
    ).toEqual([]);
  });
  it('writers that both surely run are shown with their paths', () => {
    const { diagnostics } = readPlaybook(HEAD + branches('', ''), { file: 't.yaml' });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "ctx.k is written by 'w1' and by 'w2', which run beside each other: start → a → w1 and start → b → w2",
    ]);
  });
});

describe('jumps', () => {
  const pipeline = (...rules: string[]) =>
    `workflow:\n  - step: start\n    tool:\n      - fetch: { kind: noop, spec: { policy: { rules: [${rules.join(', ')}] } } }\n      - use: { kind: noop }\n`;
  it.each([
    [
      'continue',
      ['{ when: "{{ outcome.result.done }}", then: { do: continue } }', '{ else: { then: { do: jump, to: fetch } } }'],
      [],
    ],
    [
      'skip',
      ['{ when: "{{ outcome.result.done }}", then: { do: skip } }', '{ else: { then: { do: jump, to: fetch } } }'],
      [],
    ],
    [
      'retry, which fails in the end',
      [
        '{ when: "{{ outcome.status == \'error\' }}", then: { do: retry } }',
        '{ else: { then: { do: jump, to: fetch } } }',
      ],
      [],
    ],
    [
      'nothing',
      [
        '{ when: "{{ outcome.result.again }}", then: { do: jump, to: fetch } }',
        '{ else: { then: { do: jump, to: fetch } } }',
      ],
      ['NOETL_JUMP_WITHOUT_EXIT'],
    ],
  ])('that end by %s', (_name, rules, expected) => {
    expect(codes(pipeline(...(rules as string[])))).toEqual(expected);
  });
});

describe('names', () => {
  const task = (fields: string, workload = '{ message: hi }') =>
    `workload: ${workload}\nworkflow:\n  - step: start\n    tool: { kind: noop, ${fields} }\n`;
  it("a task's own args are not in scope while they are rendered", () => {
    expect(codes(task('args: { message: "{{ message }}" }'))).toEqual([]);
    expect(codes(task('args: { x: "{{ args.x }}" }'))).toEqual(['NOETL_NAME_ARGS']);
  });
  it.each([
    '{{ workload.c if workload.c is defined else 2 }}',
    '{% if workload.c is defined %}{{ workload.c }}{% endif %}',
    '{{ workload.c or 1 }}',
    '{{ (workload.c or {}).x }}',
    '{{ workload.c | default(1) }}',
  ])('%s provides for the absence', (template) => {
    expect(codes(task(`result: "${template}"`))).toEqual([]);
  });
  it('iter and the iterator do not exist while the outermost list is made', () => {
    const loop = (rest: string) =>
      `workflow:\n  - step: start\n    loop: ${rest}\n    tool: { kind: noop, result: "{{ iter.a }}" }\n`;
    expect(codes(loop('{ in: "{{ iter.x }}", iterator: a, loop: { in: "{{ iter.a }}", iterator: b } }'))).toEqual([
      'NOETL_NAME_MISPLACED',
    ]);
    expect(codes(loop('{ in: "{{ a }}", iterator: a }'))).toEqual(['NOETL_NAME_UNKNOWN']);
  });
  it('an unknown keychain name is reported beside other errors', () => {
    expect(codes('workflow:\n  - { step: start, desk: x, tool: { kind: http, url: "{{ keychain.kk }}" } }\n')).toEqual([
      'NOETL_KEY_UNKNOWN',
      'NOETL_NAME_KEYCHAIN',
    ]);
  });
  it('an entry of a wrong kind is still declared', () => {
    const text =
      'keychain: [{ name: kk, kind: nope }]\nworkflow:\n  - { step: start, tool: { kind: http, url: "{{ keychain.kk }}" } }\n';
    expect(codes(text)).toEqual(['NOETL_VALUE']);
  });
  it('every unknown filter and test of a template is reported', () => {
    expect(codes(task('result: "{{ 1 | frob }} {{ 1 is grob }}"'))).toEqual([
      'NOETL_TEMPLATE_NAME',
      'NOETL_TEMPLATE_NAME',
    ]);
  });
  it('a workbook task that does not exist is reported', () => {
    const text =
      'workbook: { clean: { kind: noop } }\nworkflow:\n  - { step: start, tool: { kind: workbook, name: cleen } }\n';
    expect(codes(text)).toEqual(['NOETL_TASK_FIELD']);
  });
});

describe('values', () => {
  it.each(['5', '{ a: 1 }', ''])('loop.in: %s is no list', (value) => {
    expect(
      codes(`workflow:\n  - step: start\n    loop:\n      in: ${value}\n      iterator: a\n    tool: { kind: noop }\n`),
    ).toContain('NOETL_TYPE');
  });
  it('blanks around a condition do not matter', () => {
    expect(codes(net({ start: 'next: { arcs: [{ step: end, when: " {{ workload.x }} " }] }' }))).toEqual([]);
    expect(codes(net({ start: 'next: { arcs: [{ step: end, when: "{{ workload.x }}{# c #}" }] }' }))).toEqual([
      'NOETL_WHEN_SHAPE',
    ]);
  });
  it('problems of the text and of the playbook are reported in one run', () => {
    const text =
      'workflow:\n  - { step: start, desc: a, desc: b, tool: { kind: nope } }\n  - { step: two, step: two, tool: { kind: noop, result: 9007199254740993 } }\n';
    expect(codes(text)).toEqual([
      'NOETL_YAML_DUPLICATE_KEY',
      'NOETL_TASK_KIND_UNKNOWN',
      'NOETL_YAML_DUPLICATE_KEY',
      'NOETL_YAML_NUMBER',
    ]);
  });
  it('size counts in bytes', () => {
    expect(
      codes(`workload: { a: "${'漢'.repeat(400_000)}" }\nworkflow: [{ step: start, tool: { kind: noop } }]\n`),
    ).toEqual(['NOETL_YAML_LIMIT']);
  });
});
