import type { Json } from '@noetl/playbook';
import { type ast, createEngine, type Scope, type Template } from '@noetl/template';

/** Text as its author wrote it, or a value that a `{{ }}` gave. */
export type BoundPiece = { readonly text: string } | { readonly value: Json };

/** Where a value stands in the text while the template is evaluated. */
const MARK = /\u{F0000}(\d+)\u{F0001}/gu;
const MARKS = /[\u{F0000}\u{F0001}]/gu;
const FILTER = 'noetl_bound';

/**
 * Evaluates a template and keeps apart what the author wrote from what templates gave, so that a value can be passed
 * beside the text instead of becoming a part of it (TOOL-3, TOOL-5). Throws a BindProblem or a TemplateError.
 */
export function bindTemplate(template: Template, scope: Scope): readonly BoundPiece[] {
  const values: Json[] = [];
  const engine = createEngine({
    undefined: 'checked',
    values: 'json',
    filters: {
      [FILTER]: ([value]) => `\u{F0000}${values.push((value ?? null) as Json) - 1}\u{F0001}`,
    },
  });
  const text = engine.compile(markedSource(template)).render(scope);
  const pieces: BoundPiece[] = [];
  let end = 0;
  for (const mark of text.matchAll(MARK)) {
    if (mark.index > end) pieces.push({ text: text.slice(end, mark.index) });
    pieces.push({ value: values[Number(mark[1])] ?? null });
    end = mark.index + mark[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

export class BindProblem extends Error {}

/** The source with every `{{ … }}` led through the filter that takes its value away. */
function markedSource({ source, tree }: Template): string {
  let marked = '';
  let end = 0;
  for (const { at, expression } of outputsOf(tree.body)) {
    const open = at + (/^\{\{[-+]?/.exec(source.slice(at, at + 3))?.[0].length ?? 2);
    const close = source.indexOf('}}', expression.end) - (/[-+]$/.test(closing(source, expression.end)) ? 1 : 0);
    marked += `${source.slice(end, open)} (${source.slice(open, close)}) | ${FILTER} `;
    end = close;
  }
  return (marked + source.slice(end)).replace(MARKS, '');
}

const closing = (source: string, from: number): string => source.slice(from, source.indexOf('}}', from));

function outputsOf(body: readonly ast.Statement[]): readonly ast.Output[] {
  return body.flatMap((statement): readonly ast.Output[] => {
    switch (statement.kind) {
      case 'output':
        return [statement];
      case 'if':
        return outputsOf([...statement.branches.flatMap((branch) => branch.body), ...statement.otherwise]);
      case 'for':
        return outputsOf([...statement.body, ...statement.otherwise]);
      case 'with':
        return outputsOf(statement.body);
      case 'text':
      case 'set':
        return [];
      default:
        throw new BindProblem(`{% ${statement.kind} %} makes text of values, which cannot be kept apart here.`);
    }
  });
}
