import { describe, expect, it } from 'vitest';
import { complaint, diagnose, HEAD, withSteps } from '../reading-playbooks.testing.ts';

const NOOP = 'tool: { kind: noop }';

/** The template in a result of the step `start`, in line 8. */
const inResult = (template: string, more = '') => `${HEAD}workload: { city: Oslo, size: 3 }
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: use, args: { row: 1 } }] }
  - step: use
    tool:
      kind: noop
      result: "${template}"
${more}`;

/** Codes only: where they stand is tested below. */
const codes = (text: string) => diagnose(text).map((line) => line.split(' ')[0]);

describe('TPL-5: a name that nothing provides', () => {
  it.each<[string, string, readonly string[]]>([
    ['workload has it', '{{ workload.city }}', []],
    ['workload has not', '{{ workload.town }}', ['NOETL_NAME_WORKLOAD']],
    ['workload has not, but there is a default', "{{ workload.town | default('x') }}", []],
    ['workload has not, but it is asked for', '{{ workload.town if workload.town is defined else 1 }}', []],
    ['workload as a whole', '{{ workload }}', []],
    ['ctx is never set', '{{ ctx.total }}', ['NOETL_NAME_CTX']],
    ['args is passed by an arc', '{{ args.row }}', []],
    ['args is passed by no arc', '{{ args.rwo }}', ['NOETL_NAME_ARGS']],
    ['results of a step', '{{ results.start }}', []],
    ['results of no step', '{{ results.strat }}', ['NOETL_NAME_UNKNOWN']],
    ['a bare name of workload', '{{ city }}', []],
    ['a bare name of args', '{{ row }}', []],
    ['a bare name of a step', '{{ start }}', []],
    ['a bare name of nothing', '{{ ctiy }}', ['NOETL_NAME_UNKNOWN']],
    ['a bare name of nothing with a default', '{{ ctiy | default(1) }}', []],
    [
      'a name set inside of the template',
      '{% set a = 1 %}{{ a }}{% for b in [1] %}{{ b }}{{ loop.index }}{% endfor %}',
      [],
    ],
    ['a global', '{{ range(3) | list }}', []],
    ['the names of a pipeline', '{{ execution_id }}{{ job.uuid }}{{ _prev }}{{ _task }}{{ _attempt }}', []],
  ])('%s', (_title, template, expected) => {
    expect(codes(inResult(template))).toEqual(expected);
  });

  it('stands at the name in the template, also behind escapes and in blocks', () => {
    expect(diagnose(inResult('a {{ workload.town }}'))).toEqual(['NOETL_NAME_WORKLOAD 12:21']);
    expect(diagnose(inResult('\\n\\u0041 {{ workload.town }}'))).toEqual(['NOETL_NAME_WORKLOAD 12:28']);
    const block = inResult('x').replace('result: "x"', 'result: |\n        one\n        {{ workload.town }}\n');
    expect(diagnose(block)).toEqual(['NOETL_NAME_WORKLOAD 14:12']);
  });

  it('proposes the name that was meant', () => {
    expect(complaint(inResult('{{ workload.ciyt }}'))).toBe(
      "'workload.ciyt' has no default in workload | Did you mean 'city'?",
    );
    expect(complaint(inResult('{{ args.rwo }}'))).toBe("'args.rwo' is passed by no arc | Did you mean 'row'?");
    expect(complaint(inResult('{{ ctiy }}'))).toBe("nothing provides 'ctiy' | Did you mean 'city'?");
    expect(complaint(inResult('{{ workload.xxxxxx }}'))).toContain(
      'Add xxxxxx to workload, or provide for its absence',
    );
  });

  it('ctx is provided by set_ctx and set_shared', () => {
    const setting = (then: string) => `${HEAD}workflow:
  - step: start
    loop: { in: [1], iterator: i }
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, ${then} } } }] } } }
    next: { arcs: [{ step: end, when: "{{ ctx.total > 1 }}" }] }
`;
    expect(diagnose(setting('set_ctx: { total: 1 }'))).toEqual([]);
    expect(diagnose(setting('set_shared: { total: { reduce: sum, value: 1 } }'))).toEqual([]);
    expect(codes(setting('set_ctx: { totl: 1 }'))).toEqual(['NOETL_NAME_CTX']);
  });

  it('args that a template makes may hold any name', () => {
    const text = `${HEAD}workflow:
  - step: start
    tool: { kind: noop, result: "{{ args.anything }}" }
    next: { arcs: [{ step: start, when: "{{ args.again }}", args: "{{ _all }}" }] }
`.replace('{{ _all }}', '{{ ctx }}');
    expect(diagnose(text)).toEqual([]);
  });

  it("a task's own args count as args", () => {
    const task = (args: string) => `${HEAD}workflow:
  - step: start
    tool: { kind: http, args: ${args}, url: "http://x/{{ args.id }}/{{ id }}" }
`;
    expect(diagnose(task('{ id: 1 }'))).toEqual([]);
    expect(codes(task('{ od: 1 }'))).toEqual(['NOETL_NAME_ARGS', 'NOETL_NAME_UNKNOWN']);
  });

  it('the payload of a child is not there yet while it is rendered', () => {
    const child = `${HEAD}workflow:\n  - step: start\n    tool: { kind: playbook, path: c, args: { x: "{{ args.x }}" } }\n`;
    expect(codes(child)).toEqual(['NOETL_NAME_ARGS']);
  });

  it('what a task of the workbook is given is known only at its calls', () => {
    const text = `${HEAD}workflow:
  - step: start
    tool: { kind: workbook, name: w, args: { row: 1 } }
workbook:
  w:
    kind: noop
    result: "{{ row }} {{ args.row }}"
    spec: { policy: { rules: [{ when: "{{ row }}", then: { do: break } }, { else: { then: { do: fail } } }] } }
`;
    expect(diagnose(text)).toEqual([]);
  });
});

