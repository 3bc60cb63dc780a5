import type { Reference } from '@noetl/template';
import { rulesOf } from '../body/pipeline.ts';
import { map } from '../tree/build.ts';
import { fieldOf, mapsIn, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';
import { parsedTemplate } from './parsed-template.ts';
import { isHttpField } from './result-shape.ts';

/** What the meaning of names depends on, of the document as its author wrote it. */
export interface NameFacts {
  /** The names that it gives to values of an execution: of workload, of the args of arcs, of variables. */
  readonly given: ReadonlySet<string>;
  /** The names that steps and tasks give to their own args. */
  readonly own: ReadonlySet<string>;
  readonly steps: ReadonlyMap<string, StepNames>;
  /** Variables that belong to the whole execution. */
  readonly shared: ReadonlySet<string>;
}

interface StepNames {
  /** The kind of work that gives the result; of a call into the workbook that of what is called. */
  readonly kind: string | undefined;
  /** Whether it has several tasks, of which the last gives the result. */
  readonly several: boolean;
  /** The labels of its tasks, and those that are read by the name of the step. */
  readonly labels: readonly string[];
  readonly labelsRead: ReadonlySet<string>;
  readonly looped: boolean;
  readonly iterator: string | undefined;
  readonly code: string | undefined;
  /** Whether templates read the result as a list, or fields of an answer's body as its own. */
  readonly listed: boolean;
  readonly unwrapped: boolean;
  /** The steps that lead here. */
  readonly before: ReadonlySet<string>;
  /** The variables that the step keeps for itself (002: set_vars), reads, and reads where it goes on. */
  readonly sets: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly routesBy: ReadonlySet<string>;
}

export function nameFacts(root: MapTree): NameFacts {
  const workbook = workbookKinds(fieldOf(root, 'workbook'));
  const named = new Map(mapsIn(fieldOf(root, 'workflow')).map((step) => [textOf(fieldOf(step, 'step')) ?? '', step]));
  const read = resultReads(named);
  const before = predecessors(named);
  const steps = new Map(
    [...named].map(([name, step]) => [name, stepNames(step, read.get(name) ?? [], before.get(name) ?? NONE, workbook)]),
  );
  return {
    given: givenNames(root),
    own: ownArgs(root),
    steps,
    shared: sharedVariables(root, steps),
  };
}

const NONE: ReadonlySet<string> = new Set();

type Path = readonly (string | number)[];

/** What is read of the result of each step, by its name or by one of those that stood for it. */
function resultReads(steps: ReadonlyMap<string, MapTree>): ReadonlyMap<string, readonly Path[]> {
  const found = new Map<string, Path[]>();
  for (const [step, tree] of steps) {
    for (const { name, path } of referencesIn(tree)) {
      const inside = isOutcome(name) && path[0] !== undefined && INSIDE.has(path[0]);
      const of = steps.has(name) ? name : inside || RESULT_NAMES.has(name) ? step : undefined;
      if (of === undefined) continue;
      const paths = found.get(of) ?? [];
      paths.push(inside && of === step ? path.slice(1) : path);
      found.set(of, paths);
    }
  }
  return found;
}

/** Names that stood for the result of the step that a template belongs to. */
const RESULT_NAMES: ReadonlySet<string> = new Set(['result', 'response', 'this']);
const INSIDE: ReadonlySet<string | number> = new Set(['data', 'result', 'response']);

const isOutcome = (name: string): boolean => name === 'output' || name === 'outcome';

function predecessors(steps: ReadonlyMap<string, MapTree>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [from, step] of steps) {
    const next = fieldOf(step, 'next');
    const below = [next, fieldOf(step, 'case')].flatMap(entriesBelow);
    const inside = below.filter(({ key }) => key === 'step' || key === 'next').map(({ value }) => textOf(value));
    for (const to of [textOf(next), ...inside]) {
      if (to !== undefined) found.set(to, (found.get(to) ?? new Set()).add(from));
    }
  }
  return found;
}

function stepNames(
  step: MapTree,
  read: readonly Path[],
  before: ReadonlySet<string>,
  workbook: ReadonlyMap<string, string | undefined>,
): StepNames {
  const work = workOf(fieldOf(step, 'tool') ?? fieldOf(step, 'type'), step);
  const loop = fieldOf(step, 'loop');
  const iterates = work.kind === 'iterator';
  const holder = loop?.kind === 'map' ? loop : iterates ? (work.body ?? step) : undefined;
  const kind = iterates ? workOf(field(work.body, 'task') ?? field(work.body, 'tool'), step).kind : work.kind;
  const called = textOf(fieldOf(work.body ?? step, 'name')) ?? '';
  const labels = labelsOf(fieldOf(step, 'tool'));
  const heads = read.filter((path) => labelIn(path, labels) === undefined).map(([head]) => head);
  return {
    kind: kind === 'workbook' ? workbook.get(called) : kind,
    several: labels.length > 1,
    labels,
    labelsRead: new Set(read.flatMap((path) => labelIn(path, labels) ?? [])),
    looped: holder !== undefined,
    iterator: textOf(field(holder, 'iterator') ?? field(holder, 'element')),
    code: textOf(field(work.body, 'code') ?? field(field(work.body, 'spec'), 'code') ?? fieldOf(step, 'code')),
    listed: heads.some((head) => typeof head === 'number'),
    unwrapped: heads.some((head) => !isHttpField(head)),
    before,
    sets: new Set(keysUnder(step, 'set_vars')),
    reads: variablesIn(step),
    routesBy: new Set([...variablesIn(fieldOf(step, 'next')), ...variablesIn(fieldOf(step, 'case'))]),
  };
}

