import type { ast } from '@noetl/template';
import { conjunction, templateOf } from '../names/condition.ts';
import { spanOf } from '../names/expression-span.ts';
import { onlyExpression, parsedTemplate } from '../names/parsed-template.ts';

/** Which end of a call or of a step an entry of `case` waits for. */
type CaseEvent = 'success' | 'failure' | 'enter';

/** The condition of an entry of `case`, taken apart. */
export interface CaseCondition {
  readonly event: CaseEvent;
  /** What it says apart from the event, with the names of its author; true if that is all. */
  readonly rest: string | true;
  /** The event of the loop as a whole, not of one call. */
  readonly wholeLoop: boolean;
  /** The event of one call, where a loop makes several. */
  readonly ofCall: boolean;
  /** Whether it names the event. */
  readonly named: boolean;
  /** Whether an end that it leaves open depends on `response.error`, which was an error or a field of an answer. */
  readonly byAnswer: boolean;
}

/**
 * Undefined if the event is named otherwise than by `event.name == '…' and …`. `errorField`: whether the result of the
 * step has a field `error` itself, which says nothing of a failure.
 */
export function readCaseCondition(text: string, errorField: boolean): CaseCondition | undefined {
  const source = text.trim();
  const node = onlyExpression(source);
  if (node === undefined) return undefined;
  const parts = conjuncts(node);
  const names = parts.flatMap((part) => eventName(part) ?? []);
  const left = parts.filter((part) => eventName(part) === undefined && !isSuccess(part) && !isFailure(part));
  const answer = left.some((part) => !isNoFailure(part, ANSWERS) && readsErrorOf(part, source, ANSWERS));
  if (names.length > 1 || left.some((part) => reads(part, source, 'event'))) return undefined;
  const [name] = names;
  const event = name === undefined ? undefined : EVENTS[name];
  if (name !== undefined && event === undefined) return undefined;
  const error = parts.some(isFailure) || left.some((part) => !isNoFailure(part) && reads(part, source, 'error'));
  const failed = error || (answer && !errorField);
  const open = event === 'exit' || event === undefined;
  const rest = conjunction(left.map((part) => templateOf(textOf(part, source))));
  return {
    event: open ? (failed ? 'failure' : 'success') : event,
    rest: typeof rest === 'string' ? rest : true,
    wholeLoop: name === 'loop.done',
    ofCall: name?.startsWith('call.') === true,
    named: name !== undefined,
    byAnswer: open && answer && !error,
  };
}

const EVENTS: Readonly<Record<string, CaseEvent | 'exit'>> = {
  'call.done': 'success',
  'call.error': 'failure',
  'call.failed': 'failure',
  'loop.done': 'success',
  'step.done': 'success',
  'step.failed': 'failure',
  'step.error': 'failure',
  'step.exit': 'exit',
  'step.enter': 'enter',
};

function conjuncts(node: ast.Expression): readonly ast.Expression[] {
  return node.kind === 'binary' && node.operator === 'and'
    ? [...conjuncts(node.left), ...conjuncts(node.right)]
    : [node];
}

/** The text of `event.name == '…'`. */
function eventName(node: ast.Expression): string | undefined {
  const [link, ...more] = node.kind === 'compare' ? node.rest : [];
  if (node.kind !== 'compare' || link?.operator !== '==' || more.length > 0) return undefined;
  const sides = [node.first, link.operand];
  const read = sides.find((side) => pathOf(side) === 'event.name' || pathOf(side) === 'event.type');
  const constant = sides.find((side) => side.kind === 'literal');
  return read !== undefined && constant?.kind === 'literal' && typeof constant.value === 'string'
    ? constant.value
    : undefined;
}

/** `response is defined`, `event.status == 'COMPLETED'`: always so after a success. */
function isSuccess(node: ast.Expression): boolean {
  if (node.kind === 'test') return isPresent(node, ['response', 'result']);
  const [link] = node.kind === 'compare' ? node.rest : [];
  return (
    node.kind === 'compare' &&
    node.rest.length === 1 &&
    link?.operator === '==' &&
    pathOf(node.first) === 'event.status' &&
    link.operand.kind === 'literal' &&
    ['completed', 'success', 'ok'].includes(String(link.operand.value).toLowerCase())
  );
}

/** `error is defined`, `error`: always so after a failure. */
const isFailure = (node: ast.Expression): boolean =>
  pathOf(node) === 'error' || (node.kind === 'test' && isPresent(node, ['error']));

/** `not error`, `error is not defined`, `error == none`: never so after a failure. */
function isNoFailure(node: ast.Expression, errors: readonly string[] = ERRORS): boolean {
  const isError = (part: ast.Expression): boolean => errors.includes(pathOf(part) ?? '');
  if (node.kind === 'unary')
    return (
      node.operator === 'not' &&
      (isError(node.operand) || (node.operand.kind === 'test' && isPresent(node.operand, errors)))
    );
  if (node.kind === 'test') return isError(node.value) && (node.name === 'defined' ? node.negated : isAbsent(node));
  const [link, ...more] = node.kind === 'compare' ? node.rest : [];
  if (node.kind !== 'compare' || link?.operator !== '==' || more.length > 0) return false;
  return isError(node.first) && link.operand.kind === 'literal' && link.operand.value === null;
}

const ERRORS = ['error'];
/** What stood for the answer, error included. */
const ANSWERS = ['response.error', 'result.error', 'this.error'];

const isAbsent = (node: ast.Test): boolean => !node.negated && (node.name === 'undefined' || node.name === 'none');

const isPresent = (node: ast.Test, names: readonly string[]): boolean =>
  names.includes(pathOf(node.value) ?? '') &&
  ((node.name === 'defined' && !node.negated) || (node.name === 'none' && node.negated));

function pathOf(node: ast.Expression): string | undefined {
  if (node.kind === 'name') return node.name;
  if (node.kind !== 'attribute') return undefined;
  const object = pathOf(node.object);
  return object === undefined ? undefined : `${object}.${node.name}`;
}

const textOf = (node: ast.Expression, source: string): string => {
  const { start, end } = spanOf(node, source);
  return source.slice(start, end);
};

/** Whether it reads one of these paths, or something below. */
function readsErrorOf(node: ast.Expression, source: string, paths: readonly string[]): boolean {
  const template = parsedTemplate(templateOf(textOf(node, source)));
  if ('message' in template) return false;
  return template.references().some(({ name, path: [head] }) => paths.includes(`${name}.${head}`));
}

function reads(node: ast.Expression, source: string, name: string): boolean {
  const template = parsedTemplate(templateOf(textOf(node, source)));
  return !('message' in template) && template.references().some((read) => read.name === name);
}
