import { type ast, childrenOf, eachExpression, type StaticPath, staticPathOf, type Template } from '@noetl/template';
import type { RuleId } from '../rules.ts';
import type { TextEdit } from '../tree/respell.ts';
import { BINDING, bindingAsked, bindingOf } from './binding.ts';
import { comparedConstants } from './compared-constants.ts';
import { enclosedSpanOf, spanOf } from './expression-span.ts';
import { parsedTemplate, type TemplateProblem } from './parsed-template.ts';
import { type Use, useIn } from './use.ts';

/** What is to become of the expressions of a template. The first that gives something decides. */
export interface Rewrite {
  /** Of any expression. `textOf` gives the text of a part of it, itself rewritten, with the parentheses that it has. */
  readonly expression?: (node: ast.Expression, textOf: TextOf) => Replacement | undefined;
  /** Of a name and what is read of it, never of the template's own names. */
  readonly reference?: (reference: StaticPath, use: Use) => Replacement | undefined;
  /** Of a constant that a reference is compared with, by ==, !=, in or a test; text in single quotes gets those that were there. */
  readonly compared?: (reference: StaticPath, constant: unknown) => Replacement | undefined;
}

type TextOf = (part: ast.Expression) => string;

/** The text of an expression, or why there is none. */
export type Replacement =
  | {
      readonly text: string;
      readonly rule: RuleId;
      /** Of a reference: how many keys of its path the text stands for, where it is not all. */
      readonly covers?: number | undefined;
      /** What an author should look at. */
      readonly review?: string | undefined;
    }
  | {
      readonly problem: string;
      readonly hint: string;
      /** That there is nothing to read any more: in templates that provide for its absence it stays, or is `none`. */
      readonly absent?: 'stays' | 'none' | undefined;
    };

interface Change {
  readonly rule: RuleId;
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly review: string | undefined;
}

export interface RewrittenTemplate {
  readonly text: string;
  /** In the order of the text, none over another. Empty if there is a problem. */
  readonly edits: readonly TextEdit[];
  readonly changes: readonly Change[];
  readonly problem: TemplateProblem | undefined;
}

/** Rewrites a template through its syntax tree: everything outside of what is replaced stays as it is written. */
export function rewriteTemplate(source: string, rewrite: Rewrite, use: Use = 'value'): RewrittenTemplate {
  const template = parsedTemplate(source);
  return 'message' in template ? unchanged(source, template) : rewriteParsed(template, rewrite, use);
}

const unchanged = (text: string, problem?: TemplateProblem): RewrittenTemplate => ({
  text,
  edits: [],
  changes: [],
  problem,
});

