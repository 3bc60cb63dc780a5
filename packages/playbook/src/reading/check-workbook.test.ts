import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { complaint, diagnose, HEAD } from '../reading-playbooks.testing.ts';

/** A step with the keys `more` that calls `clean`, in line 6, and a workbook, from line 8 on. */
const calling = (workbook: string, more = '', call = 'name: clean') =>
  `${HEAD}workflow:\n  - step: start\n    tool: { kind: workbook, ${call} }\n${more}workbook:\n${workbook}`;
const rules = (then: string) => `spec: { policy: { rules: [{ else: { then: { do: continue, ${then} } } }] } }`;
const task = (name: string, body: string) => `  ${name}: { ${body} }\n`;
const noop = (name: string, then: string) => task(name, `kind: noop, ${rules(then)}`);
const loop = (mode: string) => `    loop: { in: [1], iterator: i, spec: { mode: ${mode} } }\n`;

const SET_ITER = 'set_iter: { a: 1 }';
const SET_SHARED = 'set_shared: { a: { reduce: sum, value: 1 } }';
const SET_CTX = 'set_ctx: { a: 1 }';

describe('DOC-9, ENG-9: what the rules of a called task write', () => {
  checkDocuments([
    ['set_iter without a loop', calling(noop('clean', SET_ITER)), ['NOETL_SET_ITER_MISPLACED 6:11']],
    ['set_shared without a loop', calling(noop('clean', SET_SHARED)), ['NOETL_SET_SHARED_MISPLACED 6:11']],
    ['set_ctx without a loop', calling(noop('clean', SET_CTX)), []],
    ['set_iter in a loop', calling(noop('clean', SET_ITER), loop('sequential')), []],
    ['set_shared in a loop', calling(noop('clean', SET_SHARED), loop('parallel')), []],
    ['set_ctx in a sequential loop', calling(noop('clean', SET_CTX), loop('sequential')), []],
    ['set_ctx in a parallel loop', calling(noop('clean', SET_CTX), loop('parallel')), ['NOETL_SET_CTX_PARALLEL 6:11']],
    [
      'through another task of the workbook',
      calling(task('clean', 'kind: workbook, name: wash') + noop('wash', SET_ITER)),
      ['NOETL_SET_ITER_MISPLACED 6:11'],
    ],
    ['a task that is never called', calling(noop('clean', SET_CTX) + noop('wash', SET_ITER)), []],
    [
      'a task whose name a template makes',
      calling(noop('clean', SET_ITER), '', 'name: "{{ workload.n }}"').replace(
        'workflow',
        'workload: { n: clean }\nworkflow',
      ),
      [],
    ],
    [
      'a task without a name, which other kinds do not call',
      calling(noop('""', SET_ITER), '', 'name: ""').replace('kind: workbook, name: ""', 'kind: noop'),
      [],
    ],
    [
      'a call with a policy of its own, which wins',
      calling(noop('clean', SET_ITER), '', `name: clean, ${rules(SET_CTX)}`),
      [],
    ],
    [
      'a policy on the way, which wins',
      calling(task('clean', `kind: workbook, name: wash, ${rules(SET_CTX)}`) + noop('wash', SET_ITER)),
      [],
    ],
    [
      'a loop that cannot be read is a loop all the same',
      calling(noop('clean', SET_ITER), '    loop: { in: [1] }\n'),
      ['NOETL_REQUIRED 7:11'],
    ],
  ]);

  it('says which rule it is', () => {
    expect(complaint(calling(task('wash', 'kind: noop') + noop('clean', SET_ITER)))).toBe(
      "the task 'task_1' calls 'clean' of the workbook, where the rule in line 9 has set_iter, but the step 'start' has no loop | Give the step a loop, or the call a policy of its own.",
    );
  });
});

describe('TOOL-2: tasks of the workbook that call each other', () => {
  checkDocuments([
    ['in a row', calling(task('clean', 'kind: workbook, name: wash') + task('wash', 'kind: noop')), []],
    [
      'a task that calls itself',
      calling(task('clean', 'kind: workbook, name: clean')),
      ['NOETL_WORKBOOK_RECURSION 8:10'],
    ],
    [
      'two that call each other are one problem',
      calling(task('wash', 'kind: workbook, name: clean') + task('clean', 'kind: workbook, name: wash')),
      ['NOETL_WORKBOOK_RECURSION 8:9'],
    ],
    [
      'also if nothing calls them',
      calling(task('clean', 'kind: noop') + task('wash', 'kind: workbook, name: wash')),
      ['NOETL_WORKBOOK_RECURSION 9:9'],
    ],
    ['a name that a template makes', calling(task('clean', 'kind: workbook, name: "{{ args.next }}"')), []],
    ['a task that does not exist', calling(task('clean', 'kind: workbook, name: cleen')), ['NOETL_TASK_FIELD 8:10']],
  ]);

  it('shows the path', () => {
    const [a, b, c] = ['clean', 'wash', 'dry'].map((name, i, all) =>
      task(name, `kind: workbook, name: ${all[(i + 1) % 3]}`),
    );
    expect(complaint(calling(`${a}${b}${c}`))).toBe(
      "the task 'clean' of the workbook calls itself: clean → wash → dry → clean | No tool is ever reached. Let one of them do the work, or repeat with a loop or a jump.",
    );
  });

  it('takes no time to speak of with thousands of them', () => {
    const chain = Array.from({ length: 5_000 }, (_, i) => task(`t${i}`, `kind: workbook, name: t${i + 1}`)).join('');
    const calls = Array.from({ length: 200 }, () => '      - { kind: workbook, name: t0 }\n').join('');
    const text = `${HEAD}workflow:\n  - step: start\n    tool:\n${calls}workbook:\n${chain}${task('t5000', 'kind: noop')}`;
    const started = performance.now();
    expect(diagnose(text)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
