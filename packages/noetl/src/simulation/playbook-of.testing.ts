import type { Json, JsonMap } from '@noetl/playbook';
import { type LoopSegment, readsSecrets, type Segment, type Task, type Workflow } from './workflow.testing.ts';

/** The variable of the environment that the keychain of simulated playbooks reads. */
export const SECRET_NAME = 'SIMULATED_TOKEN';

type Step = JsonMap;

/** The playbook of a workflow, as the document that a user would write. */
export function playbookOf(workflow: Workflow, path: string): JsonMap {
  const { segments } = workflow;
  const entry = (at: number): string => (at === segments.length ? 'last' : at === 0 ? 'start' : `s${at}`);
  const steps = segments.flatMap((segment, at) => stepsOf(segment, entry(at), entry(at + 1)));
  const gathered = Object.fromEntries(
    segments.flatMap((segment, at) => shownResults(segment, entry(at)).map((shown) => [shown.name, shown.value])),
  );
  const last: Step = {
    step: segments.length === 0 ? 'start' : 'last',
    tool: [{ gather: tool({ gives: { ctx: '{{ ctx }}', ...gathered } }) }],
  };
  return {
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: path, path },
    ...(readsSecrets(workflow)
      ? { keychain: [{ name: 'token', kind: 'secret_manager', provider: 'env', key: SECRET_NAME }] }
      : {}),
    executor: { spec: { result_step: last.step as string } },
    workflow: [...steps, last],
  };
}

/** What the scripted tools are told: they do what their args say. */
const tool = (args: JsonMap): JsonMap => ({ kind: 'noop', args });

function stepsOf(segment: Segment, name: string, next: string): readonly Step[] {
  const on = { arcs: [{ step: next }] };
  switch (segment.kind) {
    case 'pass':
      return [{ step: name, next: on }];
    case 'work':
      return withRescue({ step: name, tool: pipeline(segment.tasks, name) }, next, segment.rescued);
    case 'loop':
      return withRescue(loopStep(segment, name), next, segment.rescued);
    case 'call':
      return withRescue({ step: name, tool: [{ call: callOf('{{ 1 }}', segment.waits) }] }, next, segment.rescued);
    case 'wait':
      return [{ step: name, tool: [{ await: waitOf(segment.for, segment.signal) }], next: on }];
    case 'overdue':
      return withRescue(
        { step: name, spec: { step_timeout: 2 }, tool: [{ slow: tool({ takes: 60_000 }) }] },
        next,
        true,
      );
    case 'cycle': {
      const again = {
        step: name,
        when: `{{ (args.n | default(0)) < ${segment.times} }}`,
        args: { n: '{{ (args.n | default(0)) + 1 }}' },
      };
      return [{ step: name, tool: pipeline(segment.tasks, name), next: { arcs: [again, ...on.arcs] } }];
    }
    case 'choice': {
      const arcs = [{ step: `${name}b`, when: `{{ ${segment.second} }}` }, { step: `${name}a` }];
      const ways = ['a', 'b'].map((way) => ({
        step: `${name}${way}`,
        tool: pipeline(segment.tasks, `${name}${way}`),
        next: on,
      }));
      return [{ step: name, next: { arcs } }, ...ways];
    }
    case 'fork': {
      const branches = segment.branches.map((tasks, index) => ({
        step: `${name}b${index}`,
        tool: pipeline(tasks, `${name}b${index}`),
        next: { arcs: [{ step: `${name}join`, args: { [`b${index}`]: index } }] },
      }));
      const arcs = branches.map(({ step }) => ({ step }));
      const join = {
        step: `${name}join`,
        spec: { join: segment.join === 'all' ? 'all' : branches.length },
        tool: [{ meet: tool({ gives: '{{ args }}' }) }],
        next: on,
      };
      return [{ step: name, next: { spec: { mode: 'inclusive' }, arcs } }, ...branches, join];
    }
  }
}

function withRescue(step: JsonMap, next: string, rescued: boolean): readonly Step[] {
  if (!rescued) return [{ ...step, next: { arcs: [{ step: next }] } }];
  const rescue = `${step.step}rescue`;
  const arcs = [{ step: next }, { step: rescue, when: "{{ event.name == 'step.failed' }}" }];
  return [
    { ...step, next: { arcs } },
    { step: rescue, tool: [{ mend: tool({ gives: rescue }) }], next: { arcs: [{ step: next }] } },
  ];
}

function loopStep(segment: LoopSegment, name: string): Step {
  const { mode, window, items, inner, failure, body } = segment;
  const spec = { mode, max_in_flight: window, policy: { failure } };
  const list = (length: number): Json => Array.from({ length }, (_, index) => index);
  const nested = inner === 0 ? {} : { loop: { in: list(inner), iterator: 'y', spec } };
  const tasks = {
    tasks: () => pipeline(segment.tasks, name, segment),
    child: () => [{ call: callOf('{{ iter.x }}', true) }],
    signal: () => [{ await: waitOf('signal', segment.signal) }],
    delay: () => [{ await: waitOf('delay', segment.signal) }],
  };
  return { step: name, loop: { in: list(items), iterator: 'x', spec, ...nested }, tool: tasks[body]() };
}