describe('TPL-5: a bare name that fits two scopes', () => {
  it('is a warning that says which one wins', () => {
    const text = inResult('{{ size }}').replace('row: 1', 'size: 1');
    expect(codes(text)).toEqual(['NOETL_NAME_AMBIGUOUS']);
    expect(complaint(text)).toBe(
      "'size' is in args and in workload; args wins | Say which one: args.size or workload.size.",
    );
  });

  it('an iterator comes first', () => {
    const text = `${HEAD}workload: { city: Oslo }
workflow:
  - step: start
    loop: { in: [1], iterator: city }
    tool: { kind: noop, result: "{{ city }}" }
`;
    expect(complaint(text)).toContain("'city' is in iter and in workload; iter wins");
    expect(diagnose(text.replace('{{ city }}', '{{ iter.city }}'))).toEqual([]);
  });
});

describe('TPL-5: names that exist only in some places', () => {
  const at = {
    workload: (t: string) => `${HEAD}workload: { a: "${t}" }\nworkflow:\n  - step: start\n    ${NOOP}\n`,
    keychain: (t: string) =>
      `${HEAD}keychain: [{ name: k, kind: credential }, { name: l, kind: bearer, token: "${t}" }]\nworkflow:\n  - step: start\n    ${NOOP}\n`,
    admission: (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    spec: { policy: { admit: { rules: [{ when: "${t}", then: { allow: true } }] } } }\n    ${NOOP}\n`,
    'an arc': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    ${NOOP}\n    next: { arcs: [{ step: end, when: "${t}" }] }\n`,
    'arc args': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    ${NOOP}\n    next: { arcs: [{ step: end, args: { a: "${t}" } }] }\n`,
    'a loop': (t: string) => `${HEAD}workflow:\n  - step: start\n    loop: { in: "${t}", iterator: i }\n    ${NOOP}\n`,
    'an inner loop': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    loop: { in: [[1]], iterator: i, loop: { in: "${t}", iterator: j } }\n    ${NOOP}\n`,
    'a task': (t: string) =>
      `${HEAD}keychain: [{ name: k, kind: credential }]\nworkflow:\n  - step: start\n    tool: { kind: http, url: "${t}" }\n`,
    'a task in a loop': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    loop: { in: [1], iterator: i }\n    tool: { kind: http, url: "${t}" }\n`,
    'a result': (t: string) => `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop, result: "${t}" }\n`,
    'the payload of a child': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    tool: { kind: playbook, path: child, args: { a: "${t}" } }\n`,
    'the path of a child': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    tool: { kind: playbook, path: "${t}" }\n`,
    'the form of an approval': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    tool: { kind: wait, for: approval, name: go, form: { a: "${t}" } }\n`,
    'the payload of a child that the workbook starts': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    ${NOOP}\nworkbook: { w: { kind: playbook, path: child, args: { a: "${t}" } } }\n`,
    'a result in the workbook': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    ${NOOP}\nworkbook: { w: { kind: noop, result: "${t}" } }\n`,
    'a policy': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop, spec: { policy: { rules: [{ when: "${t}", then: { do: break } }, { else: { then: { do: fail } } }] } } }\n`,
    'a patch': (t: string) =>
      `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { a: "${t}" } } } }] } } }\n`,
  } as const;
  type Where = keyof typeof at;

  it.each<[string, readonly Where[], readonly Where[]]>([
    [
      '{{ outcome }}',
      ['a policy', 'a patch'],
      ['workload', 'admission', 'an arc', 'arc args', 'a loop', 'a task', 'a result'],
    ],
    [
      '{{ event }}',
      ['admission', 'an arc', 'arc args'],
      ['workload', 'a loop', 'a task', 'a result', 'a policy', 'a patch'],
    ],
    [
      '{{ iter.i }}',
      ['a task in a loop', 'an inner loop'],
      ['workload', 'admission', 'an arc', 'a loop', 'a task', 'a policy', 'a patch'],
    ],
    [
      '{{ keychain.k }}',
      ['keychain', 'a task'],
      [
        'workload',
        'admission',
        'an arc',
        'arc args',
        'a loop',
        'a result',
        'a result in the workbook',
        'a patch',
        'the payload of a child',
        'the path of a child',
        'the payload of a child that the workbook starts',
        'the form of an approval',
      ],
    ],
    [
      '{{ _prev }}',
      ['a task', 'a policy', 'a patch', 'a result', 'the payload of a child', 'the form of an approval'],
      ['workload', 'keychain', 'admission', 'an arc', 'arc args', 'a loop'],
    ],
    ['{{ _attempt }}', ['a task', 'a policy'], ['workload', 'an arc']],
    ['{{ ctx }}', ['admission', 'an arc', 'a loop', 'a task', 'a policy', 'a patch'], ['workload', 'keychain']],
    ['{{ execution_id }}', ['workload', 'keychain', 'admission', 'an arc', 'a loop', 'a task'], []],
  ])('%s', (template, good, bad) => {
    for (const where of good) expect([where, codes(at[where](template))]).toEqual([where, []]);
    for (const where of bad) expect([where, codes(at[where](template))]).toEqual([where, ['NOETL_NAME_MISPLACED']]);
  });

  it('is an error with its place and the reason', () => {
    const text = at['an arc']('{{ outcome.status }}');
    expect(diagnose(text)).toEqual(['NOETL_NAME_MISPLACED 7:43']);
    expect(complaint(text)).toBe("'outcome' cannot be read here | outcome exists only in the policy of a task.");
    expect(complaint(at['a result']('{{ keychain.k }}'))).toContain(
      'secrets never reach the server, a patch, a result or a child',
    );
  });
});

describe('TPL-5: the keychain', () => {
  const keychain = (entries: string, task = '{ kind: noop }') =>
    `${HEAD}keychain: [${entries}]\nworkflow:\n  - step: start\n    tool: ${task}\n`;
  it.each<[string, string, readonly string[]]>([
    ['an entry that exists', keychain('{ name: a, kind: credential }', '{ kind: http, url: "{{ keychain.a }}" }'), []],
    [
      'an entry that does not',
      keychain('{ name: a, kind: credential }', '{ kind: http, url: "{{ keychain.b }}" }'),
      ['NOETL_NAME_KEYCHAIN'],
    ],
    [
      'an entry before',
      keychain('{ name: a, kind: credential }, { name: b, kind: bearer, token: "{{ keychain.a }}" }'),
      [],
    ],
    [
      'an entry after',
      keychain('{ name: b, kind: bearer, token: "{{ keychain.a }}" }, { name: a, kind: credential }'),
      ['NOETL_NAME_KEYCHAIN'],
    ],
    ['itself', keychain('{ name: a, kind: bearer, token: "{{ keychain.a }}" }'), ['NOETL_NAME_KEYCHAIN']],
  ])('%s', (_title, text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  it('says what to do', () => {
    expect(complaint(keychain('{ name: token, kind: credential }', '{ kind: http, url: "{{ keychain.tokn }}" }'))).toBe(
      "the keychain has no entry 'tokn' | Did you mean 'token'?",
    );
    expect(
      complaint(keychain('{ name: b, kind: bearer, token: "{{ keychain.a }}" }, { name: a, kind: credential }')),
    ).toBe("the keychain has no entry 'a' before this one | Entries may use only those before them.");
  });
});

describe('parts of the iteration', () => {
  const loop = (inner: string, result: string) =>
    withSteps(`  - step: start
    loop: { in: [1], iterator: item${inner} }
    tool: { kind: noop, result: "{{ ${result} }}", spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { page: 1 } } } }] } } }
