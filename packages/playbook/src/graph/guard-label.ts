import type { Arc, Router } from '../model/playbook.ts';
import { isUnconditional } from '../soundness/graph.ts';
import { shorten } from './shorten.ts';

const MAX_GUARD = 60;

/** What stands beside an arc: its guard without the braces, or what its place among the other arcs makes of it. */
export function guardLabel(arc: Arc, { mode, arcs }: Router): string | undefined {
  if (isUnconditional(arc)) return mode === 'exclusive' && arc !== arcs[0] ? 'otherwise' : undefined;
  return arc.when?.kind === 'template' ? expressionText(arc.when.template.source, MAX_GUARD) : 'never';
}

/** The inside of a template that is one `{{ … }}`. */
export function expressionText(source: string, max: number): string {
  const [, inside = source] = /^\s*\{\{[-+]?(.*?)[-+]?\}\}\s*$/s.exec(source) ?? [];
  return shorten(inside, max);
}
