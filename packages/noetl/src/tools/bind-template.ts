import type { Json } from '@noetl/playbook';
import { type ast, createEngine, type RunOptions, type Scope, type Template } from '@noetl/template';

/** Text as its author wrote it, or a value that a `{{ }}` gave. */
export type BoundPiece = { readonly text: string } | BoundValue;

export interface BoundValue {
  readonly value: Json;
  /** The `{{ }}` as it is written. */
  readonly written: string;
  /** Whether its last filter is `ident`: the value is then a quoted name of SQL. */
  readonly isName: boolean;
  /** Whether the author wrote every text that it can be, as in `{{ 'DESC' if … else 'ASC' }}`. */
  readonly isWritten: boolean;
}

/** Where a value stands in the text while the template is evaluated. */
const MARK = /\u{F0000}(\d+)\u{F0001}/gu;
const MARKS = /[\u{F0000}\u{F0001}]/gu;
const FILTER = 'noetl_bound';

/** What the template that is being evaluated gave so far; evaluation is never interrupted by another. */
let given: { readonly value: Json; readonly output: number }[] = [];

const ENGINE = createEngine({
  undefined: 'checked',
  values: 'json',
  filters: {
    [FILTER]: ([value, output]) =>
      `\u{F0000}${given.push({ value: (value ?? null) as Json, output: Number(output) }) - 1}\u{F0001}`,
    ident: ([name]) => quotedName(name),
  },
});

interface Marked {
  readonly template: Template;
  readonly outputs: readonly Omit<BoundValue, 'value'>[];
}

const marked = new WeakMap<Template, Marked>();

/**
 * Evaluates a template and keeps apart what the author wrote from what templates gave, so that a value can be passed
 * beside the text instead of becoming a part of it (TOOL-3, TOOL-5). Throws a BindProblem or a TemplateError.
 */
export function bindTemplate(template: Template, scope: Scope, run?: RunOptions): readonly BoundPiece[] {
  const { template: prepared, outputs } = marked.get(template) ?? mark(template);
  const outer = given;
  given = [];
  try {
    return piecesOf(prepared.render(scope, run), given, outputs);
  } finally {
    given = outer;
  }
}

function piecesOf(text: string, values: typeof given, outputs: Marked['outputs']): readonly BoundPiece[] {
  const pieces: BoundPiece[] = [];
  let end = 0;
  for (const mark of text.matchAll(MARK)) {
    if (mark.index > end) pieces.push({ text: text.slice(end, mark.index) });
    const { value = null, output = 0 } = values[Number(mark[1])] ?? {};
    pieces.push({ value, ...(outputs[output] ?? UNKNOWN) });
    end = mark.index + mark[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

const UNKNOWN: Omit<BoundValue, 'value'> = { written: '', isName: false, isWritten: false };

export class BindProblem extends Error {}

/** The template with every `{{ … }}` led through the filter that takes its value away. */
function mark(template: Template): Marked {
  const { source, tree } = template;
  const outputs: Omit<BoundValue, 'value'>[] = [];
  let text = '';
  let end = 0;
  for (const { at, expression } of outputsOf(tree.body)) {
    const open = at + (/^\{\{[-+]?/.exec(source.slice(at, at + 3))?.[0].length ?? 2);
    const closed = source.indexOf('}}', expression.end);
    const close = closed - (/[-+]$/.test(source.slice(expression.end, closed)) ? 1 : 0);
    text += `${source.slice(end, open)} (${source.slice(open, close)}) | ${FILTER}(${outputs.length}) `;
    outputs.push({
      written: source.slice(at, closed + 2),
      isName: expression.kind === 'filter' && expression.name === 'ident',
      isWritten: isWrittenText(expression),
    });
    end = close;
  }
  const result = { template: ENGINE.compile((text + source.slice(end)).replace(MARKS, '')), outputs };
  marked.set(template, result);
  return result;
}

function isWrittenText(expression: ast.Expression): boolean {
  if (expression.kind === 'literal') return typeof expression.value === 'string';
  if (expression.kind !== 'conditional' || expression.otherwise === undefined) return false;
  return isWrittenText(expression.then) && isWrittenText(expression.otherwise);
}

/** `schema.table` is a name of two parts; a list gives the parts themselves, which may then hold dots. */
function quotedName(name: unknown): string {
  const parts: readonly unknown[] = Array.isArray(name) ? name : typeof name === 'string' ? name.split('.') : [name];
  const isNamePart = (part: unknown) => typeof part === 'string' && part !== '' && !part.includes('\0');
  if (parts.length === 0 || !parts.every(isNamePart)) {
    throw new BindProblem('| ident needs a name: text such as orders or sales.orders, or a list of the parts.');
  }
  return parts.map((part) => `"${String(part).replaceAll('"', '""')}"`).join('.');
}

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
