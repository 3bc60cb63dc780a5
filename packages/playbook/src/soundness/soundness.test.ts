import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { diagnose, HEAD, withSteps } from '../reading-playbooks.testing.ts';

/** `CODE line: message` of every diagnostic. */
const found = (text: string) =>
  readPlaybook(text, { file: 'x.yaml' }).diagnostics.map(({ code, line, message }) => `${code} ${line}: ${message}`);

/** Steps in short: `a -> b, c?` is a step a with an arc to b and a guarded one to c; options go in brackets. */
function workflow(...steps: readonly string[]): string {
  return withSteps(
    steps
      .map((line) => {
        const [, name = '', options = '', arcs = ''] = /^(\w+)\s*(?:\[(.*)\])?\s*(?:-> (.*))?$/.exec(line) ?? [];
        const list = arcs === '' ? [] : arcs.split(', ').map(arc);
        const spec = /join=(\w+)/.exec(options)?.[1];
        const mode = options.includes('all') && !options.includes('join=all') ? 'inclusive' : 'exclusive';
        const failure = options.includes('on_failure') ? ', on_failure: all' : '';
        return [
          `  - step: ${name}`,
          ...(spec === undefined ? [] : [`    spec: { join: ${spec} }`]),
          ...(options.includes('admit')
            ? ['    spec: { policy: { admit: { rules: [{ else: { then: { allow: true } } }] } } }']
            : []),
          `    tool: ${taskWriting(/ctx=(\w+)/.exec(options)?.[1])}`,
          ...(list.length === 0 ? [] : [`    next: { spec: { mode: ${mode}${failure} }, arcs: [${list.join(', ')}] }`]),
          '',
        ].join('\n');
      })
      .join(''),
  );
}

function arc(text: string): string {
  const name = text.replace(/[?!]$/, '');
  if (text.endsWith('?')) return `{ step: ${name}, when: "{{ execution_id == 'x' }}" }`;
  return text.endsWith('!') ? `{ step: ${name}, when: "{{ event.name == 'step.failed' }}" }` : `{ step: ${name} }`;
}

function taskWriting(key: string | undefined): string {
  if (key === undefined) return '{ kind: noop }';
  return `{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { ${key}: 1 } } } }] } } }`;
}

const codesOf = (text: string) => diagnose(text).map((line) => line.split(' ')[0]);

describe('steps that no path reaches', () => {
  it('are named', () => {
    expect(found(workflow('start -> a', 'a', 'b -> c', 'c'))).toEqual([
      "NOETL_STEP_UNREACHABLE 10: no path from 'start' reaches the step 'b'",
      "NOETL_STEP_UNREACHABLE 13: no path from 'start' reaches the step 'c'",
    ]);
  });

  it('also one that only an arc leads to that is never taken', () => {
    expect(codesOf(workflow('start -> a, b', 'a', 'b'))).toEqual(['NOETL_ARC_SHADOWED', 'NOETL_STEP_UNREACHABLE']);
  });

  it('a chain, a diamond and a cycle are all reached', () => {
    expect(diagnose(workflow('start -> a', 'a -> b?, c', 'b -> d', 'c -> d', 'd -> a?, end'))).toEqual([]);
  });
});

