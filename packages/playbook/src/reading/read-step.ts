import type { AdmissionRule, Executor, Step } from '../model/playbook.ts';
import {
  ADMISSION_KEYS,
  ADMISSION_THEN_KEYS,
  STEP_KEYS,
  STEP_POLICY_KEYS,
  STEP_SPEC_KEYS,
} from '../model/vocabulary.ts';
import { entryOf, type MapNode, type YamlNode } from '../yaml/node.ts';
import { OLDER_STEP_KEYS } from './older-keys.ts';
import { readCondition } from './read-condition.ts';
import { readLayer, seconds } from './read-layer.ts';
import { loopMode, readLoop } from './read-loop.ts';
import { readRules } from './read-policy.ts';
import { readRouter } from './read-router.ts';
import { readPipeline } from './read-task.ts';
import { describe, hasUnread, type Reading } from './reading.ts';

const STEP = 'Write - step: name, and below it tool and next.';

export function readStep(
  node: YamlNode,
  index: number,
  profile: Executor['profile'],
  reading: Reading,
): Step | undefined {
  const map = reading.map(node, `workflow[${index}]`, STEP);
  const entry = map && reading.required(map, 'step', `workflow[${index}]`, 'Give the step a name.');
  const name = entry && reading.text(entry.value, `workflow[${index}].step`);
  const step = map && readBody(map, name, index, profile, reading);
  if (name !== undefined && step !== undefined) return { name, ...step };
  // What a step without a name writes, passes and gives is lost.
  for (const source of ['ctx', 'args', 'steps'] as const) reading.doubts.names.add(source);
  return undefined;
}

function readBody(
  map: MapNode,
  name: string | undefined,
  index: number,
  profile: Executor['profile'],
  reading: Reading,
): Omit<Step, 'name'> {
  const { names, steps } = reading.doubts;
  const what = `the step '${name ?? index}'`;
  const [entry, desc, specEntry, loopEntry, tool, next] = ['step', 'desc', 'spec', 'loop', 'tool', 'next'].map((key) =>
    entryOf(map, key),
  );
  if (tool === undefined && next === undefined && entry !== undefined) {
    reading.problems.warn(
      'NOETL_STEP_EMPTY',
      entry.value.span,
      `${what} has neither 'tool' nor 'next' and does nothing`,
      'Give it a task, or remove it.',
    );
  }
  if (loopEntry !== undefined && tool === undefined) {
    reading.problems.error(
      'NOETL_REQUIRED',
      loopEntry.keySpan,
      `${what} has a loop but no 'tool'`,
      'Say what to do for each item.',
    );
  }
  const loop = reading.judged(() => loopEntry && readLoop(loopEntry.value, `loop of ${what}`, profile, reading));
  const tasks = tool === undefined ? [] : readPipeline(tool.value, name ?? `${index}`, loopMode(loop.part), reading);
  const routing = reading.judged(() => {
    reading.keys(map, what, STEP_KEYS, OLDER_STEP_KEYS);
    const spec = specEntry && reading.map(specEntry.value, `spec of ${what}`);
    return {
      ...readStepSpec(spec, `spec of ${what}`, reading),
      router: next && readRouter(next.value, `next of ${what}`, reading),
    };
  });
  if (!loop.sound) names.add('iter');
  if (!routing.sound) names.add('args');
  if (!routing.sound && name !== undefined) steps.add(name);
  if (hasUnread(map, STEP_KEYS)) for (const source of ['ctx', 'iter'] as const) names.add(source);
  return {
    desc: desc && reading.text(desc.value, `desc of ${what}`),
    place: reading.place(entry?.value.span ?? map.span),
    loop: loop.part,
    tasks,
    ...routing.part,
  };
}

function readStepSpec(
  spec: MapNode | undefined,
  what: string,
  reading: Reading,
): Pick<Step, 'spec' | 'admission' | 'join' | 'pool' | 'timeout'> {
  const value = (key: string) => (spec === undefined ? undefined : entryOf(spec, key)?.value);
  const [policy, join, pool, timeout] = [value('policy'), value('join'), value('pool'), value('step_timeout')];
  const policyMap = policy && reading.map(policy, `${what}.policy`);
  if (policyMap !== undefined) {
    reading.keys(policyMap, `${what}.policy`, STEP_POLICY_KEYS, {
      rules: {
        code: 'NOETL_DIRECTIVE_MISPLACED',
        hint: 'Outcome rules belong to a task: tool[].spec.policy.rules. A step has admit.',
      },
    });
  }
  const admit = policyMap && entryOf(policyMap, 'admit');
  return {
    spec: readLayer(spec, what, STEP_SPEC_KEYS, reading),
    admission: admit === undefined ? [] : readAdmission(admit.value, `${what}.policy.admit`, reading),
    join: join === undefined ? 'any' : readJoin(join, `${what}.join`, reading),
    pool: pool && reading.text(pool, `${what}.pool`),
    timeout: timeout && seconds(timeout, `${what}.step_timeout`, reading),
  };
}

function readJoin(node: YamlNode, what: string, reading: Reading): Step['join'] {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (value === 'any' || value === 'all') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  reading.problems.error(
    'NOETL_VALUE',
    node.span,
    `${what} is ${describe(node)}, expected 'any', 'all' or a number of tokens`,
    'For example: join: all.',
  );
  return 'any';
}

const ALLOW = 'Write then: { allow: true }, or false.';

function readAdmission(node: YamlNode, what: string, reading: Reading): readonly AdmissionRule[] {
  const map = reading.map(node, what);
  if (map === undefined) return [];
  reading.keys(map, what, ADMISSION_KEYS);
  const rules = reading.required(map, 'rules', what, 'Write rules: [ … ].');
  if (rules === undefined) return [];
  return readRules(rules.value, `${what}.rules`, reading).flatMap((rule): AdmissionRule[] => {
    const then = rule.then && reading.map(rule.then, 'then', ALLOW);
    if (then === undefined) return [];
    reading.keys(then, 'then of an admission rule', ADMISSION_THEN_KEYS);
    const allow = reading.required(then, 'allow', 'then of an admission rule', ALLOW);
    const value = allow?.value.kind === 'scalar' ? allow.value.value : undefined;
    if (allow !== undefined && typeof value !== 'boolean')
      reading.wrongType(allow.value, 'allow', 'true or false', ALLOW);
    const when = rule.when === undefined ? undefined : readCondition(rule.when, reading);
    if (typeof value !== 'boolean' || (rule.when !== undefined && when === undefined)) return [];
    return [{ when, allow: value, place: reading.place(rule.node.span) }];
  });
}