`);
  it.each(['iter.item', 'iter.index', 'iter._total', 'iter.page'])('%s is there', (name) => {
    expect(diagnose(loop('', name))).toEqual([]);
  });
  it.each(['iter.itme', 'iter.parent.item'])('%s is not', (name) => {
    expect(diagnose(loop('', name))).toEqual(['NOETL_NAME_UNKNOWN 7:37']);
  });
  it('iter.parent is there in a loop inside of another', () => {
    expect(diagnose(loop(', loop: { in: [2], iterator: other }', 'iter.parent.item + iter.other'))).toEqual([]);
  });
});

describe('credentials that a task names', () => {
  const text = (keychain: string, auth: string) =>
    `${HEAD}${keychain}workflow:\n  - step: start\n    tool: { kind: http, url: "http://x", auth: ${auth} }\n`;
  const keychain = 'keychain: [{ name: tok, kind: bearer, token: x }]\n';
  it('are declared, if anything is', () => {
    expect(diagnose(text(keychain, 'tok'))).toEqual([]);
    expect(diagnose(text(keychain, 'tokk'))).toEqual(['NOETL_NAME_UNKNOWN 7:48']);
    expect(diagnose(text(keychain, '{ source: tok, target: tokk }'))).toEqual(['NOETL_NAME_UNKNOWN 7:71']);
    expect(diagnose(text('', 'tokk'))).toEqual([]);
  });
});

it('a template in a key is not rendered', () => {
  const result = (value: string) => withSteps(`  - step: start\n    tool: { kind: noop, result: ${value} }\n`);
  expect(diagnose(result('{ a: { "{{ execution_id }}": 1 } }'))).toEqual(['NOETL_KEY_TEMPLATE 6:40']);
  expect(diagnose(result('{ a: "{{ execution_id }}" }'))).toEqual([]);
});
