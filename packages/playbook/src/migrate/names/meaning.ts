import { type ast, type Reference, type StaticPath, staticPathOf, type Template } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { boundaryMeaning } from './boundary-meaning.ts';
import { eventMeaning } from './event-meaning.ts';
import { httpStatusMeaning } from './http-status-meaning.ts';
import { labelIn } from './name-facts.ts';
import { outcomeMeaning } from './outcome-meaning.ts';
import { labelMeaning, ownLabelMeaning, previousMeaning } from './previous-meaning.ts';
import { renamed } from './renamed.ts';
import { resultOf } from './result-of.ts';
import { type Replacement, type Rewrite, rewriteTemplate } from './rewrite-template.ts';
import { type Site, stepOf } from './site.ts';
import { literalText, pathText } from './static-path.ts';
import type { Use } from './use.ts';
import { varHome } from './var-home.ts';

/** What older names mean at a site, in one template. */
export function meaningAt(site: Site, facts: DocumentFacts, template: Template): Rewrite {
  const meaning = joined([siteMeaning(site, facts, template.references()), namesEverywhere(site, facts)]);
  const guarded = guardedPaths(template.source);
  return {
    ...meaning,
    reference: (reference, use) => {
      const found = meaning.reference?.(reference, use);
      const absent = found !== undefined && 'problem' in found ? found.absent : undefined;
      if (absent === undefined || !guarded.has(pathText(reference.name, reference.path))) return found;
      const review = `${found !== undefined && 'problem' in found ? found.problem : ''}; the template provides for that`;
      return {
        text: absent === 'none' ? 'none' : reference.name,
        rule: 'name-envelope',
        review,
        covers: absent === 'none' ? undefined : 0,
      };
    },
  };
}

/** What a template asks for, or provides for the absence of, somewhere. */
export function guardedPaths(source: string): { has(path: string): boolean } {
  const guarded = new Set<string>();
  rewriteTemplate(source, {
    reference: ({ name, path }, use) => {
      if (use === 'truth' || use === 'presence') guarded.add(pathText(name, path));
      return undefined;
    },
    expression: (node) => {
      const read = node.kind === 'filter' && /^d(?:efault)?$/.test(node.name) && node.value && staticPathOf(node.value);
      if (read) guarded.add(pathText(read.name, read.path));
      return undefined;
    },
  });
  // Who asks for `a` provides for `a.b`.
  return { has: (path) => [...guarded].some((asked) => path === asked || path.startsWith(`${asked}.`)) };
}

function siteMeaning(site: Site, facts: DocumentFacts, read: readonly Reference[]): Rewrite {
  switch (site.at) {
    case 'policy':
      return joined([
        eventMeaning(site, facts, read),
        ownLabelMeaning(site.step, site.before ?? [], facts),
        outcomeMeaning(site, facts),
        labelMeaning(site.before ?? [], facts),
      ]);
    case 'arcs':
      return joined([
        eventMeaning(site, facts, read),
        httpStatusMeaning(site, facts, read),
        boundaryMeaning(site, facts),
      ]);
    case 'following':
    case 'task':
      return previousMeaning(site, facts);
    default:
      return {};
  }
}

/** The first meaning that knows something decides. */
function joined(meanings: readonly Rewrite[]): Rewrite {
  const first = <T>(ask: (meaning: Rewrite) => T | undefined): T | undefined => {
    for (const meaning of meanings) {
      const answer = ask(meaning);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return {
    expression: (node, textOf) => first((meaning) => meaning.expression?.(node, textOf)),
    reference: (reference, use) => first((meaning) => meaning.reference?.(reference, use)),
    compared: (reference, constant) => first((meaning) => meaning.compared?.(reference, constant)),
  };
}

/** Variables, loops and results by the name of their step. */
function namesEverywhere(site: Site, facts: DocumentFacts): Rewrite {
  const { names } = facts;
  const step = stepOf(site);
  return {
    expression: (node) => (isCallOf(node, 'token') && !names.given.has('token') ? NO_TOKEN : undefined),
    reference: ({ name, path }: StaticPath, use: Use): Replacement | undefined => {
      const loop = name.endsWith('_results') ? name.slice(0, -'_results'.length) : undefined;
      if (name === 'vars') return variable(path);
      if (names.given.has(name) && !names.steps.has(name)) return undefined;
      if (name === 'loop_index') return renamed('name-loop', 'iter', ['index'], path);
      if (name === 'payload' && site.at === 'root' && path.length === 1 && path[0] === site.key)
        return { text: 'none', rule: 'name-payload' };
      if (name === 'step' && path[0] === 'name' && step !== undefined)
        return { text: literalText(step), rule: 'name-step', covers: 1 };
      const label = labelIn(path, names.steps.get(name)?.labels ?? []);
      if (label !== undefined) return ofLabel(name, label, path, use);
      // Before a step has run, a value of its name is not its result.
      if (name === step && names.given.has(name) && BEFORE_RESULT.has(site.at)) return undefined;
      if (names.steps.has(name)) return resultOf(facts, name, names.given.has(name) ? undefined : name, path, use);
      if (loop !== undefined && names.steps.get(loop)?.looped === true)
        return resultOf(facts, loop, undefined, path, use, 'name-loop-results');
      return undefined;
    },
  };

  /** `fetch.results.parse`: the result of the step, if its last task is meant, else what the step keeps of it. */
  function ofLabel(of: string, label: string, path: StaticPath['path'], use: Use): Replacement | undefined {
    const last = names.steps.get(of)?.labels.at(-1) === label;
    if (!last) return renamed('label-kept', 'ctx', path.slice(1), path);
    const found = resultOf(facts, of, undefined, path.slice(2), use, 'name-envelope');
    return found !== undefined && 'text' in found ? { ...found, covers: (found.covers ?? 0) + 2 } : found;
  }

  function variable(path: StaticPath['path']): Replacement {
    const [key, ...rest] = path;
    if (typeof key !== 'string') return { text: 'ctx', rule: 'name-vars', covers: 0 };
    const home = varHome(facts, step, key);
    return renamed('name-vars', home.scope, [home.key, ...rest], path);
  }
}

const BEFORE_RESULT: ReadonlySet<Site['at']> = new Set(['task', 'loop', 'admission']);

const isCallOf = (node: ast.Expression, name: string): boolean =>
  node.kind === 'call' && node.callee.kind === 'name' && node.callee.name === name;

const NO_TOKEN: Replacement = {
  problem: "'token(…)' fetched an access token while a template was rendered, which templates do not",
  hint: 'Declare the token in the keychain (kind oauth2 or bearer) and name it by auth, or read keychain.<name>.',
};