function rewriteParsed(template: Template, rewrite: Rewrite, use: Use): RewrittenTemplate {
  const { source, tree } = template;
  const edits: TextEdit[] = [];
  const changes: Change[] = [];
  let problem: TemplateProblem | undefined;

  const replace = (
    node: ast.Expression,
    replacement: Replacement,
    asked: number,
    own: ReadonlySet<string>,
    whole = node,
  ): void => {
    const { start, end } = spanOf(node, source);
    const fault = 'problem' in replacement ? replacement : captured(replacement.text, own);
    if (fault !== undefined) problem ??= { at: start, message: fault.problem, hint: fault.hint };
    if ('problem' in replacement) return;
    const { text, rule, review } = replacement;
    const from = source.slice(start, end);
    if (text === from && review === undefined) return;
    const enclosed = /\(\s*$/.test(source.slice(0, start)) && /^\s*\)/.test(source.slice(end));
    if (text !== from) edits.push({ start, end, text: enclosed ? text : bound(text, asked) });
    const rest = source.slice(end, whole.end);
    changes.push({ rule, from: from + rest, to: text + rest, at: start, review });
  };

  const visit = (node: ast.Expression, own: ReadonlySet<string>, asked: number, use: Use): void => {
    const textOf: TextOf = (part) => {
      const before = edits.length;
      visit(part, own, bindingAsked(node, part), useIn(node, part, use));
      const inside = edits.splice(before);
      const { start, end } = enclosedSpanOf(part, source);
      return applied(source.slice(start, end), inside, start);
    };
    const whole = rewrite.expression?.(node, textOf);
    if (whole !== undefined) return replace(node, whole, asked, own);
    const reference = staticPathOf(node);
    if (reference !== undefined) {
      const renamed = own.has(reference.name) ? undefined : rewrite.reference?.(reference, use);
      const left = renamed && 'text' in renamed ? reference.path.length - (renamed.covers ?? reference.path.length) : 0;
      if (renamed !== undefined) replace(prefixOf(node, left), renamed, left > 0 ? BINDING.postfix : asked, own, node);
      return;
    }
    for (const { reference: read, constant } of comparedConstants(node)) {
      const other = own.has(read.name) ? undefined : rewrite.compared?.(read, constant.value);
      if (other !== undefined) replace(constant, quotedLike(other, source[constant.at]), BINDING.filtered, own);
    }
    // `x.items()` reads x: the method's name is no part of the path.
    const method = node.kind === 'call' && node.callee.kind === 'attribute' ? node.callee : undefined;
    for (const child of childrenOf(node)) {
      if (child === method) visit(method.object, own, BINDING.postfix, 'value');
      else visit(child, own, bindingAsked(node, child), useIn(node, child, use));
    }
  };

  eachExpression(tree, (expression, own) => {
    // A statement takes what follows `if` for its own.
    const output = /\{\{[-+]?\s*$/.test(source.slice(0, spanOf(expression, source).start));
    visit(expression, own, output ? BINDING.tuple : BINDING.or, use);
  });
  if (problem !== undefined) return unchanged(source, problem);
  edits.sort((a, b) => a.start - b.start);
  changes.sort((a, b) => a.at - b.at);
  return { text: applied(source, edits), edits, changes, problem };
}

/** `a.b.c` without its last keys. */
function prefixOf(node: ast.Expression, left: number): ast.Expression {
  return left > 0 && (node.kind === 'attribute' || node.kind === 'item') ? prefixOf(node.object, left - 1) : node;
}

const quotedLike = (other: Replacement, quote: string | undefined): Replacement =>
  'text' in other && quote === '"' ? { ...other, text: other.text.replace(/^'([^'"\\]*)'$/, '"$1"') } : other;

/** A text in parentheses if its place asks for more than it holds together. */
export function bound(text: string, asked: number): string {
  const parsed = parsedTemplate(`{{ ${text} }}`);
  const output = 'message' in parsed ? undefined : parsed.tree.body[0];
  if ('message' in parsed || output?.kind !== 'output') return text;
  const { start, end } = spanOf(output.expression, parsed.source);
  const parenthesized = parsed.source.slice(start, end) !== text.trim();
  return parenthesized || bindingOf(output.expression) >= asked ? text : `(${text})`;
}

/** The text after edits that are given for a longer one, of which it is the part from `offset` on. */
function applied(text: string, edits: readonly TextEdit[], offset = 0): string {
  let result = '';
  let done = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(done, edit.start - offset) + edit.text;
    done = edit.end - offset;
  }
  return result + text.slice(done);
}

/** A name that the template assigns itself cannot be read from outside in its place. */
function captured(text: string, own: ReadonlySet<string>): { problem: string; hint: string } | undefined {
  if (own.size === 0) return undefined;
  const parsed = parsedTemplate(`{{ ${text} }}`);
  const hidden = 'message' in parsed ? undefined : parsed.references().find(({ name }) => own.has(name));
  if (hidden === undefined) return undefined;
  return {
    problem: `'${hidden.name}' is assigned by the template itself, so that '${text}' cannot be read here`,
    hint: `Give the name that the template assigns another one than '${hidden.name}'.`,
  };
}