const field = (tree: Tree | undefined, key: string): Tree | undefined =>
  tree?.kind === 'map' ? fieldOf(tree, key) : undefined;

const labelsOf = (tool: Tree | undefined): readonly string[] =>
  mapsIn(tool).map((task, i) => {
    const [only] = task.entries;
    const label = task.entries.length === 1 && only?.value.kind === 'map' ? only.key : textOf(fieldOf(task, 'name'));
    return label ?? `task_${i + 1}`;
  });

/** `results.parse.x` of a step whose task `parse` is. */
export const labelIn = ([head, label]: Path, labels: readonly string[]): string | undefined =>
  head === 'results' && typeof label === 'string' && labels.includes(label) ? label : undefined;

/** The work whose result is the step's: that of its last task, unless that is skipped after a success (ENG-11). */
function workOf(tool: Tree | undefined, step: MapTree): { kind: string | undefined; body: MapTree | undefined } {
  if (tool === undefined || tool.kind === 'scalar') return { kind: textOf(tool), body: step };
  if (tool.kind === 'list') {
    const giving = tool.items.findLast(({ value }) => !isSkipped(value));
    return workOf((giving ?? tool.items.at(-1))?.value, step);
  }
  const kind = textOf(fieldOf(tool, 'kind')) ?? textOf(fieldOf(tool, 'type'));
  if (kind !== undefined) return { kind, body: tool };
  const inner = fieldOf(tool, 'tool') ?? (tool.entries.length === 1 ? tool.entries[0]?.value : undefined);
  return inner === undefined ? { kind: undefined, body: tool } : workOf(inner, tool);
}

function isSkipped(task: Tree): boolean {
  const body = workOf(task, EMPTY).body ?? EMPTY;
  const ofSuccess = rulesOf(body).find((rule) => {
    const when = textOf(field(rule.value, 'when'));
    return when === undefined || when.includes("outcome.status == 'ok'");
  });
  const then = field(ofSuccess?.value, 'then') ?? field(field(ofSuccess?.value, 'else'), 'then');
  return textOf(field(then, 'do')) === 'skip';
}

const EMPTY = map();

function workbookKinds(workbook: Tree | undefined): ReadonlyMap<string, string | undefined> {
  const named =
    workbook?.kind === 'map'
      ? workbook.entries.map(({ key, value }) => [key, value] as const)
      : mapsIn(workbook).map((task) => [textOf(fieldOf(task, 'name')) ?? '', task] as const);
  return new Map(
    named.map(([name, task]) => [
      name,
      task.kind === 'map' ? workOf(fieldOf(task, 'tool') ?? fieldOf(task, 'type') ?? task, task).kind : undefined,
    ]),
  );
}

export function referencesIn(tree: Tree | undefined): readonly Reference[] {
  if (tree === undefined) return [];
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => referencesIn(value));
  if (tree.kind === 'map') return tree.entries.flatMap(({ key, value }) => (key === 'code' ? [] : referencesIn(value)));
  const text = textOf(tree);
  if (text === undefined || !text.includes('{')) return [];
  const template = parsedTemplate(text);
  return 'message' in template ? [] : template.references();
}

const variablesIn = (tree: Tree | undefined): ReadonlySet<string> =>
  new Set(
    referencesIn(tree).flatMap(({ name, path: [key] }) => (name === 'vars' && typeof key === 'string' ? [key] : [])),
  );

function entriesBelow(tree: Tree | undefined): readonly EntryTree[] {
  if (tree === undefined || tree.kind === 'scalar') return [];
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => entriesBelow(value));
  return tree.entries.flatMap((part) => [part, ...entriesBelow(part.value)]);
}

export const keysOf = (tree: Tree | undefined): readonly string[] =>
  tree?.kind === 'map' ? tree.entries.map(({ key }) => key) : [];

export const keysUnder = (tree: Tree | undefined, ...keys: readonly string[]): readonly string[] =>
  entriesBelow(tree).flatMap(({ key, value }) => (keys.includes(key) ? keysOf(value) : []));

const ARGS = ['args', 'with', 'input'];

/** An arg that is given what has its own name is given something from outside. */
const ownArgs = (root: MapTree): ReadonlySet<string> =>
  new Set(
    entriesBelow(root)
      .flatMap(({ key, value }) => (ARGS.includes(key) && value.kind === 'map' ? value.entries : []))
      .filter(({ key, value }) => !referencesIn(value).some(({ name }) => name === key))
      .map(({ key }) => key),
  );

function givenNames(root: MapTree): ReadonlySet<string> {
  const routers = mapsIn(fieldOf(root, 'workflow')).flatMap((step) =>
    [fieldOf(step, 'next'), fieldOf(step, 'case')].filter((part) => part !== undefined),
  );
  const sent = routers.flatMap((router) => keysUnder(router, ...ARGS));
  const kept = keysUnder(root, 'vars', 'set_vars', 'set_ctx', 'set_iter', 'set');
  const plain = [...sent, ...kept].map((key) => key.replace(/^(?:ctx|iter)\./, ''));
  return new Set([...keysOf(fieldOf(root, 'workload')), ...plain]);
}

/** 003: variables of steps and of the root; 002: what a step reads that another one set. */
function sharedVariables(root: MapTree, steps: ReadonlyMap<string, StepNames>): ReadonlySet<string> {
  const all = [...steps.values()];
  const crossing = all.flatMap(({ reads, sets }) => [...reads].filter((key) => !sets.has(key)));
  return new Set([...keysOf(fieldOf(root, 'vars')), ...keysUnder(root, 'vars'), ...crossing]);
}
