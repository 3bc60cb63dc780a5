import { rewriteTemplate } from '../names/rewrite-template.ts';
import { pathText } from '../names/static-path.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, mapScalars, replacedValue, revalued, textOf } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import type { StepFlow } from './step-flow.ts';
import { withFollowing } from './step-pipeline.ts';
import type { Way } from './way.ts';

/**
 * A step that gives another result than its work goes on by conditions on what the work gave: that is kept in ctx, and
 * read from there. The same objects where no way reads it.
 */
export function withKeptAnswer(
  step: MapTree,
  ways: readonly Way[],
  at: number,
  flow: StepFlow,
): { readonly step: MapTree; readonly ways: readonly Way[] } {
  const key = `${flow.name.replaceAll(/\W/g, '_')}_response`;
  const changed = ways.map((way) => reading(way, key, flow));
  if (changed.every((way, i) => way === ways[i])) return { step, ways };
  const then = [entry('do', 'skip', at), entry('set_ctx', map(entry(key, '{{ _prev }}', at)), at)];
  flow.journal.note('case-result', at, `arcs look at what the work gave, which is kept as ctx.${key}`);
  const keep = map(entry('kind', 'noop', at), policySpec([policyRule(undefined, then, at)], at));
  return { step: withFollowing(step, 'keep', keep, at), ways: changed };
}

function reading(way: Way, key: string, flow: StepFlow): Way {
  const renamed = (tree: Tree): Tree => renamedIn(tree, key, flow);
  const when = way.when && revalued(way.when, renamed(way.when.value));
  const targets = way.targets.map((target) => {
    const args = entryOf(target.arc, 'args');
    const values = args && renamed(args.value);
    return args === undefined || values === args.value || values === undefined
      ? target
      : { ...target, arc: replacedValue(target.arc, 'args', values) };
  });
  const same = when === way.when && targets.every((target, i) => target === way.targets[i]);
  if (same) return way;
  const holds = way.holds === true ? true : rewritten(way.holds, key, flow).text;
  return { ...way, when, holds, targets };
}

const renamedIn = (tree: Tree, key: string, flow: StepFlow): Tree =>
  mapScalars(tree, (scalar) => {
    const text = textOf(scalar);
    return text === undefined ? scalar : respelled(scalar, rewritten(text, key, flow).edits);
  });

const rewritten = (text: string, key: string, { name }: StepFlow) =>
  rewriteTemplate(text, {
    reference: ({ name: read, path }) => {
      const own = read === name ? path : read === 'results' && path[0] === name ? path.slice(1) : undefined;
      return own && { text: pathText('ctx', [key, ...own]), rule: 'case-result' };
    },
  });