describe('arcs behind one that always matches', () => {
  it('are never taken in exclusive mode', () => {
    expect(found(workflow('start -> a, b?, c', 'a', 'b', 'c')).filter((line) => line.includes('SHADOWED'))).toEqual([
      'NOETL_ARC_SHADOWED 7: the arc start → b is never taken: start → a before it always matches',
      'NOETL_ARC_SHADOWED 7: the arc start → c is never taken: start → a before it always matches',
    ]);
  });

  it.each([
    ['the unconditional one is last', workflow('start -> a?, b?, c', 'a', 'b', 'c')],
    ['the mode is inclusive', workflow('start [all] -> a, b?, c', 'a', 'b', 'c')],
    ['the later one takes failures', workflow('start -> a, b!', 'a', 'b')],
  ])('are fine if %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });

  it('also behind a template that is always true', () => {
    const text = workflow('start -> a, b?', 'a -> b', 'b').replace('{ step: a }', '{ step: a, when: "{{ true }}" }');
    expect(codesOf(text)).toEqual(['NOETL_ARC_SHADOWED']);
  });

  it('also one that reads event, where omitted means true', () => {
    expect(codesOf(workflow('start [on_failure] -> a, b!', 'a', 'b'))).toContain('NOETL_ARC_SHADOWED');
  });
});

describe('joins', () => {
  it('that have nothing to wait for', () => {
    expect(found(workflow('start -> a', 'a [join=all]'))).toEqual([
      "NOETL_JOIN_STARVED 8: the join of 'a' has nothing to wait for: it is reached only from start",
    ]);
  });

  it('that wait for more tokens than can come', () => {
    expect(found(workflow('start [all] -> a, b', 'a -> c', 'b -> c', 'c [join=3]'))).toEqual([
      "NOETL_JOIN_STARVED 14: the join of 'c' waits for 3 tokens, but only 2 can come (from a, b)",
    ]);
  });

  it('that wait for both of two branches of which one is taken', () => {
    expect(found(workflow('start -> a?, b', 'a -> c', 'b -> c', 'c [join=2]'))).toEqual([
      "NOETL_JOIN_STARVED 14: the join of 'c' waits for 2 tokens, but only 1 can come (from a, b)",
    ]);
  });

  it.each([
    [
      'one of two taken twice',
      workflow('start [all] -> x, y', 'x -> a?, b', 'y -> a?, b', 'a -> c', 'b -> c', 'c [join=2]'),
    ],
    [
      'tokens of a cycle before the choice',
      workflow('start -> s', 's [all] -> s?, t', 't -> a?, b', 'a -> c', 'b -> c', 'c [join=2]'),
    ],
    ['all of several', workflow('start [all] -> a, b', 'a -> c', 'b -> c', 'c [join=all]')],
    ['as many as come', workflow('start [all] -> a, b', 'a -> c', 'b -> c', 'c [join=2]')],
    ['any', workflow('start -> a', 'a [join=any]')],
    ['one', workflow('start -> a', 'a [join=1]')],
    ['tokens that a cycle brings again', workflow('start -> a', 'a -> a?, b', 'b [join=3]')],
    [
      'tokens of a step that runs several times',
      workflow('start [all] -> a, b', 'a -> c', 'b -> c', 'c -> d', 'd [join=2]'),
    ],
    ['itself on a cycle', workflow('start -> a', 'a [join=all] -> a?, end')],
  ])('are fine that wait for %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });
});

describe('cycles', () => {
  it('without any guarded exit never end; the path is shown', () => {
    expect(found(workflow('start -> a', 'a -> b', 'b -> a'))).toEqual([
      expect.stringMatching(/^NOETL_CYCLE_WITHOUT_EXIT 8: the cycle a → b → a never ends/),
    ]);
  });

  it('of one step', () => {
    expect(found(workflow('start -> start'))).toEqual([
      expect.stringMatching(/^NOETL_CYCLE_WITHOUT_EXIT 5: the cycle start → start never ends/),
    ]);
  });

  it('an inclusive step that goes on in any case does not leave by its other arc', () => {
    expect(codesOf(workflow('start -> a', 'a [all] -> a, b', 'b'))).toEqual(['NOETL_CYCLE_WITHOUT_EXIT']);
  });

  it.each([
    ['whichever of two arcs is taken', workflow('start -> a', 'a -> b?, c', 'b -> a', 'c -> a')],
    ['that split and join', workflow('start [all] -> a, b', 'a -> j', 'b -> j', 'j [join=all] -> start')],
    ['that a failure stays in too', workflow('start -> a', 'a -> b!, b', 'b -> a')],
  ])('%s', (_title, text) => {
    expect(codesOf(text)).toEqual(['NOETL_CYCLE_WITHOUT_EXIT']);
  });

  it('that choose are shown with all their steps', () => {
    expect(found(workflow('start -> a', 'a -> b?, c', 'b -> a', 'c -> a'))).toEqual([
      'NOETL_CYCLE_WITHOUT_EXIT 8: the cycle a → b → a never ends: every way leads back into it (and stays among a, b, c)',
    ]);
  });

  it.each([
    ['a choice that leaves', workflow('start -> a', 'a -> b?, c', 'b -> a', 'c')],
    ['a choice that ends', workflow('start -> a', 'a -> b?, c', 'b -> a', 'c -> end')],
    ['a choice that may match nothing', workflow('start -> a', 'a -> b?, c?', 'b -> a', 'c -> a')],
    ['a guarded arc out', workflow('start -> a', 'a -> b', 'b -> c?, a', 'c')],
    ['a guarded arc back', workflow('start -> a', 'a -> b', 'b -> a?')],
    ['an arc to the end', workflow('start -> a', 'a -> end?, start')],
    ['an admission that can deny', workflow('start -> a', 'a [admit] -> b', 'b -> a')],
  ])('end with %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });
});

describe('jumps', () => {
  const task = (label: string, ...rules: readonly string[]) =>
    `      - ${label}: { kind: noop, spec: { policy: { rules: [${rules.join(', ')}] } } }\n`;
  const otherwise = (then: string) => `{ else: { then: { ${then} } } }`;
  const when = (then: string) => `{ when: "{{ outcome.status == 'ok' }}", then: { ${then} } }`;
  const tool = (...tasks: readonly string[]) => withSteps(`  - step: start\n    tool:\n${tasks.join('')}`);

  it('back over tasks that never break or fail are shown with their path', () => {
    const text = tool(task('a', otherwise('do: continue')), task('b', otherwise('do: jump, to: a')));
    expect(found(text)).toEqual([expect.stringMatching(/^NOETL_JUMP_WITHOUT_EXIT 8: the jumps a → b → a never end/)]);
  });

  it('of which one leads into a larger round', () => {
    const error = `{ when: "{{ outcome.status == 'error' }}", then: { do: jump, to: a } }`;
    const text = tool(
      task('a', otherwise('do: continue')),
      task('b', otherwise('do: continue')),
      task('c', error, otherwise('do: jump, to: b')),
    );
    expect(found(text)).toEqual([
      expect.stringMatching(/^NOETL_JUMP_WITHOUT_EXIT 9: the jumps a → b → c → a never end/),
    ]);
  });

  it('from several tasks to each other', () => {
    const text = tool(
      task('a', when('do: jump, to: b'), otherwise('do: jump, to: b')),
      task('b', otherwise('do: jump, to: a')),
    );
    expect(codesOf(text)).toEqual(['NOETL_JUMP_WITHOUT_EXIT']);
  });

  it('to the task itself', () => {
    expect(codesOf(tool(task('a', otherwise('do: jump, to: a'))))).toEqual(['NOETL_JUMP_WITHOUT_EXIT']);
  });

  it.each([
    [
      'a break before',
      tool(task('a', when('do: break'), otherwise('do: continue')), task('b', otherwise('do: jump, to: a'))),
    ],
    ['a fail of its own', tool(task('a', when('do: fail'), otherwise('do: jump, to: a')))],
    [
      'a jump out',
      tool(
        task('a', when('do: jump, to: c'), otherwise('do: continue')),
        task('b', otherwise('do: jump, to: a')),
        task('c', otherwise('do: continue')),
      ),
    ],
    [
      'a condition',
      tool(task('a', otherwise('do: continue')), task('b', when('do: jump, to: a'), otherwise('do: break'))),
    ],
    [
      'a round that is jumped over',
      tool(
        task('a', otherwise('do: jump, to: c')),
        task('b', otherwise('do: jump, to: b')),
        task('c', otherwise('do: continue')),
      ),
    ],
    ['a jump forward', tool(task('a', otherwise('do: jump, to: b')), task('b', otherwise('do: continue')))],
  ])('are fine with %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });
});

describe('retries that never happen', () => {
  const rules = (...list: readonly string[]) =>
    withSteps(`  - step: start
    tool:
      kind: noop
      spec:
        policy:
          rules:
${list.map((rule) => `            - ${rule}\n`).join('')}            - else: { then: { do: fail } }
`);
  const retry = (when: string) => `{ when: "{{ ${when} }}", then: { do: retry } }`;
  const fail = (when: string) => `{ when: "{{ ${when} }}", then: { do: fail } }`;

  it('because an earlier rule matches first; its line is named', () => {
    expect(
      found(rules(fail("outcome.status == 'error'"), retry("outcome.status == 'error' and outcome.error.retryable"))),
    ).toEqual([
      "NOETL_RETRY_NEVER 12: this retry of 'task_1' never happens: the rule in line 11 matches first whenever this one would",
    ]);
  });

  it('however the conditions are spelt', () => {
    const text = rules(
      fail("outcome.status=='error'"),
      retry('(outcome.status  == \\"error\\") and outcome.error.retryable'),
    );
    expect(codesOf(text)).toEqual(['NOETL_RETRY_NEVER']);
    expect(codesOf(rules('{ when: "{{ true }}", then: { do: fail } }', retry('outcome.error.retryable')))).toEqual([
      'NOETL_RETRY_NEVER',
    ]);
  });

  it('because the condition is false, or one attempt is all', () => {
    expect(found(rules('{ when: false, then: { do: retry } }'))).toEqual([
      "NOETL_RETRY_NEVER 11: this retry of 'task_1' never happens: its condition is false",
    ]);
    expect(found(rules('{ when: "{{ outcome.status == \'error\' }}", then: { do: retry, attempts: 1 } }'))).toEqual([
      "NOETL_RETRY_NEVER 11: this retry of 'task_1' never happens: attempts: 1 is one try in all",
    ]);
  });

  it.each([
    [
      'a narrower rule comes first',
      rules(fail("outcome.status == 'error' and outcome.http.status == 404"), retry("outcome.status == 'error'")),
    ],
    ['another condition comes first', rules(fail('outcome.http.status == 404'), retry('outcome.http.status == 500'))],
    [
      'a rule that never matches comes first',
      rules('{ when: false, then: { do: fail } }', retry("outcome.status == 'error'")),
    ],
  ])('is not said if %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });
});

describe('the rules of a task of the workbook', () => {
  const workbook = (...rules: readonly string[]) =>
    `${HEAD}workflow:\n  - { step: start, tool: { kind: workbook, name: clean } }\nworkbook:\n  clean: { kind: noop, spec: { policy: { rules: [${rules.join(', ')}] } } }\n`;

  it('are looked at like those of a step', () => {
    expect(found(workbook('{ when: false, then: { do: retry } }', '{ else: { then: { do: fail } } }'))).toEqual([
      "NOETL_RETRY_NEVER 7: this retry of 'clean' never happens: its condition is false",
    ]);
    expect(found(workbook('{ else: { then: { do: jump, to: clean } } }'))).toEqual([
      expect.stringMatching(/^NOETL_JUMP_WITHOUT_EXIT 7: the jumps clean → clean never end/),
    ]);
  });

  it('may retry and jump', () => {
    const some = (then: string) => `{ when: "{{ outcome.result.again }}", then: { ${then} } }`;
    const rest = '{ else: { then: { do: continue } } }';
    expect(found(workbook(some('do: retry'), rest))).toEqual([]);
    expect(found(workbook(some('do: jump, to: clean'), rest))).toEqual([]);
  });
});

describe('branches that write the same key of ctx', () => {
  it('race; both paths are shown', () => {
    const [only, ...others] = found(workflow('start [all] -> a, b', 'a -> c', 'b [ctx=total]', 'c [ctx=total]'));
    expect(others).toEqual([]);
    expect(only).toMatch(/^NOETL_CTX_RACE 13: ctx\.total is written by 'c' and by 'b', which run beside each other/);
    expect(only).toContain('start → a');
    expect(only).toContain('start → b');
  });

  it.each([
    ['the keys differ', workflow('start [all] -> a, b', 'a [ctx=x]', 'b [ctx=y]')],
    ['only one branch is taken', workflow('start -> a?, b', 'a [ctx=x]', 'b [ctx=x]')],
    ['an arc is guarded', workflow('start [all] -> a, b?', 'a [ctx=x]', 'b [ctx=x]')],
    [
      'they have met before',
      workflow('start [all] -> a, b', 'a [ctx=x] -> c', 'b -> c', 'c [join=all] -> d', 'd [ctx=x]'),
    ],
    [
      'the second write comes after the join',
      workflow('start [all] -> a, j', 'a [ctx=x] -> j', 'j [join=all] -> d', 'd [ctx=x]'),
    ],
  ])('is not said if %s', (_title, text) => {
    expect(diagnose(text)).toEqual([]);
  });

  describe('in a step that both reach', () => {
    /** `start` goes to a and b, both go to `use` and that to `last`, whose only task is `task`. */
    const diamond = (task: string, more = '') =>
      `${workflow('start [all] -> a, b', 'a -> use', 'b -> use', 'use -> last')}  - { step: last, ${more}tool: ${task} }\n`;
    const writing = (value: string) =>
      `{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { total: ${value} } } } }] } } }`;

    it('the later run wins by chance; both paths are shown', () => {
      expect(found(diamond(writing('"{{ outcome.result }}"')))).toEqual([
        "NOETL_CTX_RACE 17: ctx.total is written by 'last', which runs once for each branch: start → a → use → last and start → b → use → last",
      ]);
    });

    it('also by two arcs to the same step', () => {
      const text = withSteps(
        `  - { step: start, next: { spec: { mode: inclusive }, arcs: [{ step: w, args: { n: 1 } }, { step: w, args: { n: 2 } }] } }\n  - { step: w, tool: ${writing('"{{ args.n }}"')} }\n`,
      );
      expect(codesOf(text)).toEqual(['NOETL_CTX_RACE']);
    });

    it('is said once for three branches', () => {
      const text = `${workflow('start [all] -> a, b, c', 'a -> w', 'b -> w', 'c -> w')}  - { step: w, tool: ${writing('"{{ ctx.total + 1 }}"')} }\n`;
      expect(codesOf(text)).toEqual(['NOETL_CTX_RACE']);
    });
  });

  describe('where a loop folds into it', () => {
    const fold =
      '{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_shared: { total: { reduce: sum, value: 1 } } } } }] } } }';
    const loop = (name: string) => `  - { step: ${name}, loop: { in: [1], iterator: i }, tool: ${fold} }\n`;
    it('and the other branch sets it', () => {
      expect(found(workflow('start [all] -> a, b', 'a [ctx=total]') + loop('b'))).toEqual([
        "NOETL_CTX_RACE 8: ctx.total is written by 'a' and by 'b', which run beside each other: start → a and start → b",
      ]);
    });
    it('and the other branch folds too, is no race', () => {
      expect(diagnose(workflow('start [all] -> a, b') + loop('a') + loop('b'))).toEqual([]);
    });
  });

  describe('through a task of the workbook', () => {
    const calling = (more: string, value: string) => `${HEAD}workflow:
  - { step: start, next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }] } }
  - { step: a, tool: { kind: workbook, name: keep } }
  - { step: b, tool: { kind: workbook, name: keep${more} } }
workbook:
  keep: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { x: ${value} } } } }] } } }
`;
    it('that both call', () => {
      expect(found(calling('', '"{{ args.x }}"'))).toEqual([
        "NOETL_CTX_RACE 6: ctx.x is written by 'a' and by 'b', which run beside each other: start → a and start → b",
      ]);
    });

    it('unless the policy of a call wins', () => {
      const own = ', spec: { policy: { rules: [{ else: { then: { do: fail } } }] } }';
      expect(diagnose(calling(own, '"{{ args.x }}"'))).toEqual([]);
    });
  });

  it('two iterations of a parallel loop are warned of at set_ctx', () => {
    const text = `${HEAD}workflow:
  - step: start
    loop: { in: [1], iterator: i, spec: { mode: parallel } }
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { a: 1 } } } }] } } }
`;
    expect(found(text)).toEqual([
      "NOETL_SET_CTX_PARALLEL 7: set_ctx of ctx.a from the parallel loop of the step 'start': two iterations that write different values fail the step",
    ]);
  });
});

it('a net of a thousand steps that branch, meet and write takes no time to speak of', () => {
  const step = (i: number) => (i === 0 ? 'start' : `s${i}`);
  const text = workflow(
    ...Array.from({ length: 1_000 }, (_, i) => {
      const targets = [1, 2, 3].map((d) => `s${1 + ((i * 7 + d * 131) % 999)}`);
      return `${step(i)} [all${i % 5 === 1 ? ' join=3' : ''} ctx=k${i % 3}] -> ${[...new Set(targets)].join(', ')}`;
    }),
  );
  const started = performance.now();
  readPlaybook(text, { file: 'x.yaml' });
  expect(performance.now() - started).toBeLessThan(5_000);
});