const callOf = (n: string, waits: boolean): JsonMap => ({ kind: 'playbook', path: 'child', args: { n }, wait: waits });

const waitOf = (what: 'signal' | 'approval' | 'delay', name: string): JsonMap =>
  what === 'delay' ? { kind: 'wait', for: 'delay', seconds: 7 } : { kind: 'wait', for: what, name };

function pipeline(tasks: readonly Task[], step: string, loop?: LoopSegment): readonly JsonMap[] {
  return tasks.map((task, index) => {
    const label = `t${index}`;
    const last = index === tasks.length - 1;
    const args = { ...argsOf(task, loop, last), ...(task.secret ? { header: 'Bearer {{ keychain.token }}' } : {}) };
    const rules = rulesOf(task, label, step, last ? loop : undefined);
    return { [label]: { ...tool(args), spec: { policy: { rules } } } };
  });
}

function argsOf({ takes, fails, pages, bytes }: Task, loop: LoopSegment | undefined, last: boolean): JsonMap {
  const failing = loop === undefined || !last || loop.failing < 0 ? undefined : loop.failing;
  return {
    ...(takes > 0 ? { takes } : {}),
    ...(failing !== undefined
      ? { fails: `{{ 9 if iter.x == ${failing} else ${fails} }}` }
      : fails > 0
        ? { fails }
        : {}),
    ...(pages > 1 ? { pages } : {}),
    ...(bytes > 0 ? { bytes } : {}),
  };
}

function rulesOf(task: Task, label: string, step: string, loop: LoopSegment | undefined): readonly JsonMap[] {
  const { fails, tries, pause, pages, writes, ends } = task;
  const retry = { do: 'retry', attempts: tries, delay: pause === 'long' ? 6 : 0.1, backoff: 'none' };
  const retries = tries > 1 && fails > 0 ? [{ when: "{{ outcome.status == 'error' }}", then: retry }] : [];
  const again = { do: 'jump', to: label };
  const jumps =
    pages > 1 ? [{ when: `{{ outcome.status == 'ok' and outcome.result.page < ${pages} }}`, then: again }] : [];
  const end = { do: ends, ...writesOf(writes, label, step, loop) };
  return [
    ...retries,
    ...jumps,
    { when: "{{ outcome.status == 'ok' }}", then: end },
    { else: { then: { do: 'fail' } } },
  ];
}

function writesOf(writes: boolean, label: string, step: string, loop: LoopSegment | undefined): JsonMap {
  if (loop === undefined)
    return writes ? { set_ctx: { [`${step}_${label}`]: '{{ outcome.result | string | length }}' } } : {};
  const key = (name: string): string => `${step}_${name}`;
  switch (loop.writes) {
    case 'nothing':
      return {};
    case 'the same':
      return { set_ctx: { [key('same')]: true } };
    case 'conflicts':
      return { set_ctx: { [key('place')]: '{{ iter.index }}' } };
    case 'shares':
      return {
        set_shared: {
          [key('sum')]: { reduce: 'sum', value: '{{ iter.index + 0.1 }}' },
          [key('all')]: { reduce: 'append', value: '{{ iter.index }}' },
        },
      };
  }
}

/** Results that do not depend on when things happened. */
function shownResults(segment: Segment, name: string): readonly { name: string; value: Json }[] {
  const of = (step: string): string => `results.${step} | default(none)`;
  const shown = (step: string) => ({ name: step, value: `{{ (${of(step)}) | string | length }}` });
  if (segment.kind === 'wait') {
    return segment.for === 'delay' ? [] : [{ name, value: `{{ results.${name}.payload | string | length }}` }];
  }
  if (segment.kind === 'overdue') return [shown(`${name}rescue`)];
  if (segment.kind === 'loop' && segment.body !== 'tasks')
    return [{ name, value: `{{ (${of(name)} or []) | length }}` }];
  if (segment.kind === 'call') return segment.waits ? [{ name, value: `{{ ${of(name)} }}` }] : [];
  if (segment.kind === 'fork') return [{ name: `${name}join`, value: `{{ ${of(`${name}join`)} }}` }];
  if (segment.kind === 'choice') return [shown(`${name}a`), shown(`${name}b`)];
  // What is too large for an event is too large for the input of the last task, too.
  if (segment.kind === 'work') return [{ name, value: `{{ ${of(name)} }}` }];
  if (segment.kind === 'cycle') return [shown(name)];
  if (segment.kind !== 'loop') return [];
  return segment.tasks.some(({ bytes }) => bytes > 0) ? [shown(name)] : [{ name, value: `{{ ${of(name)} }}` }];
}
