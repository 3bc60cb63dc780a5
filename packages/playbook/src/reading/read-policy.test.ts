import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { complaint, diagnose, playbookOf, withSteps, withTask, withThen } from '../reading-playbooks.testing.ts';

describe('DOC-9: task policy', () => {
  const policy = (text: string) => withTask(`{ kind: noop, spec: { policy: ${text} } }`);
  const rules = (text: string) => policy(`{ rules: [${text}, { else: { then: { do: continue } } }] }`);
  checkDocuments([
    ['when and then, else', rules('{ when: "{{ outcome.status == \'ok\' }}", then: { do: break } }'), []],
    ['else beside then', policy('{ rules: [{ else: , then: { do: fail } }] }'), []],
    ['else: true beside then', policy('{ rules: [{ else: true, then: { do: fail } }] }'), []],
    ['not an object (000 §13.1)', policy('[{ do: retry }]'), ['NOETL_POLICY_SHAPE 6:41']],
    ['text (000 §13.1)', policy('retry'), ['NOETL_POLICY_SHAPE 6:41']],
    ['no rules', policy('{}'), ['NOETL_REQUIRED 6:41']],
    ['no rule', policy('{ rules: [] }'), ['NOETL_POLICY_SHAPE 6:50']],
    ['rules that are a mapping', policy('{ rules: { when: true } }'), ['NOETL_TYPE 6:50']],
    [
      'an unknown key',
      policy('{ rules: [{ else: { then: { do: fail } } }], lifecycle: {} }'),
      ['NOETL_KEY_UNKNOWN 6:86'],
    ],
    [
      'no else',
      policy(`{ rules: [{ when: "{{ outcome.status == 'ok' }}", then: { do: fail } }] }`),
      ['NOETL_ELSE_MISSING 6:43'],
    ],
    ['a last rule that always matches', policy('{ rules: [{ when: true, then: { do: fail } }] }'), []],
    [
      'else that holds the directive',
      policy('{ rules: [{ else: { do: continue } }] }'),
      ['NOETL_DIRECTIVE_MISSING 6:59'],
    ],
    ['a rule without when and else', rules('{ then: { do: fail } }'), ['NOETL_POLICY_SHAPE 6:51']],
    ['a rule with when and else', rules('{ when: true, else: { then: { do: fail } } }'), ['NOETL_POLICY_SHAPE 6:51']],
    [
      'a rule after else',
      policy('{ rules: [{ else: { then: { do: fail } } }, { when: true, then: { do: fail } }] }'),
      ['NOETL_POLICY_SHAPE 6:85'],
    ],
    ['a rule without then', rules('{ when: true }'), ['NOETL_DIRECTIVE_MISSING 6:51']],
    ['then without do (000 §13.1)', rules('{ when: true, then: { attempts: 3 } }'), ['NOETL_DIRECTIVE_MISSING 6:71']],
    ['do beside then', rules('{ when: true, do: retry, then: { do: retry } }'), ['NOETL_DIRECTIVE_MISPLACED 6:65']],
    [
      'an older condition',
      rules('{ expr: x, else: { then: { do: fail } } }'),
      ['NOETL_LEGACY 6:53', 'NOETL_POLICY_SHAPE 6:94'],
    ],
  ]);

  describe('then', () => {
    checkDocuments([
      ['continue', withThen('{ do: continue }'), []],
      [
        'retry with everything',
        withThen('{ do: retry, attempts: 5, backoff: exponential, delay: 0.5, max_delay: 60 }'),
        [],
      ],
      ['a delay that is a template', withThen('{ do: retry, delay: "{{ outcome.http.headers.retry_after }}" }'), []],
      ['jump', withThen('{ do: break }'), []],
      ['an unknown directive', withThen('{ do: stop }'), ['NOETL_VALUE 12:29']],
      ['an unknown key', withThen('{ do: fail, why: x }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['an older key', withThen('{ do: fail, set_vars: {} }'), ['NOETL_LEGACY 12:35']],
      ['text', withThen('retry'), ['NOETL_TYPE 12:23']],
      ['attempts of 0', withThen('{ do: retry, attempts: 0 }'), ['NOETL_VALUE 12:46']],
      ['an unknown backoff', withThen('{ do: retry, backoff: fast }'), ['NOETL_VALUE 12:45']],
      ['a negative delay', withThen('{ do: retry, delay: -1 }'), ['NOETL_VALUE 12:43']],
      ['a delay that is text', withThen('{ do: retry, delay: soon }'), ['NOETL_VALUE 12:43']],
      ['a max_delay that is text', withThen('{ do: retry, max_delay: x }'), ['NOETL_VALUE 12:47']],
      ['attempts without retry', withThen('{ do: fail, attempts: 3 }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['to without jump', withThen('{ do: fail, to: a }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['jump without to', withThen('{ do: jump }'), ['NOETL_REQUIRED 12:23']],
      ['jump to an unknown task', withThen('{ do: jump, to: tsk_1 }'), ['NOETL_JUMP_TARGET_UNKNOWN 12:39']],
      ['set_ctx', withThen('{ do: continue, set_ctx: { a: 1 } }'), []],
      ['set_ctx that is a list', withThen('{ do: continue, set_ctx: [a] }'), ['NOETL_TYPE 12:48']],
      [
        'set_iter outside of a loop',
        withThen('{ do: continue, set_iter: { a: 1 } }'),
        ['NOETL_SET_ITER_MISPLACED 12:39'],
      ],
      [
        'set_shared outside of a loop',
        withThen('{ do: continue, set_shared: { a: { reduce: sum, value: 1 } } }'),
        ['NOETL_SET_SHARED_MISPLACED 12:39'],
      ],
    ]);
  });

  describe('in a loop', () => {
    const inLoop = (mode: string, then: string) =>
      withSteps(`  - step: start
    loop: { in: [1], iterator: i, spec: { mode: ${mode} } }
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: ${then} } }] } } }
`);
    checkDocuments([
      ['set_iter', inLoop('sequential', '{ do: continue, set_iter: { a: 1 } }'), []],
      ['set_ctx from a sequential loop', inLoop('sequential', '{ do: continue, set_ctx: { a: 1 } }'), []],
      [
        'set_ctx from a parallel loop',
        inLoop('parallel', '{ do: continue, set_ctx: { a: 1 } }'),
        ['NOETL_SET_CTX_PARALLEL 7:83'],
      ],
      [
        'set_shared',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: sum, value: 1 }, b: { reduce: count } } }'),
        [],
      ],
      [
        'an unknown reducer',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: avg, value: 1 } } }'),
        ['NOETL_VALUE 7:110'],
      ],
      ['no reducer', inLoop('parallel', '{ do: continue, set_shared: { a: { value: 1 } } }'), ['NOETL_REQUIRED 7:100']],
      [
        'no value',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: max } } }'),
        ['NOETL_REQUIRED 7:100'],
      ],
    ]);
  });

  it('fills in what the language says of retries', () => {
    const then = playbookOf(withThen('{ do: retry }')).workflow[0]?.tasks[0]?.policy?.rules[0]?.then;
    expect(then).toMatchObject({ do: 'retry', attempts: 3, backoff: 'none', delay: { kind: 'literal', value: 1 } });
  });

  it('finds jumps to labels that were left to the position', () => {
    expect(
      diagnose(
        withTask(
          '[{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: jump, to: task_2 } } }] } } }, { kind: noop }]',
        ),
      ),
    ).toEqual([]);
    expect(complaint(withThen('{ do: jump, to: tsk_1 }'))).toContain("Did you mean 'task_1'?");
  });
});

describe('DOC-9: directives outside of a task policy', () => {
  checkDocuments([
    ['in a task', withTask('{ kind: noop, do: retry }'), ['NOETL_DIRECTIVE_MISPLACED 6:25']],
    [
      'in an arc',
      withSteps('  - step: start\n    next: { arcs: [{ step: end, do: fail }] }\n'),
      ['NOETL_DIRECTIVE_MISPLACED 6:33'],
    ],
    [
      'in an admission rule',
      withSteps(
        '  - step: start\n    spec: { policy: { admit: { rules: [{ else: { then: { do: skip, allow: true } } }] } } }\n    tool: { kind: noop }\n',
      ),
      ['NOETL_DIRECTIVE_MISPLACED 6:58'],
    ],
    ['in spec', withTask('{ kind: noop, spec: { do: fail } }'), ['NOETL_DIRECTIVE_MISPLACED 6:33']],
  ]);
});
