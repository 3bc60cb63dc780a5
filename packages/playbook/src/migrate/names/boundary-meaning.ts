import { type ast, type StaticPath, staticPathOf } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { errorKindMeaning } from './error-kinds.ts';
import { renamed } from './renamed.ts';
import { resultAt, shapeOf } from './result-of.ts';
import type { Key } from './result-shape.ts';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import type { Site } from './site.ts';
import { pathText } from './static-path.ts';
import type { Use } from './use.ts';

const RESULTS: ReadonlySet<string> = new Set(['result', 'response', 'data']);
const OUTCOMES: ReadonlySet<string> = new Set(['this', 'output', 'outcome']);
const ERRORS: ReadonlySet<string> = new Set(['error', 'last_error']);
const RESULT_KEYS: ReadonlySet<Key> = new Set(['data', 'result', 'response']);
const OF_ERRORS: ReadonlySet<Key> = new Set(['status_code', 'message', 'kind', 'type', 'details']);

/** At the arcs of a step: its result is read by its name, its failure is that of the event. */
export function boundaryMeaning(site: Extract<Site, { at: 'arcs' }>, facts: DocumentFacts): Rewrite {
  const { step } = site;
  const shape = shapeOf(facts, step);
  const kinds = errorKindMeaning('event.payload.error.details.status', 'event.payload.error.kind', isErrorKind);

  const result = (path: readonly Key[], old: readonly Key[], use: Use): Replacement | undefined => {
    const found = resultAt(shape, { text: 'results', inside: [step] }, path, use, 'name-result');
    return found !== undefined && 'text' in found
      ? { ...found, covers: (found.covers ?? path.length) + old.length - path.length }
      : found;
  };

  const reference = ({ name, path }: StaticPath, use: Use): Replacement | undefined => {
    const [head, ...rest] = path;
    if (
      facts.names.given.has(name) &&
      name !== 'error' &&
      !OUTCOMES.has(name) &&
      name !== 'response' &&
      name !== 'result'
    )
      return undefined;
    if (RESULTS.has(name)) return site.failed === true ? ofFailure(name, path, use) : result(path, path, use);
    if (ERRORS.has(name)) return ofError(path, path, use);
    if (name === 'status_code')
      return site.failed === true
        ? ofError([name], path, use)
        : renamed('name-result', 'results', [step, 'status'], path);
    if (name === 'success') return { text: "event.status == 'success'", rule: 'name-result' };
    if (!OUTCOMES.has(name)) return undefined;
    if (head === 'error') return ofError(rest, path, use);
    if (head === 'status' && rest.length === 0) return renamed('name-status', 'event', ['status'], path);
    if (head === 'http' && rest[0] === 'status') return renamed('name-result', 'results', [step, 'status'], path);
    return head !== undefined && RESULT_KEYS.has(head) ? result(rest, path, use) : result(path, path, use);
  };

  return {
    expression: (node, textOf) => presence(node) ?? kinds(node, textOf),
    reference,
    compared: ({ name, path }, constant) =>
      OUTCOMES.has(name) && path.length === 1 && path[0] === 'status' && constant === 'ok'
        ? { text: "'success'", rule: 'name-status' }
        : undefined,
  };
}

const isErrorKind = ({ name, path }: StaticPath): boolean =>
  (ERRORS.has(name) && path.length === 1 && path[0] === 'kind') ||
  (OUTCOMES.has(name) && path.length === 2 && path[0] === 'error' && path[1] === 'kind');

/** ENG-5: whether there is an error is told by the event. */
function presence(node: ast.Expression): Replacement | undefined {
  if (node.kind !== 'test' || (node.name !== 'defined' && node.name !== 'undefined')) return undefined;
  const read = staticPathOf(node.value);
  if (read === undefined || read.path.length > 0 || !ERRORS.has(read.name)) return undefined;
  const there = (node.name === 'defined') !== node.negated;
  return { text: `event.name ${there ? '==' : '!='} 'step.failed'`, rule: 'name-result' };
}

/** After a failure there is no result: what was read of the answer is read of the error. */
function ofFailure(name: string, path: readonly Key[], use: Use): Replacement {
  const [head, ...rest] = path;
  if (head === undefined) return renamed('name-result', 'event', ['payload', 'error'], path);
  if (head === 'error') return ofError(rest, path, use);
  if (OF_ERRORS.has(head)) return ofError(path, path, use);
  return {
    problem: `'${pathText(name, path)}' is read after a failure, which leaves no result`,
    hint: 'Of the failure there is event.payload.error with kind, message and details.',
    absent: 'none',
  };
}

function ofError(path: readonly Key[], old: readonly Key[], use: Use): Replacement {
  const [head, ...rest] = path;
  const error = ['payload', 'error'];
  if (head === undefined) {
    return renamed('name-result', 'event', use === 'value' && old.length === 0 ? [...error, 'message'] : error, old);
  }
  if (head === 'status' || head === 'status_code')
    return renamed('name-result', 'event', [...error, 'details', 'status', ...rest], old);
  return renamed('name-result', 'event', [...error, head === 'type' ? 'kind' : head, ...rest], old);
}
