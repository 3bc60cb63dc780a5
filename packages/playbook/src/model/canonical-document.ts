import type { Json, JsonMap } from './json.ts';
import type { AdmissionRule, Arc, Condition, Loop, Playbook, Router, Rule, Step, Task, Then } from './playbook.ts';
import { sourceOf, type Templated } from './templated.ts';
import { API_VERSION, DOCUMENT_KIND, RUNTIME_VERSION } from './vocabulary.ts';

/**
 * The playbook as a document in the one canonical form: labelled tasks, router objects, `else: { then }`, a workbook by
 * name. Every default of the language is written out, so documents that mean the same give the same; what has no default
 * is left out. Reading it gives the same playbook again, except for places.
 */
export function canonicalDocument(playbook: Playbook): JsonMap {
  const { metadata, executor, keychain, workbook } = playbook;
  return {
    apiVersion: API_VERSION,
    kind: DOCUMENT_KIND,
    metadata: given({
      name: metadata.name,
      path: metadata.path,
      version: metadata.version,
      description: metadata.description,
      labels: metadata.labels,
      tags: metadata.tags,
    }),
    executor: {
      profile: executor.profile,
      version: RUNTIME_VERSION,
      spec: given({
        entry_step: playbook.entryStep,
        result_step: playbook.resultStep,
        execution_timeout: executor.executionTimeout,
        step_timeout: executor.stepTimeout,
        ...executor.spec,
      }),
    },
    keychain: keychain.map(({ name, kind, fields }) => ({ name, kind, ...(sourceOf(fields) as JsonMap) })),
    workload: sourceOf(playbook.workload),
    workbook: Object.fromEntries([...workbook].map(([name, task]) => [name, canonicalTask(task)])),
    workflow: playbook.workflow.map(canonicalStep),
  };
}

function canonicalStep(step: Step): JsonMap {
  const admission = step.admission.length === 0 ? undefined : { admit: { rules: step.admission.map(admissionRule) } };
  return given({
    step: step.name,
    desc: step.desc,
    spec: given({
      policy: admission,
      join: step.join,
      pool: step.pool,
      step_timeout: step.timeout,
      ...step.spec,
    }),
    loop: step.loop && canonicalLoop(step.loop),
    tool: step.tasks.length === 0 ? undefined : step.tasks.map((task) => ({ [task.label]: canonicalTask(task) })),
    next: step.router && canonicalRouter(step.router),
  });
}

function canonicalLoop(loop: Loop): JsonMap {
  return given({
    in: sourceOf(loop.in),
    iterator: loop.iterator,
    spec: {
      mode: loop.mode,
      max_in_flight: loop.maxInFlight,
      policy: { exec: loop.exec, failure: loop.failure },
      ...loop.spec,
    },
    loop: loop.inner && canonicalLoop(loop.inner),
  });
}

function canonicalTask(task: Task): JsonMap {
  const policy = task.policy && { rules: task.policy.rules.map(outcomeRule) };
  const fields = Object.entries(task.fields).map(([name, field]): [string, Json] => [name, sourceOf(field)]);
  return given({
    kind: task.kind,
    desc: task.desc,
    auth: source(task.auth),
    args: source(task.args),
    ...Object.fromEntries(fields),
    spec: given({ policy, ...task.spec }),
  });
}

const outcomeRule = ({ when, then }: Rule): JsonMap => rule(when, canonicalThen(then));
const admissionRule = ({ when, allow }: AdmissionRule): JsonMap => rule(when, { allow });

const rule = (when: Condition | undefined, then: JsonMap): JsonMap =>
  when === undefined ? { else: { then } } : { when: condition(when), then };

function canonicalThen(then: Then): JsonMap {
  const retry = {
    attempts: then.attempts,
    backoff: then.backoff,
    delay: sourceOf(then.delay),
    max_delay: then.maxDelay,
  };
  const shared = then.setShared.map(({ key, reduce, value }) => [key, { reduce, value: sourceOf(value) }] as const);
  return given({
    do: then.do,
    // These have a meaning for retry alone.
    ...(then.do === 'retry' ? retry : {}),
    to: then.to,
    set_iter: source(then.setIter),
    set_ctx: source(then.setCtx),
    set_shared: shared.length === 0 ? undefined : Object.fromEntries(shared),
  });
}

function canonicalRouter({ mode, onFailure, arcs }: Router): JsonMap {
  return { spec: { mode, on_failure: onFailure }, arcs: arcs.map(canonicalArc) };
}

const canonicalArc = ({ step, when, args }: Arc): JsonMap =>
  given({ step, when: when && condition(when), args: source(args) });

const condition = (when: Condition): Json => (when.kind === 'constant' ? when.value : when.template.source);
const source = (data: Templated | undefined): Json | undefined => data && sourceOf(data);

/** The entries that have a value. */
function given(entries: Readonly<Record<string, Json | undefined>>): JsonMap {
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
