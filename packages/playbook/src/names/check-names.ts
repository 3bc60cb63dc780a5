import type { Reference } from '@noetl/template';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Problems } from '../diagnostics/problems.ts';
import type { Loop, Playbook } from '../model/playbook.ts';
import { RESERVED_ITERATORS } from '../model/vocabulary.ts';
import type { Doubts } from '../reading/doubts.ts';
import { offsetInFile, type Span } from '../yaml/node.ts';
import { type ProvidedNames, providedNames } from './provided-names.ts';
import { type Site, type TemplateSite, templateSites } from './template-sites.ts';

const ALWAYS = ['workload', 'execution_id', 'job'];
const DATA = [...ALWAYS, 'ctx', 'args', 'results'];
const PIPELINE = [...DATA, 'iter', '_prev', '_task', '_attempt'];

/** TPL-5: which scopes a template sees at its site. */
const VISIBLE: Readonly<Record<Site, readonly string[]>> = {
  workload: ALWAYS,
  keychain: [...ALWAYS, 'keychain'],
  admission: [...DATA, 'event'],
  routing: [...DATA, 'event'],
  'arc args': [...DATA, 'event'],
  loop: DATA,
  'inner loop': [...DATA, 'iter'],
  args: [...PIPELINE, 'keychain'],
  task: [...PIPELINE, 'keychain'],
  payload: PIPELINE,
  result: PIPELINE,
  condition: [...PIPELINE, 'keychain', 'outcome'],
  patch: [...PIPELINE, 'outcome'],
  workbook: [...PIPELINE, 'keychain'],
};

const SCOPES: ReadonlySet<string> = new Set([...PIPELINE, 'keychain', 'outcome', 'event']);

const WHERE: Readonly<Record<string, string>> = {
  keychain:
    'keychain exists only on workers and in the keychain section: secrets never reach the server, a patch, a result or a child',
  outcome: 'outcome exists only in the policy of a task',
  event: 'event exists only in admission and routing',
  iter: 'iter exists only inside of a loop',
};

/** Names of the template language that are no data. */
const GLOBALS: ReadonlySet<string> = new Set(['range', 'dict', 'namespace', 'cycler', 'joiner', 'lipsum', 'now']);

const NO_NAMES: ReadonlySet<string> = new Set();

/** What is wrong with a reference, wherever it stands in the same surroundings. */
interface Verdict {
  readonly severity: 'error' | 'warn';
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint: string;
}

/** Checks every name that a template reads, before anything runs; whether something provides it only where no error leaves that open. */
export function checkNames(playbook: Playbook, problems: Problems, doubts: Doubts): void {
  const provided = providedNames(playbook, doubts);
  let surroundings: TemplateSite | undefined;
  let verdicts = new Map<string, Verdict | undefined>();
  for (const site of templateSites(playbook)) {
    if (surroundings === undefined || !sameSurroundings(site, surroundings)) verdicts = new Map();
    surroundings = site;
    for (const reference of site.references) {
      const key = `${reference.name}\0${reference.path[0] ?? ''}\0${reference.optional}`;
      let verdict = verdicts.get(key);
      if (verdict === undefined && !verdicts.has(key)) {
        verdict = judge(reference, site, provided, problems);
        verdicts.set(key, verdict);
      }
      if (verdict !== undefined)
        problems[verdict.severity](verdict.code, spanOf(site, reference), verdict.message, verdict.hint);
    }
  }
}

/** Templates of one field and one task see the same names: a list of a thousand is judged once. */
const sameSurroundings = (a: TemplateSite, b: TemplateSite): boolean =>
  a.site === b.site && a.step === b.step && a.task === b.task && a.earlier === b.earlier;

function judge(
  reference: Reference,
  site: TemplateSite,
  provided: ProvidedNames,
  problems: Problems,
): Verdict | undefined {
  const { name } = reference;
  if (SCOPES.has(name)) {
    if (!isVisible(name, site)) {
      const reason = WHERE[name] ?? `${name} exists only in the tasks of a pipeline`;
      return {
        severity: 'error',
        code: 'NOETL_NAME_MISPLACED',
        message: `'${name}' cannot be read here`,
        hint: `${reason}.`,
      };
    }
    return judgePart(reference, site, provided, problems);
  }
  return !GLOBALS.has(name) ? judgeBareName(reference, site, provided, problems) : undefined;
}

function isVisible(name: string, { site, step }: TemplateSite): boolean {
  if (!VISIBLE[site].includes(name)) return false;
  // A task of the workbook may be called from a loop.
  return name !== 'iter' || step === undefined || step.loop !== undefined;
}

