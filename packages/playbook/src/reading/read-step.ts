import type { AdmissionRule, Executor, Step } from '../model/playbook.ts';
import {
  ADMISSION_KEYS,
  ADMISSION_THEN_KEYS,
  STEP_KEYS,
  STEP_POLICY_KEYS,
  STEP_SPEC_KEYS,
} from '../model/vocabulary.ts';
import { entryOf, type MapNode, type YamlNode } from '../yaml/node.ts';
import { readCondition } from './read-condition.ts';
import { readLayer, seconds } from './read-layer.ts';
import { loopMode, readLoop } from './read-loop.ts';
import { readRules } from './read-policy.ts';
import { readRouter } from './read-router.ts';
import { readPipeline } from './read-task.ts';
import { describe, type Reading, type Replacements } from './reading.ts';

const migrate = 'noetl migrate rewrites it.';
const legacy = (hint: string) => ({ code: 'NOETL_LEGACY', hint: `${hint}; ${migrate}` }) as const;

/** DOC-5: what older dialects had here, and what it is now. */
const REPLACED: Replacements = {
  when: legacy('Admission is spec.policy.admit.rules'),
  case: legacy('Outcomes are handled by spec.policy.rules of the task, routing by next.arcs'),
  retry: legacy('Retries are a rule of the task: spec.policy.rules with do: retry'),
  sink: legacy('Storing is a task of its own at the end of the pipeline'),
  vars: legacy('Values are kept with set_ctx in the policy of a task'),
  eval: legacy('Outcomes are handled by spec.policy.rules of the task'),
  expr: legacy("The only conditional keyword is 'when'"),
  pipe: legacy('The pipeline is the list under tool'),
  args: legacy('Values come from the arc (next.arcs[].args) or the task (args)'),
  end_loop: legacy('A step after the loop reads its result; join with spec.join'),
  input: legacy('Values come from the arc (next.arcs[].args) or the task (args)'),
  output: legacy('Values are kept with set_ctx in the policy of a task'),
  set: legacy('Values are kept with set_ctx in the policy of a task'),
  set_ctx: legacy('set_ctx belongs into the policy of a task'),
  result: legacy("A step's result is that of its last task"),
  type: legacy('The kind of work is tool.kind'),
  with: legacy('Values are passed with args'),
};

export function readStep(
  node: YamlNode,
  index: number,
  profile: Executor['profile'],
  reading: Reading,
): Step | undefined {
  const map = reading.map(node, `workflow[${index}]`);
  if (map === undefined) return undefined;
  const entry = reading.required(map, 'step', `workflow[${index}]`, 'Give the step a name.');
  const name = entry && reading.text(entry.value, `workflow[${index}].step`);
  const what = `the step '${name ?? index}'`;
  reading.keys(map, what, STEP_KEYS, REPLACED);
  const [desc, specEntry, loopEntry, tool, next] = ['desc', 'spec', 'loop', 'tool', 'next'].map((key) =>
    entryOf(map, key),
  );
  const spec = specEntry && reading.map(specEntry.value, `spec of ${what}`);
  const loop = loopEntry && readLoop(loopEntry.value, `loop of ${what}`, profile, reading);
  if (tool === undefined && next === undefined && entry !== undefined) {
    reading.problems.warn(
      'NOETL_STEP_EMPTY',
      entry.value.span,
      `${what} has neither 'tool' nor 'next' and does nothing`,
      'Give it a task, or remove it.',
    );
  }
  const step = {
    desc: desc && reading.text(desc.value, `desc of ${what}`),
    place: reading.place(entry?.value.span ?? map.span),
    ...readStepSpec(spec, `spec of ${what}`, reading),
    loop,
    tasks: tool === undefined ? [] : readPipeline(tool.value, `tool of ${what}`, loopMode(loop), reading),
    router: next && readRouter(next.value, `next of ${what}`, reading),
  };
  if (loopEntry !== undefined && tool === undefined) {
    reading.problems.error(
      'NOETL_REQUIRED',
      loopEntry.keySpan,
      `${what} has a loop but no 'tool'`,
      'Say what to do for each item.',
    );
  }
  return name === undefined ? undefined : { name, ...step };
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
  );
  return 'any';
}

function readAdmission(node: YamlNode, what: string, reading: Reading): readonly AdmissionRule[] {
  const map = reading.map(node, what);
  if (map === undefined) return [];
  reading.keys(map, what, ADMISSION_KEYS);
  const rules = reading.required(map, 'rules', what);
  if (rules === undefined) return [];
  return readRules(rules.value, `${what}.rules`, reading).flatMap((rule): AdmissionRule[] => {
    const then = rule.then && reading.map(rule.then, 'then');
    if (then === undefined) return [];
    reading.keys(then, 'then of an admission rule', ADMISSION_THEN_KEYS);
    const allow = reading.required(then, 'allow', 'then of an admission rule');
    const value = allow?.value.kind === 'scalar' ? allow.value.value : undefined;
    if (allow !== undefined && typeof value !== 'boolean') reading.wrongType(allow.value, 'allow', 'true or false');
    const when = rule.when === undefined ? undefined : readCondition(rule.when, reading);
    if (typeof value !== 'boolean' || (rule.when !== undefined && when === undefined)) return [];
    return [{ when, allow: value, place: reading.place(rule.node.span) }];
  });
}
