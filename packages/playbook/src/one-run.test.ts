import { describe, expect, it } from 'vitest';
import { diagnose, HEAD, withSteps, withTask } from './reading-playbooks.testing.ts';

const codes = (text: string) => diagnose(text).map((line) => line.split(' ')[0]);
const step = (rest: string) => withSteps(`  - step: start\n${rest}`);
const READS = 'tool: { kind: noop, result: "{{ workload.nope }} {{ ctx.nope }} {{ args.nope }} {{ nope }}" }';
const ALL_NAMES = ['NOETL_NAME_WORKLOAD', 'NOETL_NAME_CTX', 'NOETL_NAME_ARGS', 'NOETL_NAME_UNKNOWN'];

describe('DOC-11: all problems of a file are reported in one run', () => {
  it('a task without a known kind is still looked at', () => {
    const text = step(`    tool:
      - a: { kind: htp, spec: { policy: { rules: [{ when: true, then: {} }] } } }
      - b: { url: x, spec: { policy: [1] }, foo: "{{ 1 | nofilter }}" }
      - a: { kind: 5 }
`);
    expect(codes(text)).toEqual([
      'NOETL_TASK_KIND_UNKNOWN',
      'NOETL_DIRECTIVE_MISSING',
      'NOETL_REQUIRED',
      'NOETL_POLICY_SHAPE',
      'NOETL_TEMPLATE_NAME',
      'NOETL_LABEL_DUPLICATE',
      'NOETL_TASK_KIND_UNKNOWN',
    ]);
  });

  it('names and paths are checked beside an error that has nothing to do with them', () => {
    const text = withSteps(`  - step: start
    tool: { kind: noop, reslt: 1, result: "{{ workload.nmae }} {{ ctx.x }}" }
  - step: lost
    tool: { kind: noop }
`);
    expect(codes(text)).toEqual([
      'NOETL_KEY_UNKNOWN',
      'NOETL_NAME_WORKLOAD',
      'NOETL_NAME_CTX',
      'NOETL_STEP_UNREACHABLE',
    ]);
  });

  it.each([
    ['metadata without a name', `${HEAD.replace('name: x', '')}workflow:\n  - step: start\n    ${READS}\n`],
    ['a workflow without an entry', withSteps(`  - step: go\n    ${READS}\n`)],
    ['an unknown key at the root', `${HEAD}extra: 1\nworkflow:\n  - step: start\n    ${READS}\n`],
  ])('names are checked beside %s', (_title, text) => {
    const [, ...found] = codes(text);
    expect(found).toEqual(ALL_NAMES);
  });

  it('rules and arcs are checked beside an error elsewhere', () => {
    const text = withSteps(`  - step: start
    tool: { kind: noop, reslt: 1, spec: { policy: { rules: [{ when: false, then: { do: retry } }, { else: { then: { do: fail } } }] } } }
    next: { arcs: [{ step: start }, { step: b }] }
  - step: b
    tool: { kind: htp }
`);
    expect(codes(text)).toEqual([
      'NOETL_CYCLE_WITHOUT_EXIT',
      'NOETL_KEY_UNKNOWN',
      'NOETL_RETRY_NEVER',
      'NOETL_ARC_SHADOWED',
      'NOETL_STEP_UNREACHABLE',
      'NOETL_TASK_KIND_UNKNOWN',
    ]);
  });
});

describe('DOC-11: an error gives no false alarm elsewhere', () => {
  const reading = (name: string) => `  - step: use\n    tool: { kind: noop, result: "{{ ${name} }}" }\n`;
  const TO_USE = '    next: { arcs: [{ step: use }] }\n';
  it.each([
    [
      'a workload that is no mapping',
      `${HEAD}workload: 5\nworkflow:\n  - step: start\n    tool: { kind: noop, result: "{{ workload.a }} {{ a }}" }\n`,
    ],
    [
      'a workload under another name',
      `${HEAD}wrkload: { a: 1 }\nworkflow:\n  - step: start\n    tool: { kind: noop, result: "{{ workload.a }} {{ a }}" }\n`,
    ],
    [
      'a policy that cannot be read',
      step(`    tool: { kind: noop, spec: { policy: [{ set_ctx: { a: 1 } }] } }\n${TO_USE}${reading('ctx.a')}`),
    ],
    [
      'a rule that cannot be read',
      step(
        `    tool: { kind: noop, spec: { policy: { rules: [{ then: { do: continue, set_ctx: { a: 1 } } }] } } }\n${TO_USE}${reading('ctx.a')}`,
      ),
    ],
    [
      'rules beside spec',
      step(
        `    tool: { kind: noop, policy: { rules: [{ else: { then: { do: continue, set_ctx: { a: 1 } } } }] } }\n${TO_USE}${reading('ctx.a')}`,
      ),
    ],
    [
      'a misspelt tool',
      step(
        `    tol: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { a: 1 } } } }] } } }\n${TO_USE}${reading('ctx.a')}`,
      ),
    ],
    [
      'a misspelt next',
      step(`    tool: { kind: noop }\n    nxt: { arcs: [{ step: use, args: { a: 1 } }] }\n${reading('args.a')}`),
    ],
    [
      'a router that is a list',
      step(`    tool: { kind: noop }\n    next: [{ step: use, args: { a: 1 } }]\n${reading('args.a')}`),
    ],
    ['an arc to nowhere', step(`    tool: { kind: noop }\n    next: { arcs: [{ step: usee }] }\n${reading('1')}`)],
    [
      'a misspelt guard',
      step(
        `    tool: { kind: noop }\n    next: { arcs: [{ step: use, whn: "{{ a }}" }, { step: start }] }\n${reading('1')}`,
      ),
    ],
    ['a loop without iterator', step('    loop: { in: [1] }\n    tool: { kind: noop, result: "{{ item }}" }\n')],
    [
      'a keychain that is a mapping',
      `${HEAD}keychain: { a: { kind: bearer } }\nworkflow:\n  - step: start\n    tool: { kind: http, url: "{{ keychain.a }}" }\n`,
    ],
    [
      'a task of the workbook of no known kind',
      `${HEAD}workbook: { clean: { kind: nop } }\nworkflow:\n  - step: start\n    tool: { kind: workbook, name: clean }\n`,
    ],
    [
      'a task of the workbook that is text',
      `${HEAD}workbook: { clean: noop }\nworkflow:\n  - step: start\n    tool: { kind: workbook, name: clean }\n`,
    ],
    [
      'a task that jumps know and that is text',
      step(
        '    tool:\n      - a: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: jump, to: task_2 } } }] } } }\n      - noop\n',
      ),
    ],
    [
      'a break that cannot be read',
      step(
        '    tool:\n      - a: { kind: noop, spec: { policy: { rules: [{ when: x, then: { do: break } }, { else: { then: { do: jump, to: a } } }] } } }\n',
      ),
    ],
    [
      'two steps of one name',
      withSteps(`  - step: start\n    tool: { kind: noop }\n  - step: start\n${TO_USE}${reading('1')}`),
    ],
    ['code in a task of no known kind', withTask('{ kind: pythn, code: "{{ not a template" }')],
    [
      'a join that cannot be read',
      withSteps(
        '  - step: start\n    next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: a }] }\n  - step: a\n    spec: { join: al }\n    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { a: 1 } } } }] } } }\n',
      ),
    ],
  ])('%s', (_title, text) => {
    expect(codes(text)).toHaveLength(1);
  });
});
