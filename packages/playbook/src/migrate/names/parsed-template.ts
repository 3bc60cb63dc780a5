import { type ast, createEngine, type Template, TemplateError } from '@noetl/template';

/** A filter that does not exist is the reader's to report. */
const engine = createEngine({ undefined: 'chainable', collectUnknownNames: true });

/** What is wrong inside a template. */
export interface TemplateProblem {
  /** The offset in the template's text. */
  readonly at: number;
  readonly message: string;
  readonly hint: string;
}

const MEND =
  'Mend the template; braces that are meant as text are written {{ "{{" }}, or the text stands between {% raw %} and {% endraw %}.';

export function parsedTemplate(source: string): Template | TemplateProblem {
  try {
    return engine.compile(source);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { at: error.offset, message: error.problem.replace(/\.$/, ''), hint: error.hint ?? MEND };
  }
}

/** The expression of a text that is exactly one `{{ … }}`. */
export function onlyExpression(source: string): ast.Expression | undefined {
  const template = parsedTemplate(source);
  if ('message' in template || !template.native) return undefined;
  const output = template.tree.body.find((statement) => statement.kind === 'output');
  return output?.expression;
}
