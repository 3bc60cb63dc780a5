import type { ast, StaticPath } from '@noetl/template';
import { staticPathOf } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { errorKindMeaning } from './error-kinds.ts';
import { renamed } from './renamed.ts';
import { resultAt, shapeOf } from './result-of.ts';
import type { Key } from './result-shape.ts';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import type { PolicySite } from './site.ts';
import type { Use } from './use.ts';

/** Names that stood for the result alone, and for the whole outcome with the result inside. */
const RESULTS: ReadonlySet<string> = new Set(['result', 'response', 'data']);
const OUTCOMES: ReadonlySet<string> = new Set(['this', 'output', 'outcome']);
const ERRORS: ReadonlySet<string> = new Set(['error', 'last_error']);
const RESULT_KEYS: ReadonlySet<Key> = new Set(['data', 'result', 'response']);
const SAME_KEYS: ReadonlySet<Key> = new Set(['http', 'pg', 'py', 'meta', 'status']);

/** In the rules of a task: what it came to is `outcome`. */
export function outcomeMeaning(site: PolicySite, facts: DocumentFacts): Rewrite {
  const shape = { ...shapeOf(facts, site.step), looped: false };
  // Of several tasks, only the caller knows which one's rules these are.
  const kind = site.kind ?? (facts.names.steps.get(site.step)?.several === true ? undefined : shape.kind);
  const givesResult =
    site.before === undefined || site.before.length + 1 >= (facts.names.steps.get(site.step)?.labels.length ?? 0);
  const kinds = errorKindMeaning('outcome.http.status', 'outcome.error.kind', isErrorKind);

  const result = (path: readonly Key[], old: readonly Key[], use: Use): Replacement | undefined => {
    const [head] = path;
    if (kind === 'http' && (head === 'status_code' || (head === 'status' && !shape.unwrapped && path.length === 1)))
      return renamed('name-outcome', 'outcome', ['http', 'status', ...path.slice(1)], old);
    const found = resultAt({ ...shape, kind }, { text: 'outcome', inside: ['result'] }, path, use, 'name-outcome');
    // The path that is replaced may be longer than the part that is the result's.
    return found !== undefined && 'text' in found
      ? { ...found, covers: (found.covers ?? path.length) + old.length - path.length }
      : found;
  };

  const reference = ({ name, path }: StaticPath, use: Use): Replacement | undefined => {
    const [head, ...rest] = path;
    if (RESULTS.has(name) && !(name === 'data' && facts.names.given.has(name))) return result(path, path, use);
    // A step that reads its own name reads what it has just come to.
    if (name === site.step && givesResult && !facts.names.given.has(name)) return result(path, path, use);
    if (ERRORS.has(name)) return ofError(path, path, use);
    if (name === 'status_code') return renamed('name-outcome', 'outcome', ['http', 'status'], path);
    if (name === 'success') return { text: "outcome.status == 'ok'", rule: 'name-outcome', covers: path.length };
    if (name === 'attempt') return renamed('name-attempt', '_attempt', [], path);
    if (name === 'max_attempts' && site.maxAttempts !== undefined)
      return { text: String(site.maxAttempts), rule: 'name-attempt' };
    if (!OUTCOMES.has(name)) return undefined;
    if (head === 'error' && (name !== 'outcome' || rest.length > 0))
      return unlessSame(name, path, ofError(rest, path, use));
    if (head !== undefined && RESULT_KEYS.has(head))
      return unlessSame(name, path, ofOutcome(head, rest, path, name, use));
    if (name === 'outcome') return undefined;
    if (head !== undefined && SAME_KEYS.has(head)) return renamed('name-outcome', 'outcome', path, path);
    return result(path, path, use);
  };

  const ofOutcome = (head: Key, rest: readonly Key[], path: readonly Key[], name: string, use: Use) => {
    // Canonical documents read what is there; only those that are older anyway may read through it.
    if (name === 'outcome' && head === 'result' && !facts.dialects.has('eval-002')) return undefined;
    return result(rest, path, use);
  };

  return {
    expression: (node, textOf) => presence(node) ?? kinds(node, textOf),
    reference,
    compared: (read, constant) =>
      OUTCOMES.has(read.name) && read.path.length === 1 && read.path[0] === 'status' ? statusWord(constant) : undefined,
  };
}

const isErrorKind = ({ name, path }: StaticPath): boolean =>
  (ERRORS.has(name) && path.length === 1 && path[0] === 'kind') ||
  (OUTCOMES.has(name) && path.length === 2 && path[0] === 'error' && path[1] === 'kind');

/** An outcome has a result and an error even where they are null: that there is one is its status. */
function presence(node: ast.Expression): Replacement | undefined {
  if (node.kind !== 'test' || (node.name !== 'defined' && node.name !== 'undefined')) return undefined;
  const read = staticPathOf(node.value);
  if (read === undefined || read.path.length > 0) return undefined;
  const status = ERRORS.has(read.name) ? 'error' : RESULTS.has(read.name) || read.name === 'this' ? 'ok' : undefined;
  if (status === undefined) return undefined;
  const there = (node.name === 'defined') !== node.negated;
  return { text: `outcome.status ${there ? '==' : '!='} '${status}'`, rule: 'name-outcome' };
}

/** A message alone, an HTTP status and other details once stood for the error. */
function ofError(path: readonly Key[], old: readonly Key[], use: Use): Replacement {
  const [head, ...rest] = path;
  if (head === undefined) {
    const inside = use === 'value' && old.length === 0 ? ['error', 'message'] : ['error'];
    return renamed('name-outcome', 'outcome', inside, old);
  }
  if (head === 'status' || head === 'status_code')
    return renamed('name-outcome', 'outcome', ['http', 'status', ...rest], old);
  const key = head === 'type' ? 'kind' : head;
  return renamed('name-outcome', 'outcome', ['error', key, ...rest], old);
}

/** What is canonical already needs no change. */
function unlessSame(name: string, path: readonly Key[], found: Replacement | undefined): Replacement | undefined {
  if (found === undefined || 'problem' in found || name !== 'outcome') return found;
  return found.text === 'outcome' && found.covers === 0 ? undefined : path.length === 0 ? undefined : found;
}

const STATUS_WORDS: Readonly<Record<string, string>> = { success: 'ok', failed: 'error', failure: 'error' };

function statusWord(constant: unknown): Replacement | undefined {
  const word =
    typeof constant === 'string' && Object.hasOwn(STATUS_WORDS, constant) ? STATUS_WORDS[constant] : undefined;
  return word === undefined ? undefined : { text: `'${word}'`, rule: 'name-status' };
}
