import { type ast, type Reference, type StaticPath, staticPathOf } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import type { Site } from './site.ts';
import { pathText } from './static-path.ts';

const STATUS_KEYS: ReadonlySet<unknown> = new Set(['status_code', 'status']);
const RESULTS: ReadonlySet<string> = new Set(['response', 'result']);

/**
 * An answer outside of 2xx was a result with a status, and is a failure now (TOOL-2). A condition of an arc that can hold
 * for one asks for both: after a failure the status is that of the error, and only arcs that read `event` are considered
 * (ENG-5).
 */
export function httpStatusMeaning(
  { step }: Extract<Site, { at: 'arcs' }>,
  facts: DocumentFacts,
  read: readonly Reference[],
): Rewrite {
  const { kind, looped } = facts.names.steps.get(step) ?? {};
  // A template that asks for the event says itself when it is meant.
  if (kind !== 'http' || looped === true || read.some(({ name }) => name === 'event')) return {};
  const status = `(event.payload.error.details.status if event.name == 'step.failed' else ${pathText('results', [step])}.status)`;
  return {
    expression: (node, textOf): Replacement | undefined => {
      const [link, ...more] = node.kind === 'compare' ? node.rest : [];
      if (node.kind !== 'compare' || link === undefined || more.length > 0) return undefined;
      const reference = staticPathOf(node.first);
      if (reference === undefined || !isStatus(reference, step) || onlySuccess(link.operator, link.operand))
        return undefined;
      return { text: `${status} ${link.operator} ${textOf(link.operand)}`, rule: 'name-http-status' };
    },
  };
}

const isStatus = ({ name, path }: StaticPath, step: string): boolean =>
  (name === 'status_code' && path.length === 0) ||
  ((name === step || RESULTS.has(name)) && path.length === 1 && STATUS_KEYS.has(path[0])) ||
  (name === 'output' && path.length === 2 && path[0] === 'http' && path[1] === 'status');

/** Whether the comparison can hold for answers of 2xx alone. */
function onlySuccess(operator: ast.CompareOperator, operand: ast.Expression): boolean {
  const constants = operand.kind === 'list' || operand.kind === 'tuple' ? operand.items : [operand];
  const successes = constants.every(
    (item) => item.kind === 'literal' && typeof item.value === 'number' && item.value >= 200 && item.value < 300,
  );
  return successes && (operator === '==' || operator === 'in');
}