/** `workload.x`, `ctx.x`, `args.x`, `keychain.x`, `results.x`: does anything provide x? */
function judgePart(
  reference: Reference,
  site: TemplateSite,
  provided: ProvidedNames,
  problems: Problems,
): Verdict | undefined {
  const [part] = reference.path;
  if (typeof part !== 'string' || reference.optional) return undefined;
  const full = `${reference.name}.${part}`;
  switch (reference.name) {
    case 'workload':
      if (provided.workload !== undefined && !provided.workload.has(part)) {
        return {
          severity: 'warn',
          code: 'NOETL_NAME_WORKLOAD',
          message: `'${full}' has no default in workload`,
          hint:
            problems.suggest(part, provided.workload) ??
            `Add ${part} to workload, or provide for its absence: {{ ${full} | default(…) }}.`,
        };
      }
      return undefined;
    case 'ctx':
      if (provided.ctx !== undefined && !provided.ctx.has(part)) {
        return {
          severity: 'warn',
          code: 'NOETL_NAME_CTX',
          message: `'${full}' is never set`,
          hint:
            problems.suggest(part, provided.ctx) ??
            `Set it with set_ctx in the policy of a task, or provide for its absence: {{ ${full} | default(…) }}.`,
        };
      }
      return undefined;
    case 'args': {
      if (isInWorkbook(site)) return undefined;
      const own = ownArgs(site, provided);
      if (provided.args === undefined || own === undefined || provided.args.has(part) || own.has(part))
        return undefined;
      return {
        severity: 'warn',
        code: 'NOETL_NAME_ARGS',
        message: `'${full}' is passed by no arc`,
        hint:
          problems.suggest(part, provided.args, own) ??
          `Pass it with args of an arc, or provide for its absence: {{ ${full} | default(…) }}.`,
      };
    }
    case 'keychain': {
      if (provided.keychain === undefined) return undefined;
      const position = provided.keychain.get(part);
      const later = site.site === 'keychain' && position !== undefined && position >= site.earlier;
      if (position !== undefined && !later) return undefined;
      return {
        severity: 'error',
        code: 'NOETL_NAME_KEYCHAIN',
        message: `the keychain has no entry '${part}'${later ? ' before this one' : ''}`,
        hint: later
          ? 'Entries may use only those before them.'
          : (problems.suggest(part, provided.keychain) ?? 'Declare it in the keychain section.'),
      };
    }
    case 'iter':
      return judgeIteration(part, site, provided, problems);
    case 'results':
      if (provided.steps !== undefined && !provided.steps.has(part)) {
        return {
          severity: 'warn',
          code: 'NOETL_NAME_UNKNOWN',
          message: `'${full}' is the result of no step`,
          hint: problems.suggest(part, provided.steps) ?? 'Name a step of the workflow: results.<step>.',
        };
      }
      return undefined;
    default:
      return undefined;
  }
}

/** ENG-8: an iteration has its iterators, its position, the iteration around it, and what rules keep in it. */
function judgeIteration(
  part: string,
  { step }: TemplateSite,
  { iter }: ProvidedNames,
  problems: Problems,
): Verdict | undefined {
  // What calls a task of the workbook is not known here.
  if (iter === undefined || step?.loop === undefined) return undefined;
  const nested = step.loop.inner !== undefined;
  const own = RESERVED_ITERATORS.filter((name) => nested || name !== 'parent');
  const names = new Set([...loopIterators(step.loop), ...iter, ...own]);
  if (names.has(part)) return undefined;
  const alone = part === 'parent' ? ': this loop is in no other' : '';
  return {
    severity: 'warn',
    code: 'NOETL_NAME_UNKNOWN',
    message: `'iter.${part}' is no part of the iteration${alone}`,
    hint: problems.suggest(part, names) ?? `It has: ${[...names].slice(0, 20).join(', ')}.`,
  };
}

/** TPL-5: a name without scope is looked for as iterator, in args, in ctx, among step results, in workload. */
function judgeBareName(
  reference: Reference,
  site: TemplateSite,
  provided: ProvidedNames,
  problems: Problems,
): Verdict | undefined {
  if (isInWorkbook(site)) return undefined;
  const { name } = reference;
  const scopes: readonly (readonly [string, ...(ReadonlySet<string> | undefined)[]])[] = [
    ['iter', provided.iter && iterators(site)],
    ['args', provided.args, ownArgs(site, provided)],
    ['ctx', provided.ctx],
    ['results', provided.steps],
    ['workload', provided.workload],
  ];
  const fits = scopes.filter(([, ...sets]) => sets.some((names) => names?.has(name))).map(([scope]) => scope);
  const [first, second] = fits;
  if (second !== undefined) {
    return {
      severity: 'warn',
      code: 'NOETL_NAME_AMBIGUOUS',
      message: `'${name}' is in ${fits.join(' and in ')}; ${first} wins`,
      hint: `Say which one: ${fits.map((scope) => `${scope}.${name}`).join(' or ')}.`,
    };
  } else if (first === undefined && !reference.optional && !scopes.some((scope) => scope.includes(undefined))) {
    const known = scopes.flatMap(([, ...sets]) => sets.flatMap((names) => names ?? []));
    return {
      severity: 'warn',
      code: 'NOETL_NAME_UNKNOWN',
      message: `nothing provides '${name}'`,
      hint: problems.suggest(name, ...known, SCOPES) ?? 'Names come from workload, ctx, args, iter, results.',
    };
  }
  return undefined;
}

/** What a task of the workbook is given is known only at its calls. */
const isInWorkbook = ({ task, step }: TemplateSite): boolean => task !== undefined && step === undefined;

/** What the task passes to itself; undefined if a template makes it. */
const ownArgs = ({ site, task }: TemplateSite, provided: ProvidedNames): ReadonlySet<string> | undefined =>
  task?.args === undefined || site === 'args' || site === 'payload' ? NO_NAMES : provided.argsOf.get(task);

/** The iterators around; an iteration exists neither while its own list is made nor where the step routes. */
function iterators({ site, step }: TemplateSite): ReadonlySet<string> {
  return VISIBLE[site].includes('iter') ? loopIterators(step?.loop) : NO_NAMES;
}

function loopIterators(outermost: Loop | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (let loop = outermost; loop !== undefined; loop = loop.inner) names.add(loop.iterator);
  return names;
}

const spanOf = ({ segments }: TemplateSite, { at, end }: Reference): Span => ({
  start: offsetInFile(segments, at),
  end: offsetInFile(segments, end - 1) + 1,
});
