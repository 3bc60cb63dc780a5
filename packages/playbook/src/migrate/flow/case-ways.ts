import { conjunction } from '../names/condition.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { item, scalar } from '../tree/build.ts';
import { revalued, textOf } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { EntryTree } from '../tree/tree.ts';
import { actionOf, type CaseEntry } from './case-entry.ts';
import { readTargets } from './next-item.ts';
import { afterFailure, type StepFlow } from './step-flow.ts';
import { renamedText } from './text-condition.ts';
import type { Target, Way } from './way.ts';

/** Where the entries of `case` go on; `fallback`: where the step goes on if none of them says so. */
export function caseWays(
  entries: readonly CaseEntry[],
  fallback: readonly Way[],
  flow: StepFlow,
): readonly Way[] | undefined {
  const ways: Way[] = [];
  for (const [i, one] of entries.entries()) {
    const there = one.condition.event === 'failure' ? afterFailure(flow) : flow;
    const targets = targetsOf(one, there);
    if (targets === undefined) return undefined;
    if (targets.length === 0 && actionOf(one, 'retry') !== undefined) continue;
    // One call of a loop that was ended well says nothing about the end of the loop.
    if (targets.length === 0 && flow.loops && one.condition.ofCall) continue;
    const later = entries.slice(i + 1).some(({ condition }) => condition.event === one.condition.event);
    if (targets.length > 0) ways.push(wayOf(one, targets, there));
    else if (later) ways.push(wayOf(one, silentTargets(one, fallback), there));
    else if (one.condition.event === 'success' && fallback.length > 0)
      flow.journal.note('case-arcs', one.at, "the entry names no step: the step's own 'next' follows", {
        review: true,
      });
  }
  return [...ways, ...fallback];
}

/** Where an entry goes on that names no step: where the step does. */
const silentTargets = ({ condition }: CaseEntry, fallback: readonly Way[]): readonly Target[] =>
  condition.event === 'success'
    ? fallback.filter(({ when }) => when === undefined).flatMap(({ targets }) => targets)
    : [];

function targetsOf(one: CaseEntry, flow: StepFlow): readonly Target[] | undefined {
  const targets: Target[] = [];
  for (const action of one.actions.filter(({ key }) => key === 'next')) {
    const read = readTargets(action.value, item(action.value, action.at), flow);
    if (read === undefined) return undefined;
    targets.push(...read);
  }
  return targets;
}

function wayOf(one: CaseEntry, targets: readonly Target[], flow: StepFlow): Way {
  const { condition, when, at } = one;
  return {
    when: when && arcCondition(when, one, flow),
    holds: holdsText(one, flow),
    boundary: condition.event === 'failure' ? 'failure' : 'success',
    targets,
    at,
    above: one.above,
  };
}

/** The condition of an entry apart from its event, which is known to be asked for beside it. */
function holdsText({ condition, at }: CaseEntry, flow: StepFlow): string | true {
  if (condition.rest === true) return true;
  if (!condition.named) return renamedText(condition.rest, 'arcs', at, flow);
  const beside = ' and event }}';
  const text = renamedText(String(conjunction([condition.rest, '{{ event }}'])), 'arcs', at, flow);
  return text.endsWith(beside) ? `${text.slice(0, -beside.length)} }}` : text;
}

const FAILED = "event.name == 'step.failed'";

/** The condition with the events that there are now. A failure is considered only by who looks at the event (ENG-5). */
function arcCondition(when: EntryTree, { condition }: CaseEntry, flow: StepFlow): EntryTree | undefined {
  const { value, at } = when;
  const text = textOf(value);
  if (value.kind !== 'scalar' || text === undefined) return condition.rest === true ? undefined : when;
  const answered = condition.event === 'success' && condition.rest !== true && condition.rest;
  const asked = answered ? renamedText(answered, 'arcs', at, flow) : '';
  // A call that was answered outside of 2xx was done, and is a failure now: the condition asks for both itself.
  if (asked.includes(FAILED)) return revalued(when, scalar(asked));
  const name = condition.event === 'failure' ? 'step.failed' : flow.loops ? 'loop.done' : 'step.done';
  if (!condition.named && condition.event === 'failure') {
    const whole = conjunction([`{{ event.name == '${name}' }}`, text]);
    return revalued(when, flow.condition(scalar(whole), 'arcs', at));
  }
  const { edits, changes } = rewriteTemplate(text, {
    compared: ({ name: read, path }) =>
      read === 'event' && (path[0] === 'name' || path[0] === 'type') && path.length === 1
        ? { text: `'${name}'`, rule: 'case-event' }
        : undefined,
  });
  for (const { from, to } of changes) flow.journal.note('case-event', at, `${from} is now ${to}`);
  return revalued(when, flow.condition(respelled(value, edits), 'arcs', at));
}
