import type { Condition, Rule, Task } from '../model/playbook.ts';
import type { Warn } from './warn.ts';

/** What can be seen of the rules of one pipeline. */
export function checkPipeline(tasks: readonly Task[], warn: Warn): void {
  tasks.forEach((task, index) => {
    checkJumps(tasks, task, index, warn);
    checkRetries(task, warn);
  });
}

const always = (rule: Rule): boolean => rule.when === undefined || (rule.when.kind === 'constant' && rule.when.value);

const never = (rule: Rule): boolean => rule.when?.kind === 'constant' && !rule.when.value;

/** A task that always jumps back, over tasks that never break or fail, never ends. */
function checkJumps(tasks: readonly Task[], task: Task, index: number, warn: Warn): void {
  const rules = task.policy?.rules ?? [];
  const decisive = rules.findIndex(always);
  const jump = rules[decisive];
  if (jump === undefined || jump.then.do !== 'jump') return;
  const target = tasks.findIndex((other) => other.label === jump.then.to);
  if (target < 0 || target > index) return;
  const between = tasks.slice(target, index + 1);
  // The jumping task itself may also go on to the next one.
  const goesOn = rules.slice(0, decisive).some(({ then }) => then.do === 'continue' || then.do === 'skip');
  if (goesOn || between.some((other) => canLeave(other, tasks, target, index))) return;
  const path = [...between.map((other) => other.label), jump.then.to].join(' → ');
  warn(
    'NOETL_JUMP_WITHOUT_EXIT',
    jump.place,
    1,
    `the jumps ${path} never end: no rule on the way breaks, fails or jumps out`,
    'Add a rule with do: break or do: fail before the jump.',
  );
}

function canLeave(task: Task, tasks: readonly Task[], first: number, last: number): boolean {
  // Without a policy an error fails the pipeline, but nobody would call that an end.
  return (task.policy?.rules ?? []).some(({ then }) => {
    // A retry fails when its attempts are used up.
    if (then.do === 'break' || then.do === 'fail' || then.do === 'retry') return true;
    if (then.do !== 'jump') return false;
    const target = tasks.findIndex((other) => other.label === then.to);
    return target < first || target > last;
  });
}

/** Each retry is compared with every rule before it; nobody writes more rules than this by hand. */
const MAX_RULES = 200;

/** A retry that no outcome can come to. */
function checkRetries(task: Task, warn: Warn): void {
  const rules = (task.policy?.rules ?? [])
    .slice(0, MAX_RULES)
    .map((rule) => ({ ...rule, parts: conjuncts(rule.when) }));
  rules.forEach((rule, i) => {
    if (rule.then.do !== 'retry') return;
    const reason = neverMatches(rule, rules.slice(0, i));
    if (reason !== undefined) {
      warn(
        'NOETL_RETRY_NEVER',
        rule.place,
        1,
        `this retry of '${task.label}' never happens: ${reason}`,
        'Reorder the rules, or change the condition.',
      );
    } else if (rule.then.attempts === 1) {
      warn(
        'NOETL_RETRY_NEVER',
        rule.place,
        1,
        `this retry of '${task.label}' never happens: attempts: 1 is one try in all`,
        'attempts counts the first try too: write 2 or more.',
      );
    }
  });
}

interface RuleParts extends Rule {
  /** The conditions that must all hold. */
  readonly parts: ReadonlySet<string>;
}

function neverMatches(rule: RuleParts, before: readonly RuleParts[]): string | undefined {
  if (never(rule)) return 'its condition is false';
  const taken = before.find(
    (earlier) => always(earlier) || (!never(earlier) && [...earlier.parts].every((part) => rule.parts.has(part))),
  );
  return taken === undefined ? undefined : `the rule in line ${taken.place.line} matches first whenever this one would`;
}

/** The conditions that must all hold, as text: `{{ a and b }}` is `a`, `b`. */
function conjuncts(condition: Condition | undefined): ReadonlySet<string> {
  if (condition?.kind !== 'template') return new Set(['true']);
  const { source, tree } = condition.template;
  const output = tree.body.find((statement) => statement.kind === 'output');
  if (output?.kind !== 'output') return new Set([source]);
  const parts = new Set<string>();
  const visit = (node: typeof output.expression): void => {
    if (node.kind === 'binary' && node.operator === 'and') {
      visit(node.left);
      visit(node.right);
    } else parts.add(source.slice(node.at, node.end).trim());
  };
  visit(output.expression);
  return parts;
}
