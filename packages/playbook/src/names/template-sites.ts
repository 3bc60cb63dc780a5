import type { Reference } from '@noetl/template';
import type { Condition, Loop, Playbook, Step, Task, Then } from '../model/playbook.ts';
import { type Templated, templatesOf } from '../model/templated.ts';
import type { Segment } from '../yaml/node.ts';

/** Where a template stands decides which names it may read (TPL-5). */
export type Site =
  | 'workload'
  | 'keychain'
  | 'admission'
  | 'routing'
  | 'arc args'
  | 'loop'
  | 'inner loop'
  | 'task'
  | 'args'
  | 'payload'
  | 'result'
  | 'condition'
  | 'patch'
  | 'workbook';

export interface TemplateSite {
  readonly site: Site;
  readonly references: readonly Reference[];
  /** Where the characters of the template stand in the file. */
  readonly segments: readonly Segment[];
  /** The step it belongs to; undefined at the root. */
  readonly step: Step | undefined;
  /** The task it belongs to, where there is one. */
  readonly task: Task | undefined;
  /** In the keychain section: how many entries are resolved before it. */
  readonly earlier: number;
}

/** Every template of a playbook with its site. */
export function* templateSites(playbook: Playbook): Generator<TemplateSite> {
  yield* sitesOf('workload', playbook.workload, undefined);
  for (const [earlier, entry] of playbook.keychain.entries()) {
    for (const site of sitesOf('keychain', entry.fields, undefined)) yield { ...site, earlier };
  }
  for (const step of playbook.workflow) yield* stepSites(step);
  for (const task of playbook.workbook.values()) yield* taskSites(task, undefined, 'workbook');
}

function* stepSites(step: Step): Generator<TemplateSite> {
  for (const rule of step.admission) yield* conditionSite('admission', rule.when, step);
  for (let loop: Loop | undefined = step.loop; loop !== undefined; loop = loop.inner)
    yield* sitesOf(loop === step.loop ? 'loop' : 'inner loop', loop.in, step);
  for (const task of step.tasks) yield* taskSites(task, step, 'task');
  for (const arc of step.router?.arcs ?? []) {
    yield* conditionSite('routing', arc.when, step);
    yield* sitesOf('arc args', arc.args, step);
  }
}

function* taskSites(task: Task, step: Step | undefined, site: 'task' | 'workbook'): Generator<TemplateSite> {
  yield* sitesOf(site, task.auth, step, task);
  // A task's own args are not there yet while they are rendered.
  const args = site === 'task' ? 'args' : site;
  yield* sitesOf(task.kind === 'playbook' ? 'payload' : args, task.args, step, task);
  for (const [name, field] of Object.entries(task.fields)) {
    yield* sitesOf(isStored(task.kind, name) ? 'result' : site, field, step, task);
  }
  for (const { when, then } of task.policy?.rules ?? []) {
    yield* conditionSite('condition', when, step, task);
    yield* thenSites(then, step, task);
  }
}

/** SEC-3: what stands in the log as it was rendered. A child's request and a wait are carried out by the server. */
const isStored = (kind: string, field: string): boolean =>
  kind === 'playbook' || kind === 'wait' || (kind === 'noop' && field === 'result');

function* thenSites(then: Then, step: Step | undefined, task: Task): Generator<TemplateSite> {
  yield* sitesOf('condition', then.delay, step, task);
  yield* sitesOf('patch', then.setIter, step, task);
  yield* sitesOf('patch', then.setCtx, step, task);
  for (const write of then.setShared) yield* sitesOf('patch', write.value, step, task);
}

function* sitesOf(
  site: Site,
  data: Templated | undefined,
  step: Step | undefined,
  task?: Task,
): Generator<TemplateSite> {
  if (data === undefined) return;
  for (const { template, segments } of templatesOf(data)) {
    yield { site, references: template.references(), segments, step, task, earlier: 0 };
  }
}

function* conditionSite(
  site: Site,
  condition: Condition | undefined,
  step: Step | undefined,
  task?: Task,
): Generator<TemplateSite> {
  if (condition?.kind !== 'template') return;
  yield* sitesOf(site, condition, step, task);
}
