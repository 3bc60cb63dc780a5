import { calledName, calledTask, decidingPolicies } from '../model/deciding-policy.ts';
import type { Policy, Rule, Step, Task, Then } from '../model/playbook.ts';
import { keysOf } from '../names/provided-names.ts';
import type { Span } from '../yaml/node.ts';
import { loopMode } from './read-loop.ts';
import { ctxKeys } from './read-policy.ts';
import type { Reading } from './reading.ts';

type Workbook = ReadonlyMap<string, Task>;

/** Calls of the workbook, as far as they name their task; what a template names is known only when it runs. */
export function checkWorkbook(workflow: readonly Step[], workbook: Workbook, reading: Reading): void {
  for (const task of [...workflow.flatMap((step) => step.tasks), ...workbook.values()])
    checkCall(task, workbook, reading);
  checkRecursion(workbook, reading);
  checkWrites(workflow, workbook, reading);
}

function checkCall(task: Task, workbook: Workbook, reading: Reading): void {
  const name = calledName(task);
  if (name === undefined || workbook.has(name)) return;
  const names = [...workbook.keys()].slice(0, 20).join(', ');
  const hint =
    reading.problems.suggest(name, workbook) ??
    (workbook.size === 0
      ? 'The playbook has no workbook.'
      : `Its tasks are: ${names}${workbook.size > 20 ? ', …' : ''}.`);
  const message = `the task '${task.label}' calls '${name}', which the workbook does not have`;
  reading.problems.error('NOETL_TASK_FIELD', startOf(task, reading), message, hint);
}

/** Each task of the workbook calls at most one other: where calls come round, no tool is ever reached. */
function checkRecursion(workbook: Workbook, reading: Reading): void {
  const seen = new Set<Task>();
  for (const start of workbook.values()) {
    const path: Task[] = [];
    let task: Task | undefined = start;
    while (task !== undefined && !seen.has(task)) {
      seen.add(task);
      path.push(task);
      task = calledTask(task, workbook);
    }
    if (task === undefined || !path.includes(task)) continue;
    const round = [...path.slice(path.indexOf(task)), task].map(({ label }) => label).join(' → ');
    reading.problems.error(
      'NOETL_WORKBOOK_RECURSION',
      startOf(task, reading),
      `the task '${task.label}' of the workbook calls itself: ${round}`,
      'No tool is ever reached. Let one of them do the work, or repeat with a loop or a jump.',
    );
  }
}

/** DOC-9, ENG-9: whether a called task may write to the iteration depends on the step that calls it. */
function checkWrites(workflow: readonly Step[], workbook: Workbook, reading: Reading): void {
  const policyOf = decidingPolicies(workbook);
  const known = new Map<Policy, Writes>();
  for (const step of workflow) {
    for (const task of step.tasks) {
      // Rules of its own were judged where they were read.
      const policy = task.policy === undefined ? policyOf(task) : undefined;
      if (policy === undefined) continue;
      const writes = known.get(policy) ?? writesOf(policy);
      known.set(policy, writes);
      judgeWrites(step, task, writes, reading);
    }
  }
}

function judgeWrites(step: Step, task: Task, { iter, shared, ctx }: Writes, reading: Reading): void {
  const at = startOf(task, reading);
  const loop = loopMode(step.loop);
  const calls = `the task '${task.label}' calls '${calledName(task)}' of the workbook, where the rule in line`;
  if (loop === 'none') {
    const lacking = `but the step '${step.name}' has no loop`;
    const hint = 'Give the step a loop, or the call a policy of its own.';
    if (iter !== undefined)
      reading.problems.error(
        'NOETL_SET_ITER_MISPLACED',
        at,
        `${calls} ${iter.place.line} has set_iter, ${lacking}`,
        hint,
      );
    if (shared !== undefined)
      reading.problems.error(
        'NOETL_SET_SHARED_MISPLACED',
        at,
        `${calls} ${shared.place.line} has set_shared, ${lacking}`,
        hint,
      );
  } else if (loop === 'parallel' && ctx !== undefined) {
    reading.problems.warn(
      'NOETL_SET_CTX_PARALLEL',
      at,
      `${calls} ${ctx.place.line} has set_ctx of ${ctxKeys(keysWritten(ctx))}, from the parallel loop of the step '${step.name}': two iterations that write different values fail the step`,
      'Use set_shared with a reducer.',
    );
  }
}

/** The first rule that writes to each place. */
interface Writes {
  readonly iter: Rule | undefined;
  readonly shared: Rule | undefined;
  readonly ctx: Rule | undefined;
}

function writesOf({ rules }: Policy): Writes {
  const first = (writes: (then: Then) => boolean) => rules.find(({ then }) => writes(then));
  return {
    iter: first((then) => then.setIter !== undefined),
    shared: first((then) => then.setShared.length > 0),
    ctx: first((then) => then.setCtx !== undefined),
  };
}

const keysWritten = ({ then }: Rule): readonly string[] => [...((then.setCtx && keysOf(then.setCtx)) ?? [])];

function startOf(task: Task, reading: Reading): Span {
  const start = reading.problems.lines.offset(task.place);
  return { start, end: start + 1 };
}
